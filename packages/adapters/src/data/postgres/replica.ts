import type { CollectionSpec } from '@solstice/station'
import type { Changes } from '../record.ts'
import { Records } from '../records.ts'
import type { Session } from './pool.ts'
import { readChanges } from './read-changes.ts'

/** The records of a collection in this process's memory, as of a version. */
export class Replica<T extends object> {
  readonly #name: string
  readonly #spec: CollectionSpec
  #records: Records<T>
  #version: number | null = null
  /** Another server may lack the last versions of this one, and have others under their numbers. */
  #server = ''

  constructor(name: string, spec: CollectionSpec) {
    this.#name = name
    this.#spec = spec
    this.#records = new Records(spec)
  }

  get records(): Records<T> {
    return this.#records
  }

  /** True when anything was ever read. */
  get isLoaded(): boolean {
    return this.#version !== null
  }

  async catchUp(session: Session): Promise<void> {
    const begun = this.#version
    const known = session.server === this.#server ? begun : null
    const { changes, version, isWhole } = await readChanges<T>(this.#name, known, session)
    // A change of our own, or another reader, may have been quicker.
    if (this.#version !== begun && this.#version !== null && this.#version >= version) return
    this.#server = session.server
    if (isWhole) this.#records = new Records(this.#spec)
    this.#adopt(changes, version)
  }

  /** Takes over a committed change, unless readers have seen it already, perhaps together with later ones. */
  adoptCommitted(changes: Changes<T>, version: number): void {
    if (this.#version !== null && this.#version < version) this.#adopt(changes, version)
  }

  #adopt(changes: Changes<T>, version: number): void {
    this.#records.apply(changes)
    this.#version = version
  }
}
