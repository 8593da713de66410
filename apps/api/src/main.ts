import { connect, runService } from '@solstice/adapters'
import { buildApp } from './app.ts'

/** Requests that are still answered when the process has to end get this long. */
const DRAIN_MS = 6_000

await runService('api', async (config, log) => {
  const ports = await connect(config, log)
  const app = await buildApp(ports)
  await app.listen({ port: config.port, host: config.host })

  return async () => {
    const tooLong = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
    await app.close()
    clearTimeout(tooLong)
    await ports.close()
  }
})
