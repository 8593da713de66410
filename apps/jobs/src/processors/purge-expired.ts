import type { Ports } from '@solstice/adapters'
import { purgeAudit, purgeHistory, purgeStaged } from '@solstice/station'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * What was played and done longer than LOG_RETENTION_DAYS ago is forgotten, and uploads that nobody committed within a
 * day are removed.
 */
export async function purgeExpired({ config, data, media, clock, log }: Ports): Promise<void> {
  const nowMs = clock.nowMs()
  const expiredMs = nowMs - config.logRetentionDays * DAY_MS
  const history = await purgeHistory(data, expiredMs)
  const audit = await purgeAudit(data, expiredMs)
  const uploads = await purgeStaged(media, nowMs - DAY_MS)
  log.info({ history, audit, uploads, days: config.logRetentionDays }, 'old entries are purged')
}
