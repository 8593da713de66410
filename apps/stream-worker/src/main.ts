import { connect, runProcess, serveMetrics } from '@solstice/adapters'
import { standBy } from './standby.ts'

await runProcess('stream-worker', async (config, log) => {
  const ports = await connect(config, log)
  const stopping = new AbortController()
  const done = standBy(ports, stopping.signal)
  const closeMetrics = await serveMetrics(ports.metrics, config, log)
  return async () => {
    stopping.abort()
    await done
    closeMetrics()
    await ports.close()
  }
})
