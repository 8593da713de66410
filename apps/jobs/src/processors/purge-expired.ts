import type { Ports } from '@solstice/adapters'
import { purgeHistory } from '@solstice/station'

const DAY_MS = 24 * 60 * 60 * 1000

/** What is older than LOG_RETENTION_DAYS is forgotten. */
export async function purgeExpired({ config, data, clock, log }: Ports): Promise<void> {
  const entries = await purgeHistory(data, clock.nowMs() - config.logRetentionDays * DAY_MS)
  log.info({ entries, days: config.logRetentionDays }, 'old history is purged')
}
