import type { Command } from '@solstice/playout'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'

type Settled = NonNullable<Extract<Command, { type: 'library-changed' }>['settled']>

/**
 * Tells the air and every listener that the library is another one now, and has new tracks measured. Resolves when the
 * air knows, or does not answer.
 *
 * @param settled tracks that were released, as they are now.
 */
export async function libraryChanged(
  deps: { bus: Pick<Bus, 'send'>; announcer: Announcer; jobs: Pick<JobQueue, 'add'>; log: Log },
  settled?: Settled,
): Promise<void> {
  const { bus, announcer, jobs, log } = deps
  announcer.announce('library_updated')
  jobs.add('measure-loudness', {}, { id: 'measure-loudness', requeueIfActive: true }).catch((error) => {
    log.warn({ err: error }, 'new tracks are measured at the next start')
  })
  await bus.send({ type: 'library-changed', ...(settled && { settled }) }).catch((error) => {
    // A worker that acquires the lease later reads the library by itself.
    log.warn({ err: error }, 'no worker heard that the library changed')
  })
}
