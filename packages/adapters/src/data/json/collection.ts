import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type CollectionSpec, type Contents, diskFullAsFailure } from '@solstice/station'
import { type FileLock, lockFile } from '../../files/file-lock.ts'
import { type Change, QueuedCollection } from '../queued-collection.ts'
import type { Key } from '../record.ts'
import { Records } from '../records.ts'
import { FileView } from './file-view.ts'
import { replaceFile, temporaryPrefix, writeDraft } from './write-file.ts'

/** Before there is a file; always the same array, as `find` promises to those who keep what they derive from it. */
const NO_RECORDS: readonly never[] = Object.freeze([])

/** A collection in a file of JSON lines. */
export class JsonCollection<T extends object, K extends keyof T & string> extends QueuedCollection<T, K> {
  readonly #folder: string
  readonly #name: string
  readonly #lockName: string
  readonly #view: FileView<T>
  /** Files of killed processes, to be removed under the lock. */
  #abandoned: string[] = []

  /** @throws when the file is there but cannot be understood. */
  constructor(folder: string, name: string, spec: CollectionSpec) {
    super(spec)
    this.#folder = folder
    this.#name = name
    this.#lockName = `${name}.lock`
    this.#view = new FileView(join(folder, `${name}.json`), spec)
    this.#view.latest()
  }

  async get(key: T[K]): Promise<Readonly<T> | null> {
    return this.#view.readable()?.records.get(key as Key) ?? null
  }

  async find(where?: Partial<T>): Promise<readonly Readonly<T>[]> {
    return this.#view.readable()?.records.find(where) ?? NO_RECORDS
  }

  async contents(): Promise<Contents<T>> {
    return this.#view.contents()
  }

  /** Removes files that killed processes left in the folder, and converts an old format, as soon as the lock allows. */
  sweep(files: string[]): void {
    const prefixes = [temporaryPrefix(this.#name), this.#lockName]
    this.#abandoned = files.filter((file) => prefixes.some((prefix) => file.startsWith(prefix)))
    if (this.#abandoned.length > 0 || this.#view.isOldFormat) this.write()
  }

  override async close(): Promise<void> {
    await super.close()
    this.#view.close()
  }

  protected async writeWaiting(): Promise<void> {
    const batch: Change<T>[] = []
    try {
      const lock = await lockFile(join(this.#folder, this.#lockName))
      let settle: (() => void)[]
      try {
        await this.#removeAbandoned()
        batch.push(...this.waiting.splice(0))
        settle = await writeBatch(this.#view, batch, this.spec, lock)
      } finally {
        lock.release()
      }
      for (const tell of settle) tell()
    } catch (error) {
      const refused = batch.length > 0 ? batch : this.waiting.splice(0)
      const failure = diskFullAsFailure(error)
      for (const change of refused) change.refuse(failure)
    }
  }

  /** Under the lock nobody else is in the middle of a change. */
  async #removeAbandoned(): Promise<void> {
    for (const file of this.#abandoned.splice(0))
      if (file !== this.#lockName) await rm(join(this.#folder, file), { force: true })
  }
}

/** Makes changes durable; the returned functions tell their callers. */
async function writeBatch<T extends object>(
  view: FileView<T>,
  batch: Change<T>[],
  spec: CollectionSpec,
  lock: FileLock,
): Promise<(() => void)[]> {
  const version = view.latest()
  const last = version?.last ?? { place: 0, serial: 0 }
  const records = version?.records ?? new Records<T>(spec)
  const draft = records.draft(last)
  const settle = batch.map((change) => change.attempt(draft))
  const isChanged = draft.changes.size > 0 || draft.last.serial !== last.serial
  if (isChanged) await writeDraft(view, version, draft, lock)
  else if (view.isOldFormat) await replaceFile(view, records.entries(), last, null, lock)
  return settle
}
