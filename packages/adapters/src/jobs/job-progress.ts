import type { Job } from 'bullmq'

/** Shortest time between two writes of notes that nothing depends on. */
const WRITE_EVERY_MS = 1_000
/** Notes may be of some MB: writing them takes at most this share of the job's time. */
const MAX_WRITING_SHARE = 1 / 20

/** Progress of a job as saved in Redis: `done` of `total`, and notes for the process that takes it over. */
export interface SavedProgress {
  done: number
  total: number
  notes?: unknown
}

export function progressOf({ progress }: Job): SavedProgress {
  return typeof progress === 'object' ? (progress as SavedProgress) : { done: 0, total: 0 }
}

/** Writes the progress of a job that runs. */
export function createProgressWriter(job: Job) {
  let unsaved: SavedProgress | null = null
  let dueMs = 0
  const save = async () => {
    if (unsaved === null) return
    const beganMs = performance.now()
    const saved = unsaved
    unsaved = null
    await job.updateProgress(saved)
    const endedMs = performance.now()
    dueMs = endedMs + Math.max(WRITE_EVERY_MS, (endedMs - beganMs) / MAX_WRITING_SHARE)
  }
  return {
    /** Saves it when a write is due; otherwise with the next write. */
    async note(done: number, total: number, notes?: unknown) {
      unsaved = { done, total, notes }
      if (performance.now() >= dueMs) await save()
    },
    /** Saves it before it resolves. */
    keep(done: number, total: number, notes: unknown) {
      unsaved = { done, total, notes }
      return save()
    },
    save,
  }
}
