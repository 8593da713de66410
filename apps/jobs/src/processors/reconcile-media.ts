import type { Ports } from '@solstice/adapters'
import {
  libraryChanged,
  type Reconciled,
  reconcile,
  reconcileArtists,
  reconcileClips,
} from '@solstice/station'

/**
 * Reconciles the library with the disk. Afterwards a worker without saved state may start, and an empty library gets the demo
 * library. A bucket is not listed: it may be too large for that at each start.
 */
export async function reconcileMedia(ports: Ports): Promise<void> {
  const { config, data, jobs, reconciliation } = ports
  if (config.mediaStorage === 'cloud') {
    await reconcileArtists(data, null)
    await reconciliation.mark()
  } else {
    const { missing } = await reconcileTracks(ports)
    await reconciliation.mark()
    // If the disk with the tracks seems to be missing, so is the one with the clips.
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
    log.info(result, 'library reconciled with the disk')
    libraryChanged(ports)
  }
  return result
}
