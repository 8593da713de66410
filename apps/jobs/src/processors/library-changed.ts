import type { Ports } from '@solstice/adapters'

/** Tells the air and every listener that the library is another one now. */
export function libraryChanged({ bus, announcer, log }: Pick<Ports, 'bus' | 'announcer' | 'log'>): void {
  announcer.announce('library_updated')
  bus.send({ type: 'library-changed' }).catch((error) => {
    // A worker that takes the desk later reads the library by itself.
    log.warn({ err: error }, 'no worker heard that the library changed')
  })
}
