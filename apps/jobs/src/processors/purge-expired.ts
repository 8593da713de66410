import type { Ports } from '@solstice/adapters'
import {
  dateNow,
  keptSince,
  purgeAudit,
  purgeDonations,
  purgeHistory,
  purgeLyrics,
  purgeSessions,
  purgeStaged,
  purgeWorkingCopies,
} from '@solstice/station'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * What was played and done longer than LOG_RETENTION_DAYS ago is forgotten, and what was ordered longer than
 * DONATION_RETENTION_DAYS ago; sessions whose tokens expired; and looked-up lyrics of songs that are neither in the library
 * nor in the history. Uploads that nobody committed within a day, and what killed processes left in the temporary folder,
 * are removed.
 */
export async function purgeExpired({ config, data, media, clock, log }: Ports): Promise<void> {
  const today = dateNow(clock)
  const expiredMs = keptSince(config.logRetentionDays, today)
  const history = await purgeHistory(data, expiredMs)
  const audit = await purgeAudit(data, expiredMs)
  const nowMs = clock.nowMs()
  const donations = await purgeDonations(data, keptSince(config.donationRetentionDays, nowMs), nowMs)
  const sessions = await purgeSessions(data, nowMs)
  const lyrics = await purgeLyrics(data)
  const uploads = await purgeStaged(media, today - DAY_MS)
  const copies = await purgeWorkingCopies(today - DAY_MS)
  log.info({ history, audit, donations, sessions, lyrics, uploads, copies }, 'old entries are purged')
}
