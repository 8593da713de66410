import { connect, type Processors, runService, workJobs } from '@solstice/adapters'
import { makeDemoLibrary } from './processors/demo-library.ts'
import { prefetchLyrics } from './processors/prefetch-lyrics.ts'
import { purgeExpired } from './processors/purge-expired.ts'
import { reconcileMedia } from './processors/reconcile-media.ts'
import { jobsAtStart, recurrences } from './schedule.ts'

await runService('jobs', async (config, log) => {
  const ports = await connect(config, log)
  const processors: Processors = {
    'reconcile-media': () => reconcileMedia(ports),
    'demo-library': (_, stopping) => makeDemoLibrary(ports, stopping),
    'purge-expired': () => purgeExpired(ports),
    'prefetch-lyrics': (_, stopping) => prefetchLyrics(ports, stopping),
  }
  const worker = await workJobs(config.redisUrl, processors, recurrences(config), log)
  for (const name of jobsAtStart(config)) await ports.jobs.add(name, {}, { id: name })
  return async () => {
    await worker.close()
    await ports.close()
  }
})
