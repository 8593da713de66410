import type { Log } from './library.ts'
import type { Announcer } from './ports/announcer.ts'
import type { Bus } from './ports/bus.ts'

/** Tells the air and every listener that the library is another one now. */
export function libraryChanged({ bus, announcer, log }: { bus: Bus; announcer: Announcer; log: Log }): void {
  announcer.announce('library_updated')
  bus.send({ type: 'library-changed' }).catch((error) => {
    // A worker that takes the desk later reads the library by itself.
    log.warn({ err: error }, 'no worker heard that the library changed')
  })
}
