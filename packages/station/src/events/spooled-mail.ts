import { dateNow } from '../core/wall-clock.ts'
import { shownSource } from '../monitor/alarms.ts'
import type { WallClock } from '../ports/bus.ts'
import type { EventRecord, SpooledAlarm } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import type { Mailer } from '../ports/mail.ts'
import { retryDelayMs } from '../webhooks/deliver.ts'
import { MAIL_PAUSE_MS } from './mail.ts'
import { type MailStation, mailOf } from './mail-text.ts'

/** E-mails about alarms that the store does not know yet. */
export interface SpooledMail {
  /**
   * Sends one e-mail about those of the waiting alarms that were not told yet, unless the last one, or attempt, was a short time ago.
   * An end is told where its beginning waits as well; any other waits for the store. Never rejects.
   *
   * @returns those that were told.
   */
  tell(waiting: readonly SpooledAlarm[]): Promise<SpooledAlarm[]>
}

/** Everything that is needed comes from the configuration: no record is read. */
export function createSpooledMail(
  deps: { mailer: Mailer; clock: WallClock; log: Log; station: MailStation },
  pauseMs = MAIL_PAUSE_MS,
): SpooledMail {
  const { mailer, clock, log, station } = deps
  let attempts = 0
  let nextAt = Number.NEGATIVE_INFINITY
  return {
    async tell(waiting) {
      const nowMs = dateNow(clock)
      if (nowMs < nextAt) return []
      const due = waiting.filter((alarm) => !alarm.isMailed).flatMap((alarm) => newsOf(alarm, waiting) ?? [])
      if (due.length === 0) return []
      try {
        await mailer.send(
          mailOf(
            due.map(({ event }) => event),
            station,
          ),
        )
      } catch (error) {
        attempts++
        nextAt = nowMs + (retryDelayMs(attempts, Math.random()) ?? Number.POSITIVE_INFINITY)
        log.warn({ err: error, attempts, alarms: due.length }, 'e-mail about spooled alarms not sent')
        return []
      }
      attempts = 0
      nextAt = nowMs + pauseMs
      log.info({ alarms: due.length }, 'e-mail about spooled alarms sent')
      return due.map(({ alarm }) => alarm)
    },
  }
}

interface News {
  alarm: SpooledAlarm
  event: Pick<EventRecord, 'eventId' | 'type' | 'atMs' | 'data'>
}

function newsOf(alarm: SpooledAlarm, waiting: readonly SpooledAlarm[]): News | null {
  const { id: eventId, cause, evidence, receivedAt: atMs } = alarm
  const source = shownSource(alarm.source)
  if (evidence !== null) {
    const data = { alarmId: 0, cause, source, evidence, beganAt: atMs }
    return { alarm, event: { eventId, type: 'alarm.began', atMs, data } }
  }
  const begun = waiting
    .slice(0, waiting.indexOf(alarm))
    .findLast((one) => one.cause === cause && one.source === alarm.source)
  if (!begun || begun.evidence === null) return null
  const data = {
    alarmId: 0,
    cause,
    source,
    evidence: begun.evidence,
    beganAt: begun.receivedAt,
    endedAt: atMs,
  }
  return { alarm, event: { eventId, type: 'alarm.ended', atMs, data } }
}
