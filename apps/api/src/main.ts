import { connect, runProcess } from '@solstice/adapters'
import { buildApp } from './app.ts'
import { DRAIN_TIMEOUT_MS } from './http/drain.ts'

/** Time for closing everything besides the drain. */
const REST_MS = 8_000

await runProcess(
  'api',
  async (config, log) => {
    // Checked here, because the other processes are not given these settings.
    if (!config.superAdmin) log.warn('ADMIN_LOGIN and ADMIN_PASS are not both set; there is no super admin')
    const ports = await connect(config, log)
    const app = await buildApp(ports)
    await app.listen({ port: config.port, host: config.host })
    return async () => {
      await app.close()
      await ports.close()
    }
  },
  ({ drainDelayMs }) => drainDelayMs + DRAIN_TIMEOUT_MS + REST_MS,
)
