import { randomUUID } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CollectionSpec,
  type Contents,
  collections,
  type DataStore,
  nameFullDisk,
} from '@solstice/station'
import { syncFolder, writeDurably } from './durable-files.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { type Change, QueuedCollection } from './queued-collection.ts'
import { type Counters, type Draft, deepFreeze, type Key, Records } from './records.ts'

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
    sessions: collection('sessions'),
    sessionCuts: collection('sessionCuts'),
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

/** What a file held when it was read. */
interface Version<T extends object> {
  readonly records: Records<T>
  readonly last: Counters
  readonly file: BigIntStats | null
  /** The file stays open, so that its inode number is not given to a later version while we compare with it. */
  readonly pin: number | null
}

class JsonCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #folder: string
  readonly #name: string
  readonly #path: string
  /** The JSON of records that were written before. */
  readonly #lines = new WeakMap<T, string>()
  #version: Version<T>
  /** The file on disk, when it cannot be understood. */
  #broken: { file: BigIntStats; error: Error } | null = null
  #leftBehind: string[] = []

  constructor(folder: string, name: string, spec: CollectionSpec) {
    super(spec)
    this.#folder = folder
    this.#name = name
    this.#path = join(folder, `${name}.json`)
    this.#version = { records: new Records(spec), last: { place: 0, serial: 0 }, file: null, pin: null }
    this.#latest()
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    return this.#current().records.get(key as Key)
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    return this.#current().records.find(where)
  }

  async contents(): Promise<Contents<T>> {
    const isThere = statSync(this.#path, { throwIfNoEntry: false }) !== undefined
    const { records, last } = isThere ? this.#parse(readFileSync(this.#path, 'utf8')) : this.#current()
    return { records: records.find(), serial: last.serial }
  }

  /** Removes what processes left that were killed in the middle of a change, as soon as the lock allows. */
  sweep(files: string[]): void {
    this.#leftBehind = files.filter(
      (file) => file.startsWith(`.${this.#name}.`) || file.startsWith(`${this.#name}.lock`),
    )
    if (this.#leftBehind.length > 0) this.write()
  }

  override async close(): Promise<void> {
    await super.close()
    if (this.#version.pin !== null) closeSync(this.#version.pin)
    this.#version = { ...this.#version, pin: null }
  }

  /** What readers see: the file of this moment, or the last one that could be understood. */
  #current(): Version<T> {
    try {
      return this.isClosed ? this.#version : this.#latest()
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
      return this.#adopt({ ...this.#parse(readFileSync(pin, 'utf8')), file, pin })
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

  #parse(text: string): Pick<Version<T>, 'records' | 'last'> {
    const content: unknown = JSON.parse(text)
    if (!isObject(content) || !Array.isArray(content.records)) throw new Error('it holds no records')
    if (content.version !== FORMAT_VERSION) throw new Error(`its format is version ${content.version}`)
    const keys = new Set<Key>()
    const found = new Map<number, T>()
    let serial = Number.isSafeInteger(content.serial) ? Number(content.serial) : 0
    for (const record of content.records) {
      const key: unknown = isObject(record) ? record[this.spec.key] : undefined
      if (typeof key !== (this.spec.serial ? 'number' : 'string'))
        throw new Error(`a record has no "${this.spec.key}"`)
      if (keys.has(key as Key)) throw new Error(`two records have the ${this.spec.key} ${key}`)
      if (typeof key === 'number') serial = Math.max(serial, key)
      keys.add(key as Key)
      found.set(keys.size, deepFreeze(record as T))
    }
    const records = new Records<T>(this.spec)
    records.apply(found)
    return { records, last: { place: keys.size, serial } }
  }

  /** Makes all changes that wait, as one new version of the file. */
  protected async writeWaiting(): Promise<void> {
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
        batch = this.waiting.splice(0)
        const version = this.#latest()
        const draft = version.records.draft(version.last)
        settle = batch.map((change) => change.attempt(draft))
        const isChanged = draft.changes.size > 0 || draft.last.serial !== version.last.serial
        if (isChanged) await this.#write(draft, version, lock)
      } finally {
        lock.release()
      }
      for (const tell of settle) tell()
    } catch (error) {
      const refused = batch.length > 0 ? batch : this.waiting.splice(0)
      const named = nameFullDisk(error)
      for (const change of refused) change.refuse(named)
    }
  }

  async #write(draft: Draft<T>, { records }: Version<T>, lock: FileLock): Promise<void> {
    const lines = draft.records.map((record) => this.#lineOf(record)).join(',\n')
    const head = `{"version":${FORMAT_VERSION},"serial":${draft.last.serial},"records":[`
    const temporary = join(this.#folder, `.${this.#name}.${randomUUID()}.tmp`)
    let pin: number | null = null
    try {
      await writeDurably(temporary, `${head}\n${lines}\n]}\n`, 0o600)
      pin = openSync(temporary, 'r')
      const file = fstatSync(pin, { bigint: true })
      if (!lock.isHeld()) throw new Error('another process took the lock over')
      // In one turn of the event loop, so that no reader of ours meets a file that is not yet our version.
      renameSync(temporary, this.#path)
      records.apply(draft.changes)
      this.#adopt({ records, last: draft.last, file, pin })
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
