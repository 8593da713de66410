import type { Command } from '@solstice/playout'
import type { Log } from './library.ts'
import type { Announcer } from './ports/announcer.ts'
import type { Bus } from './ports/bus.ts'

type Settled = NonNullable<Extract<Command, { type: 'library-changed' }>['settled']>

/**
 * Tells the air and every listener that the library is another one now. Resolves when the air knows, or does not answer.
 *
 * @param settled tracks that were released, as they are now.
 */
export async function libraryChanged(
  { bus, announcer, log }: { bus: Pick<Bus, 'send'>; announcer: Announcer; log: Log },
  settled?: Settled,
): Promise<void> {
  announcer.announce('library_updated')
  await bus.send({ type: 'library-changed', ...(settled && { settled }) }).catch((error) => {
    // A worker that takes the desk later reads the library by itself.
    log.warn({ err: error }, 'no worker heard that the library changed')
  })
}
