import type { Audit } from '../accounts/audit.ts'
import { Deferred, diskFullAsFailure, isStoreUnavailable } from '../core/failure.ts'
import type { DataStore } from '../ports/data/data-store.ts'

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

/** The audit log for a run: skips entries that the interrupted run has written. */
export function auditOnce(
  { data, audit }: { data: Pick<DataStore, 'audit'>; audit: Audit },
  begun: { sinceMs: number } | undefined,
): Audit {
  if (!begun) return audit
  return {
    async record(actor, operationType, about, details) {
      const written = await data.audit.find({ operationType, adminId: actor.adminId })
      const isSame = ({ details: _, ...rest }: Record<string, unknown>) =>
        JSON.stringify(rest) === JSON.stringify(about)
      if (written.some((entry) => entry.createdAt >= begun.sinceMs && isSame(entry.data))) return
      await audit.record(actor, operationType, about, details)
    },
  }
}
