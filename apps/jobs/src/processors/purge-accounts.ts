import type { Ports } from '@solstice/adapters'
import { purgeAccounts as purge } from '@solstice/station'

/** Removes helper accounts that were not activated in time. */
export async function purgeAccounts(ports: Ports): Promise<void> {
  const accounts = await purge(ports, ports.clock.nowMs())
  ports.log.info({ accounts }, 'unactivated accounts removed')
}
