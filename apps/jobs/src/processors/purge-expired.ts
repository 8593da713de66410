import type { Ports } from '@solstice/adapters'
import { purgeAudit, purgeHistory, purgeStaged, purgeWorkingCopies } from '@solstice/station'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * What was played and done longer than LOG_RETENTION_DAYS ago is forgotten; uploads that nobody committed within a day,
 * and what killed processes left in the temporary folder, are removed.
 */
export async function purgeExpired({ config, data, media, clock, log }: Ports): Promise<void> {
  const nowMs = clock.nowMs()
  const expiredMs = nowMs - config.logRetentionDays * DAY_MS
  const history = await purgeHistory(data, expiredMs)
  const audit = await purgeAudit(data, expiredMs)
  const uploads = await purgeStaged(media, nowMs - DAY_MS)
  const copies = await purgeWorkingCopies(nowMs - DAY_MS)
  log.info({ history, audit, uploads, copies, days: config.logRetentionDays }, 'old entries are purged')
}
