import { connect, runService } from '@solstice/adapters'
import { standBy } from './standby.ts'

await runService('stream-worker', async (config, log) => {
  const ports = await connect(config, log)
  const stopping = new AbortController()
  const done = standBy(ports, stopping.signal)
  return async () => {
    stopping.abort()
    await done
    await ports.close()
  }
})
