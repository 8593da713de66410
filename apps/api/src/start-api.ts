import { type Config, connect, type Stop } from '@solstice/adapters'
import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { findPlace } from './processes/place.ts'

/**
 * Connections that wait to be accepted; the system may allow fewer (`net.core.somaxconn`). With Node's 511 a rush of 2 500 a second has no
 * room after a fifth of a second in which the process is busy, and whoever finds none tries again only after a second.
 */
const BACKLOG = 4_096

/** Starts one process of the API; resolves when it listens. */
export async function startApi(config: Config, log: Logger): Promise<Stop> {
  // Checked here, because the other programs are not given these settings.
  if (!config.superAdmin) log.warn('ADMIN_LOGIN and ADMIN_PASS are not both set; there is no super admin')
  const ports = await connect(config, log)
  const app = await buildApp(ports, findPlace())
  await app.listen({ port: config.port, host: config.host, backlog: BACKLOG })
  return async () => {
    await app.close()
    await ports.close()
  }
}
