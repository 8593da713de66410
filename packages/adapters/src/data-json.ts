import { randomUUID } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Collection,
  type CollectionSpec,
  type Contents,
  collections,
  type DataStore,
  type NewRecord,
} from '@solstice/station'
import { syncFolder, writeDurably } from './durable-files.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { deepFreeze, equals, type Key, refuseUnfit } from './records.ts'

const FORMAT_VERSION = 1

/**
 * The station's memory in a folder: one file per collection, shared by all processes of a host.
 *
 * A change takes the collection's lock file, reads what others changed, and replaces the file by a new one in one
 * step, so that at any moment the whole old or the whole new version is there. Reads come from memory once the file is
 * known to be the one that was read.
 *
 * @throws when a file is there but cannot be understood; it is left as it is.
 */
export async function openJsonData(folder: string): Promise<DataStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const opened: { sweep(files: string[]): void; close(): Promise<void> }[] = []
  const collection = <T extends object, K extends keyof T & string>(name: keyof typeof collections) => {
    const one = new JsonCollection<T, K>(folder, name, collections[name])
    opened.push(one)
    return one
  }
  const data: DataStore = {
    tracks: collection('tracks'),
    lyrics: collection('lyrics'),
    offsets: collection('offsets'),
    artists: collection('artists'),
    history: collection('history'),
    settings: collection('settings'),
    clips: collection('clips'),
    groups: collection('groups'),
    admins: collection('admins'),
    audit: collection('audit'),
    bans: collection('bans'),
    donations: collection('donations'),
    ledger: collection('ledger'),
    inbox: collection('inbox'),
    measurements: collection('measurements'),
    waveforms: collection('waveforms'),
    async close() {
      await Promise.all(opened.map((one) => one.close()))
    },
  }
  const files = await readdir(folder)
  for (const one of opened) one.sweep(files)
  return data
}

/** What a file held when it was read. Records are frozen, so they can be handed out. */
interface Version<T> {
  readonly records: ReadonlyMap<Key, T>
  /** The last serial number given. */
  readonly serial: number
  /** The same array for every reader of this version. */
  readonly all: readonly T[]
  readonly file: BigIntStats | null
  /** The file stays open, so that its inode number is not given to a later version while we compare with it. */
  readonly pin: number | null
}

/** A version in the making; changes that wait together are made on one draft and written once. */
interface Draft<T> {
  records: Map<Key, T>
  serial: number
  isChanged: boolean
}

interface Change<T> {
  /** Makes the change, and gives back how to tell the caller once the draft is durable. */
  attempt(draft: Draft<T>): () => void
  refuse(error: unknown): void
}

class JsonCollection<T extends object, K extends keyof T & string> implements Collection<T, K> {
  readonly #folder: string
  readonly #name: string
  readonly #path: string
  readonly #spec: CollectionSpec
  /** The JSON of records that were written before. */
  readonly #lines = new WeakMap<T, string>()
  #version: Version<T> = { records: new Map(), serial: 0, all: [], file: null, pin: null }
  /** The file on disk, when it cannot be understood. */
  #broken: { file: BigIntStats; error: Error } | null = null
  #waiting: Change<T>[] = []
  #leftBehind: string[] = []
  #writing: Promise<void> | null = null
  #isClosed = false

  constructor(folder: string, name: string, spec: CollectionSpec) {
    this.#folder = folder
    this.#name = name
    this.#path = join(folder, `${name}.json`)
    this.#spec = spec
    this.#latest()
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    return this.#current().records.get(key as Key) ?? null
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    const { all } = this.#current()
    return where ? all.filter(equals(where)) : all
  }

  insert(record: NewRecord<T, K>): Promise<Readonly<T> | null> {
    return this.#change((draft) => {
      const { key, serial } = this.#spec
      const kept = this.#keep((serial ? { [key]: draft.serial + 1, ...record } : record) as T)
      if (draft.records.has(this.#keyOf(kept)) || this.#clashes(kept, draft.records.values())) return null
      this.#set(draft, kept)
      return kept
    })
  }

  put(record: T): Promise<void> {
    return this.#change((draft) => {
      const kept = this.#keep(record)
      const others = [...draft.records.values()].filter((other) => this.#keyOf(other) !== this.#keyOf(kept))
      this.#refuseClash(kept, others)
      this.#set(draft, kept)
    })
  }

  update(where: Partial<T>, change: Partial<T>): Promise<number> {
    return this.#change((draft) => {
      const before = new Set([...draft.records.values()].filter(equals(where)))
      const after = [...before].map((record) => this.#keep({ ...record, ...change }))
      if ([this.#spec.key, ...(this.#spec.unique ?? [])].some((field) => field in change)) {
        const others = [...draft.records.values()].filter((record) => !before.has(record))
        for (const record of after) {
          this.#refuseClash(record, others)
          others.push(record)
        }
      }
      for (const [i, record] of [...before].entries()) {
        if (this.#keyOf(record) !== this.#keyOf(after[i]!)) draft.records.delete(this.#keyOf(record))
        this.#set(draft, after[i]!)
      }
      return before.size
    })
  }

  delete(where: Partial<T> | ((record: Readonly<T>) => boolean)): Promise<number> {
    return this.#change((draft) => {
      const matches = typeof where === 'function' ? where : equals(where)
      const found = [...draft.records].filter(([, record]) => matches(record))
      for (const [key] of found) draft.records.delete(key)
      draft.isChanged ||= found.length > 0
      return found.length
    })
  }

  async contents(): Promise<Contents<T>> {
    const { all, serial } = this.#current()
    return { records: all, serial }
  }

  async replaceAll({ records, serial }: Contents<T>): Promise<void> {
    refuseUnfit(records, this.#spec)
    await this.#change((draft) => {
      draft.records.clear()
      draft.serial = this.#spec.serial ? serial : 0
      draft.isChanged = true
      for (const record of records) this.#set(draft, this.#keep(record))
    })
  }

  /** Removes what processes left that were killed in the middle of a change, as soon as the lock allows. */
  sweep(files: string[]): void {
    this.#leftBehind = files.filter(
      (file) => file.startsWith(`.${this.#name}.`) || file.startsWith(`${this.#name}.lock`),
    )
    this.#writing ??= this.#writeAll()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    if (this.#version.pin !== null) closeSync(this.#version.pin)
    this.#version = { ...this.#version, pin: null }
  }

  /** What readers see: the file of this moment, or the last one that could be understood. */
  #current(): Version<T> {
    try {
      return this.#isClosed ? this.#version : this.#latest()
    } catch {
      return this.#version
    }
  }

  /** The file of this moment. A file that vanished is not an order to forget: the next change writes it anew. */
  #latest(): Version<T> {
    const file = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    if (!file || isSame(file, this.#version.file)) return this.#version
    if (this.#broken && isSame(file, this.#broken.file)) throw this.#broken.error
    return this.#read()
  }

  #read(): Version<T> {
    const pin = openSync(this.#path, 'r')
    const file = fstatSync(pin, { bigint: true })
    try {
      const { serial, records } = this.#parse(readFileSync(pin, 'utf8'))
      return this.#adopt({ records, serial, all: Object.freeze([...records.values()]), file, pin })
    } catch (error) {
      closeSync(pin)
      const why = error instanceof Error ? error.message : String(error)
      const broken = new Error(`${this.#path} cannot be understood (${why}); it is left as it is`)
      this.#broken = { file, error: broken }
      throw broken
    }
  }

  #adopt(version: Version<T>): Version<T> {
    if (this.#version.pin !== null) closeSync(this.#version.pin)
    this.#broken = null
    this.#version = version
    return version
  }

  #parse(text: string): { serial: number; records: Map<Key, T> } {
    const content: unknown = JSON.parse(text)
    if (!isObject(content) || !Array.isArray(content.records)) throw new Error('it holds no records')
    if (content.version !== FORMAT_VERSION) throw new Error(`its format is version ${content.version}`)
    const records = new Map<Key, T>()
    let serial = Number.isSafeInteger(content.serial) ? Number(content.serial) : 0
    for (const record of content.records) {
      const key: unknown = isObject(record) ? record[this.#spec.key] : undefined
      if (typeof key !== (this.#spec.serial ? 'number' : 'string'))
        throw new Error(`a record has no "${this.#spec.key}"`)
      if (records.has(key as Key)) throw new Error(`two records have the ${this.#spec.key} ${key}`)
      if (typeof key === 'number') serial = Math.max(serial, key)
      records.set(key as Key, deepFreeze(record as T))
    }
    return { serial, records }
  }

  #keyOf(record: T): Key {
    return record[this.#spec.key as K] as Key
  }

  /** A frozen copy that nobody else holds. */
  #keep(record: T): T {
    const line = JSON.stringify(record)
    const kept = deepFreeze(JSON.parse(line) as T)
    this.#lines.set(kept, line)
    return kept
  }

  #set(draft: Draft<T>, record: T): void {
    const key = this.#keyOf(record)
    if (this.#spec.serial) draft.serial = Math.max(draft.serial, Number(key))
    draft.records.set(key, record)
    draft.isChanged = true
  }

  /** Whether another record has the same unique combination. */
  #clashes(record: T, others: Iterable<T>): boolean {
    const fields = this.#spec.unique as readonly (keyof T)[] | undefined
    if (!fields) return false
    for (const other of others) if (fields.every((field) => other[field] === record[field])) return true
    return false
  }

  #refuseClash(record: T, others: T[]): void {
    const key = this.#keyOf(record)
    if (others.some((other) => this.#keyOf(other) === key) || this.#clashes(record, others))
      throw new Error(`${this.#name}: another record stands where ${key} would be`)
  }

  #change<R>(make: (draft: Draft<T>) => R): Promise<R> {
    if (this.#isClosed) return Promise.reject(new Error('the data store is closed'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        attempt(draft) {
          try {
            const result = make(draft)
            return () => resolve(result)
          } catch (error) {
            return () => reject(error)
          }
        },
        refuse: reject,
      })
      this.#writing ??= this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    // Changes that are asked for in one go are written in one go.
    await null
    while (this.#waiting.length > 0 || this.#leftBehind.length > 0) await this.#writeWaiting()
    this.#writing = null
  }

  /** Makes all changes that wait, as one new version of the file. */
  async #writeWaiting(): Promise<void> {
    let batch: Change<T>[] = []
    const leftBehind = this.#leftBehind.splice(0)
    try {
      const lockName = `${this.#name}.lock`
      const lock = await lockFile(join(this.#folder, lockName))
      let settle: (() => void)[]
      try {
        // Under the lock nobody else is in the middle of a change.
        for (const file of leftBehind)
          if (file !== lockName) await rm(join(this.#folder, file), { force: true })
        batch = this.#waiting.splice(0)
        const { records, serial } = this.#latest()
        const draft: Draft<T> = { records: new Map(records), serial, isChanged: false }
        settle = batch.map((change) => change.attempt(draft))
        if (draft.isChanged) await this.#write(draft, lock)
      } finally {
        lock.release()
      }
      for (const tell of settle) tell()
    } catch (error) {
      const refused = batch.length > 0 ? batch : this.#waiting.splice(0)
      for (const change of refused) change.refuse(error)
    }
  }

  async #write(draft: Draft<T>, lock: FileLock): Promise<void> {
    const all = Object.freeze([...draft.records.values()])
    const lines = all.map((record) => this.#lineOf(record)).join(',\n')
    const head = `{"version":${FORMAT_VERSION},"serial":${draft.serial},"records":[`
    const temporary = join(this.#folder, `.${this.#name}.${randomUUID()}.tmp`)
    let pin: number | null = null
    try {
      await writeDurably(temporary, `${head}\n${lines}\n]}\n`, 0o600)
      pin = openSync(temporary, 'r')
      const file = fstatSync(pin, { bigint: true })
      if (!lock.isHeld()) throw new Error('another process took the lock over')
      // In one turn of the event loop, so that no reader of ours meets a file that is not yet our version.
      renameSync(temporary, this.#path)
      this.#adopt({ records: draft.records, serial: draft.serial, all, file, pin })
    } catch (error) {
      if (pin !== null) closeSync(pin)
      await rm(temporary, { force: true })
      throw new Error(`${this.#path} could not be written; nothing was changed`, { cause: error })
    }
    await syncFolder(this.#folder)
  }

  #lineOf(record: T): string {
    const known = this.#lines.get(record)
    if (known !== undefined) return known
    const line = JSON.stringify(record)
    this.#lines.set(record, line)
    return line
  }
}

function isSame(file: BigIntStats, known: BigIntStats | null): boolean {
  return known?.ino === file.ino && known.mtimeNs === file.mtimeNs && known.size === file.size
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
