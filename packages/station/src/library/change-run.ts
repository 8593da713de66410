import type { Audit } from '../accounts/audit.ts'
import { diskFullAsFailure, HeldUp, isStoreUnavailable } from '../core/failure.ts'
import type { DataStore } from '../ports/data-store.ts'

/** One run of a job. It may be the first, or go on with what a process that died had begun. */
export interface Run {
  readonly jobId: string
  readonly stopping: AbortSignal
  /** What the run before this one kept last. */
  readonly notes: unknown
  /** Resolves when the notes are saved. */
  keep(done: number, total: number, notes: unknown): Promise<void>
}

/** A run that knows whether some of its change may be made already: from the first notes on, in this run or before. */
export interface ResumableRun extends Run {
  /** @throws HeldUp in place of a refusal for a store that is away, once some may be made; what `work` throws. */
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
        throw isBegun && isStoreUnavailable(named) ? new HeldUp(named) : named
      }
    },
  }
}

/** What all of these resolve with; when one rejects, only after the others have ended. */
export async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}

/** The log for a run: it leaves out what the run that broke off has written. */
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
