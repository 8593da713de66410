import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Config } from '../config/config.ts'
import type { Metrics } from './metrics.ts'

/** Registers the free space of the disks that this process writes to. */
export function registerDiskMetrics(
  metrics: Metrics,
  { dataDir, mediaDir, mediaStorage }: Pick<Config, 'dataDir' | 'mediaDir' | 'mediaStorage'>,
): void {
  const folders = { data: dataDir, temporary: tmpdir(), ...(mediaStorage === 'local' && { media: mediaDir }) }
  const spec = {
    name: 'solstice_disk_free_bytes',
    help: 'Free bytes on the disks of DATA_DIR, MEDIA_DIR and the temporary folder',
    labels: ['folder'],
  }
  metrics.gauge(spec, async () => {
    const read = Object.entries(folders).map(async ([folder, path]) => {
      // A folder that does not exist yet has no disk to report.
      const disk = await statfs(path).catch(() => null)
      return disk ? [{ labels: { folder }, value: disk.bavail * disk.bsize }] : []
    })
    return (await Promise.all(read)).flat()
  })
}
