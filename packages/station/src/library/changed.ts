import type { Command } from '@solstice/playout'
import { schedulePictures } from '../artwork/covers.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus } from '../ports/bus.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'

type Settled = NonNullable<Extract<Command, { type: 'library-changed' }>['settled']>

/**
 * Tells the worker and all listeners that the library changed, and has new tracks measured and their covers read. Resolves
 * when the worker has answered, or none does.
 *
 * @param settled released tracks, as they are now.
 */
export async function libraryChanged(
  deps: { bus: Pick<Bus, 'send'>; announcer: Announcer; jobs: Pick<JobQueue, 'add'>; log: Log },
  settled?: Settled,
): Promise<void> {
  const { bus, announcer, jobs, log } = deps
  announcer.announce('library_updated')
  jobs.add('measure-loudness', {}, { id: 'measure-loudness', requeueIfActive: true }).catch((error) => {
    log.warn({ err: error }, 'measuring not scheduled: new tracks are measured at the next start')
  })
  schedulePictures(deps)
  await bus.send({ type: 'library-changed', ...(settled && { settled }) }).catch((error) => {
    // A worker that acquires the lease later reads the library by itself.
    log.warn({ err: error }, 'library change not delivered to a worker')
  })
}
