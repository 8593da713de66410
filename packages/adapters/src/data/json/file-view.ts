import { type BigIntStats, closeSync, statSync } from 'node:fs'
import type { CollectionSpec, Contents } from '@solstice/station'
import { type ReadFile, readFile, readOn, readSuccessor } from './record-file.ts'

/** A collection's file as far as this process has read it; later reads fetch only the lines appended since. */
export class FileView<T extends object> {
  readonly path: string
  readonly #spec: CollectionSpec
  /** null before there is a file. */
  #version: ReadFile<T> | null = null
  /** The file on disk, when it cannot be read. */
  #broken: { file: BigIntStats; error: Error } | null = null
  #isClosed = false

  constructor(path: string, spec: CollectionSpec) {
    this.path = path
    this.#spec = spec
  }

  /** True when the file has the format of earlier stations. */
  get isOldFormat(): boolean {
    return this.#version !== null && this.#version.id === null
  }

  get isOnDisk(): boolean {
    return statSync(this.path, { throwIfNoEntry: false }) !== undefined
  }

  /** The current file. After it vanished, the last version: the next change writes it anew. @throws when it cannot be read. */
  latest(): ReadFile<T> | null {
    const file = statSync(this.path, { bigint: true, throwIfNoEntry: false })
    const known = this.#version
    if (!file || isSame(file, known?.file)) return known
    if (this.#broken && isSame(file, this.#broken.file)) throw this.#broken.error
    try {
      const next = known && (known.file.ino === file.ino ? readOn(known) : readSuccessor(this.path, known))
      return this.#adopt(next ?? readFile(this.path, this.#spec))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const broken = new Error(`${this.path} cannot be understood (${why}); it is left as it is`)
      this.#broken = { file, error: broken }
      throw broken
    }
  }

  /** The version for readers: the current file, or the last version that could be read. */
  readable(): ReadFile<T> | null {
    try {
      return this.#isClosed ? this.#version : this.latest()
    } catch {
      return this.#version
    }
  }

  /** All records, read from the beginning of the file. @throws when it cannot be read. */
  contents(): Contents<T> {
    if (!this.isOnDisk) {
      const version = this.readable()
      return { records: version?.records.find() ?? [], serial: version?.last.serial ?? 0 }
    }
    const { records, last, pin } = readFile<T>(this.path, this.#spec)
    closeSync(pin)
    return { records: records.find(), serial: last.serial }
  }

  /** Keeps what was read, and reads no more. */
  close(): void {
    if (this.#version && !this.#isClosed) closeSync(this.#version.pin)
    this.#isClosed = true
  }

  #adopt(version: ReadFile<T>): ReadFile<T> {
    if (this.#version && this.#version.pin !== version.pin) closeSync(this.#version.pin)
    this.#broken = null
    this.#version = version
    return version
  }
}

function isSame(file: BigIntStats, known: BigIntStats | undefined): boolean {
  return known?.ino === file.ino && known.mtimeNs === file.mtimeNs && known.size === file.size
}
