import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AlarmRecord, DataStore, EventRecord, MailMarkRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { Mailer } from '../ports/mail.ts'
import { retryDelayMs } from '../webhooks/deliver.ts'
import { isMailed, type MailStation, mailOf } from './mail-text.ts'

/** After an e-mail, what happens within this time comes together in the next one. */
export const MAIL_PAUSE_MS = 5 * 60_000

type MailData = Pick<DataStore, 'events' | 'mailMarks' | 'alarms'>

/** Notes how far the events have come when e-mail is set up: what was before is not told. */
export async function beginMail(data: MailData, nowMs: number): Promise<void> {
  if (await data.mailMarks.get('station')) return
  const eventId = (await data.events.find()).at(-1)?.id ?? 0
  await data.mailMarks.insert({ id: 'station', eventId, attempts: 0, nextAt: nowMs })
}

/** Has an e-mail sent when there is something to tell and the last one, or attempt, is long enough ago. */
export async function askForMail(
  { data, jobs }: { data: MailData; jobs: Pick<JobQueue, 'add'> },
  nowMs: number,
): Promise<void> {
  if (await dueMail(data, nowMs)) await jobs.add('send-mail', {}, { id: 'send-mail' })
}

/**
 * Sends one e-mail about all alarms and paid tracks without a place that were not told yet. One that fails is tried again for a
 * day. Killed between sending and storing, it sends the same again, under the same `Message-ID` if nothing was added.
 */
export async function sendMail(deps: {
  data: MailData
  mailer: Mailer
  clock: WallClock
  log: Log
  station: MailStation
}): Promise<void> {
  const { data, mailer, clock, log, station } = deps
  const nowMs = dateNow(clock)
  const due = await dueMail(data, nowMs)
  if (!due) return
  const { mark, events } = due
  const told = { eventId: events.at(-1)!.id, attempts: 0, nextAt: nowMs + MAIL_PAUSE_MS }
  const settle = (change: Partial<MailMarkRecord>) => data.mailMarks.update({ id: 'station' }, change)
  try {
    await mailer.send(mailOf(events, station))
  } catch (error) {
    const attempts = mark.attempts + 1
    const delayMs = retryDelayMs(attempts, Math.random())
    log.warn({ err: error, attempts, events: events.length }, 'e-mail not sent')
    await settle(delayMs === null ? told : { attempts, nextAt: nowMs + delayMs })
    return
  }
  await settle(told)
  log.info({ events: events.length }, 'e-mail sent')
}

async function dueMail(data: MailData, nowMs: number) {
  const mark = await data.mailMarks.get('station')
  if (!mark || mark.nextAt > nowMs) return null
  const isUntold = ({ id, type }: Readonly<EventRecord>) => id > mark.eventId && isMailed(type)
  const untold = (await data.events.find()).filter(isUntold)
  if (untold.length === 0) return null
  const alarms = await data.alarms.find()
  const events = untold.filter((event) => !wasMailed(event, alarms))
  return events.length === 0 ? null : { mark, events }
}

/** True for an alarm that was told while the store was away (`createSpooledMail`). */
function wasMailed({ type, data }: Readonly<EventRecord>, alarms: readonly Readonly<AlarmRecord>[]): boolean {
  const { alarmId } = data as { alarmId?: number }
  const mailed = alarms.find(({ id }) => id === alarmId)?.mailed
  return mailed?.some((one) => one === type) ?? false
}
