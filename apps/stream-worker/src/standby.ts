import type { Ports } from '@solstice/adapters'
import { mountId } from '@solstice/station'
import { rememberAir } from './air/memory.ts'
import { filesToPrefetch } from './feeds/prefetch.ts'
import { registerMetrics } from './metrics.ts'
import { goOnAir } from './on-air.ts'

const RECONCILIATION_TIMEOUT_MS = 10_000

/** Waits for the lease, is on air until it is lost, waits again. Ends when `stopping` is aborted, the lease released. */
export async function standBy(ports: Ports, stopping: AbortSignal): Promise<void> {
  const metrics = registerMetrics(ports.metrics, ports.config)
  const memory = rememberAir(ports, stopping)
  while (!stopping.aborted) {
    ports.log.info({ about: 'lease' }, 'standing by')
    const leave = prefetchOnStandby(ports)
    const lease = await ports.bus
      .acquireLease(stopping, ports.config.otherMounts.map(mountId))
      .catch((error) => {
        if (!stopping.aborted) throw error
      })
      .finally(leave)
    if (!lease) return
    try {
      // If Redis was emptied, the air continues from the state that this process last saw.
      const saved = (await lease.resume()) ?? memory.saved
      // On its first start a station may find music on disk; the first list waits for it.
      const isNew = !saved && (await ports.data.tracks.find()).length === 0
      if (isNew) await ports.reconciliation.wait(RECONCILIATION_TIMEOUT_MS)
      metrics.isOnAir = true
      await goOnAir(ports, lease, saved, memory, stopping, metrics)
    } catch (error) {
      if (!lease.lost.aborted) throw error
      ports.log.warn({ err: error }, 'lease lost; went off air')
    } finally {
      metrics.isOnAir = false
    }
  }
}

/** A standby worker prefetches the same files, so it can take over while the bucket is unreachable. */
function prefetchOnStandby({ config, bus, media, clock }: Ports): () => void {
  if (!config.streamMode || config.mediaStorage === 'local') return () => {}
  let isOver = false
  const following = bus.follow((state) => {
    if (!isOver) media.prefetch(filesToPrefetch(state, clock.nowMs()))
  })
  // Without Redis the air is unknown, and the lease cannot be acquired either.
  const unfollow = following.catch(() => () => {})
  return () => {
    isOver = true
    void unfollow.then((end) => end())
  }
}
