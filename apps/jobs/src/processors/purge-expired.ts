import type { Ports } from '@solstice/adapters'
import {
  dateNow,
  forgetChapters,
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
 * Deletes play history and audit entries older than LOG_RETENTION_DAYS, donations older than DONATION_RETENTION_DAYS, sessions
 * with expired tokens, looked-up lyrics of tracks in neither library nor history, uploads not committed within a day, the logbook
 * before AIRCHECK_DAYS, and temporary files left by killed processes.
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
  const days = config.aircheckDays
  const chapters = days > 0 ? await forgetChapters(media, days, today) : 0
  const copies = await purgeWorkingCopies(today - DAY_MS)
  log.info(
    { history, audit, donations, sessions, lyrics, uploads, chapters, copies },
    'expired entries purged',
  )
}
