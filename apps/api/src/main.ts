import cluster from 'node:cluster'
// Not the whole package: the primary of several processes has no use for it.
import { runProcess } from '@solstice/adapters/process'
import { DRAIN_TIMEOUT_MS } from './http/drain.ts'
import { startProcesses } from './processes/primary.ts'

/** Time for closing everything besides the drain. */
const REST_MS = 8_000

await runProcess(
  'api',
  async (config, log) => {
    if (cluster.isPrimary && config.apiProcesses > 1) return startProcesses(config.apiProcesses, log)
    const { startApi } = await import('./start-api.ts')
    return startApi(config, log)
  },
  ({ drainDelayMs }) => drainDelayMs + DRAIN_TIMEOUT_MS + REST_MS,
)
