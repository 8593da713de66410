import type { Audit } from '../accounts/audit.ts'
import { Deferred, diskFullAsFailure, isStoreUnavailable } from '../core/failure.ts'

/** One run of a job: the first, or one that resumes after a crash. */
export interface Run {
  readonly jobId: string
  readonly stopping: AbortSignal
  /** The notes that the previous run saved last. */
  readonly notes: unknown
  /** Resolves when the notes are saved. */
  keep(done: number, total: number, notes: unknown): Promise<void>
}

/** A run that knows whether its change has begun: with the first notes, of this run or a previous one. */
export interface ResumableRun extends Run {
  /** @throws Deferred (interrupted) instead of the refusal of a store that is away, once the change has begun; what `work` throws. */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

export function resumable(run: Run): ResumableRun {
  const { jobId, stopping, notes } = run
  let isBegun = notes !== undefined
  return {
    jobId,
    stopping,
    notes,
    keep(...kept) {
      isBegun = true
      return run.keep(...kept)
    },
    async attempt(work) {
      try {
        return await work()
      } catch (error) {
        const named = diskFullAsFailure(error)
        throw isBegun && isStoreUnavailable(named) ? new Deferred('interrupted', named) : named
      }
    },
  }
}

/** Like `Promise.all`, but rejects only after all have ended. */
export async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

/**
 * The audit log for a run: one entry of an operation on one thing, also when the run is begun again.
 *
 * @param id what is changed.
 */
export function auditOnce(audit: Audit, { jobId }: Run, { sinceMs }: { sinceMs: number }, id: string): Audit {
  return {
    record(actor, operationType, about, more) {
      const onceKey = `${operationType} ${jobId} ${sinceMs} ${id}`
      return audit.record(actor, operationType, about, { ...more, onceKey })
    },
  }
}
