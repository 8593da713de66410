import type { Ports } from '@solstice/adapters'
import { libraryChanged, reconcile, reconcileClips } from '@solstice/station'

/** Library and disk agree again; then a worker that has nothing saved may begin, and an empty library gets its demo. */
export async function reconcileMedia(ports: Ports): Promise<void> {
  const { config, data, media, tags, log, jobs, reconciliation } = ports
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
  await reconciliation.mark()
  await reconcileClips({ ...ports, confirmTrackCleanup: config.confirmTrackCleanup })
  if (config.demoLibrary && (await data.tracks.find()).length === 0) {
    await jobs.add('demo-library', {}, { id: 'demo-library' })
  }
}
