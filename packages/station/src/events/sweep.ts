import { dateNow } from '../core/wall-clock.ts'
import type { DataStore, WebhookMarkRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import { addMessages, deliverNow, hasDue, trimMessages } from '../webhooks/messages.ts'
import { eventsSince, type FindDeps } from './found.ts'
import { askForMail, beginMail } from './mail.ts'
import { recordEvents } from './record.ts'

interface SweepDeps extends FindDeps {
  data: FindDeps['data'] &
    Pick<DataStore, 'events' | 'webhooks' | 'webhookMessages' | 'webhookMarks' | 'mailMarks'>
  jobs: Pick<JobQueue, 'add'>
  /** Whether somebody is told by e-mail. */
  sendsMail: boolean
}

/**
 * Records as events what the station's records and the saved state say has happened since the last time, makes messages of
 * them, and has those that are due delivered. The records themselves are the outbox: what is recorded is told, and only that.
 * Run again after a crash, it makes no event and no message twice.
 *
 * @returns the numbers of new events and of new messages to webhooks.
 */
export async function sweepEvents(deps: SweepDeps): Promise<{ events: number; messages: number }> {
  const { data, jobs, clock } = deps
  const nowMs = dateNow(clock)
  const before = await data.webhookMarks.get('station')
  const { mark, events } = await eventsSince(deps, before, nowMs)
  if (deps.sendsMail) await beginMail(data, nowMs)
  else if (await data.mailMarks.get('station')) await data.mailMarks.delete({ id: 'station' })
  const recorded = await recordEvents(data, events)
  const webhooks = (await data.webhooks.find()).filter(({ isOn }) => isOn)
  const messages = await addMessages(data, webhooks, events, nowMs)
  if (!before || isOther(before, mark)) await data.webhookMarks.put(mark)
  if (deps.sendsMail) await askForMail(deps, nowMs)
  for (const { id } of webhooks) {
    await trimMessages(data, id, nowMs)
    if (await hasDue(data, id, nowMs)) await deliverNow(jobs, id)
  }
  return { events: recorded, messages }
}

const isOther = ({ revision: _, ...one }: WebhookMarkRecord, { revision: __, ...other }: WebhookMarkRecord) =>
  JSON.stringify(one) !== JSON.stringify(other)
