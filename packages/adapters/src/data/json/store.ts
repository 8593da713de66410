import { randomUUID } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type CollectionSpec,
  type Contents,
  collections,
  type DataStore,
  diskFullAsFailure,
} from '@solstice/station'
import { syncFile, syncFolder, writeDurably } from '../../files/durable-files.ts'
import { type FileLock, lockFile } from '../../files/file-lock.ts'
import { type Change, QueuedCollection } from '../queued-collection.ts'
import { type Counters, type Draft, type Key, Records } from '../records.ts'
import { lineOf, type ReadFile, readFile, readOn, readSuccessor, wholeFile } from './record-file.ts'

/** A file is written anew when it holds more records that were changed since than others, and more than this. */
const MIN_OUTDATED = 1_000

/**
 * The station's memory in a folder: one file per collection, shared by all processes of a host.
 *
 * A change takes the collection's lock file, reads what others changed, and appends a line to the file, which counts when
 * it is whole. Now and then the file is replaced in one step by one without what is outdated. Reads come from memory, and
 * only what was appended since is read.
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

class JsonCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #folder: string
  readonly #name: string
  readonly #path: string
  /** The file as it was read last; null before there is one. */
  #version: ReadFile<T> | null = null
  /** The file on disk, when it cannot be understood. */
  #broken: { file: BigIntStats; error: Error } | null = null
  #leftBehind: string[] = []
  #isUnpinned = false

  constructor(folder: string, name: string, spec: CollectionSpec) {
    super(spec)
    this.#folder = folder
    this.#name = name
    this.#path = join(folder, `${name}.json`)
    this.#latest()
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    return this.#current()?.records.get(key as Key) ?? null
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    return this.#current()?.records.find(where) ?? []
  }

  async contents(): Promise<Contents<T>> {
    const isThere = statSync(this.#path, { throwIfNoEntry: false }) !== undefined
    if (!isThere) {
      const version = this.#current()
      return { records: version?.records.find() ?? [], serial: version?.last.serial ?? 0 }
    }
    const { records, last, pin } = readFile<T>(this.#path, this.spec)
    closeSync(pin)
    return { records: records.find(), serial: last.serial }
  }

  /** Removes what processes left that were killed in the middle of a change, as soon as the lock allows. */
  sweep(files: string[]): void {
    this.#leftBehind = files.filter(
      (file) => file.startsWith(`.${this.#name}.`) || file.startsWith(`${this.#name}.lock`),
    )
    if (this.#leftBehind.length > 0 || this.#isOld()) this.write()
  }

  override async close(): Promise<void> {
    await super.close()
    if (this.#version && !this.#isUnpinned) closeSync(this.#version.pin)
    this.#isUnpinned = true
  }

  /** What readers see: the file of this moment, or the last one that could be understood. */
  #current(): ReadFile<T> | null {
    try {
      return this.isClosed ? this.#version : this.#latest()
    } catch {
      return this.#version
    }
  }

  /** The file of this moment. A file that vanished is not an order to forget: the next change writes it anew. */
  #latest(): ReadFile<T> | null {
    const file = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    const known = this.#version
    if (!file || isSame(file, known?.file)) return known
    if (this.#broken && isSame(file, this.#broken.file)) throw this.#broken.error
    try {
      const next = known && (known.file.ino === file.ino ? readOn(known) : readSuccessor(this.#path, known))
      return this.#adopt(next ?? readFile(this.#path, this.spec))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const broken = new Error(`${this.#path} cannot be understood (${why}); it is left as it is`)
      this.#broken = { file, error: broken }
      throw broken
    }
  }

  #adopt(version: ReadFile<T>): ReadFile<T> {
    if (this.#version && this.#version.pin !== version.pin) closeSync(this.#version.pin)
    this.#broken = null
    this.#version = version
    return version
  }

  /** The format of stations before. */
  #isOld(): boolean {
    return this.#version !== null && this.#version.id === null
  }

  /** Makes all changes that wait. */
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
        const last = version?.last ?? { place: 0, serial: 0 }
        const records = version?.records ?? new Records<T>(this.spec)
        const draft = records.draft(last)
        settle = batch.map((change) => change.attempt(draft))
        const isChanged = draft.changes.size > 0 || draft.last.serial !== last.serial
        if (isChanged) await this.#write(draft, version, lock)
        else if (this.#isOld()) await this.#replace(records.entries(), last, null, lock)
      } finally {
        lock.release()
      }
      for (const tell of settle) tell()
    } catch (error) {
      const refused = batch.length > 0 ? batch : this.waiting.splice(0)
      const named = diskFullAsFailure(error)
      for (const change of refused) change.refuse(named)
    }
  }

  async #write(draft: Draft<T>, version: ReadFile<T> | null, lock: FileLock): Promise<void> {
    const isLarge = draft.changes.size > Math.max(MIN_OUTDATED, version?.records.size ?? 0)
    const isHere = statSync(this.#path, { throwIfNoEntry: false }) !== undefined
    try {
      if (version?.id && isHere && !isLarge) await this.#append(draft, version, lock)
      else await this.#replace(draft.entries, draft.last, null, lock)
    } catch (error) {
      throw new Error(`${this.#path} could not be written; nothing was changed`, { cause: error })
    }
    const now = this.#latest()
    if (!now || now.entries - now.records.size <= Math.max(MIN_OUTDATED, now.records.size)) return
    // What was asked for is made; without room for this the file goes on growing.
    await this.#replace(now.records.entries(), now.last, now, lock).catch(() => {})
  }

  /** Adds a line, which nobody takes for whole before it is. */
  async #append(draft: Draft<T>, version: ReadFile<T>, lock: FileLock): Promise<void> {
    const { line, mark } = lineOf(version, draft.last, draft.changes)
    const file = openSync(this.#path, constants.O_RDWR | constants.O_APPEND)
    try {
      refuseLost(lock)
      // A process that died may have left a part of a line.
      if (Number(fstatSync(file).size) > version.bytes) ftruncateSync(file, version.bytes)
      try {
        for (let at = 0; at < line.length; ) at += writeSync(file, line, at)
        await syncFile(file)
      } catch (error) {
        if (lock.isHeld()) ftruncateSync(file, version.bytes)
        throw error
      }
    } finally {
      closeSync(file)
    }
    if (this.#latest()?.mark !== mark) throw new Error('another process took the lock over')
  }

  /** Puts a new file in place of the one that is there. */
  async #replace(
    entries: [number, T][],
    last: Counters,
    of: ReadFile<T> | null,
    lock: FileLock,
  ): Promise<void> {
    const temporary = join(this.#folder, `.${this.#name}.${randomUUID()}.tmp`)
    try {
      await writeDurably(temporary, wholeFile(entries, last, of), 0o600)
      refuseLost(lock)
      renameSync(temporary, this.#path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncFolder(this.#folder)
    this.#latest()
  }
}

/** @throws when another process has taken the lock over, because this one seemed to be dead. */
function refuseLost(lock: FileLock): void {
  if (!lock.isHeld()) throw new Error('another process took the lock over')
}

function isSame(file: BigIntStats, known: BigIntStats | undefined): boolean {
  return known?.ino === file.ino && known.mtimeNs === file.mtimeNs && known.size === file.size
}
