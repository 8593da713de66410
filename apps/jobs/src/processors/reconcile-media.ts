import type { Ports } from '@solstice/adapters'
import {
  libraryChanged,
  type Reconciled,
  reconcile,
  reconcileArtists,
  reconcileClips,
} from '@solstice/station'

/**
 * Library and disk agree again; then a worker that has nothing saved may begin, and an empty library gets its demo. A
 * bucket is not looked through: it may hold more than can be listed at each start.
 */
export async function reconcileMedia(ports: Ports): Promise<void> {
  const { config, data, jobs, reconciliation } = ports
  if (config.mediaStorage === 'cloud') {
    await reconcileArtists(data, null)
    await reconciliation.mark()
  } else {
    const { missing } = await reconcileTracks(ports)
    await reconciliation.mark()
    // Where the disk of the songs seems to be away, that of the clips is as well.
    const confirmTrackCleanup = config.confirmTrackCleanup && missing === 0
    await reconcileClips({ ...ports, confirmTrackCleanup })
  }
  if (config.demoLibrary && (await data.tracks.find()).length === 0) {
    await jobs.add('demo-library', {}, { id: 'demo-library' })
  }
}

async function reconcileTracks(ports: Ports): Promise<Reconciled> {
  const { config, data, media, tags, log } = ports
  const result = await reconcile({
    data,
    media,
    tags,
    confirmTrackCleanup: config.confirmTrackCleanup,
    log,
    onChange: () => libraryChanged(ports),
  })
  if (result.isChanged) {
    log.info(result, 'the library follows the disk')
    libraryChanged(ports)
  }
  return result
}
