import { createStore, type Store } from '../../ui/store.ts'

/** A part that takes files dropped anywhere in the panel while it is shown. */
export interface FileTaker {
  /** Their destination, as a sentence. */
  label: string
  take: (files: File[]) => void
}

/** How far files on their way into the library are. */
export interface IntakeProgress {
  finished: number
  total: number
}

/** Files on their way into the station. It outlives the part that takes them in. */
export interface Intake {
  /** null: dropped files lead to Add music. */
  readonly taker: Store<FileTaker | null>
  /** Dropped before Add music was open. */
  readonly waiting: Store<readonly File[]>
  /** null while nothing is being added. */
  readonly progress: Store<IntakeProgress | null>
  /** Aborted when the panel closes. */
  readonly closing: AbortSignal
  close(): void
}

export function createIntake(): Intake {
  const closing = new AbortController()
  return {
    taker: createStore<FileTaker | null>(null),
    waiting: createStore<readonly File[]>([]),
    progress: createStore<IntakeProgress | null>(null),
    closing: closing.signal,
    close: () => closing.abort(),
  }
}
