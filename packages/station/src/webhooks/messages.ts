import { randomBytes } from 'node:crypto'
import { WEBHOOK_TEST, type WebhookMessage } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, WebhookMessageRecord, WebhookRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import { eventBody, type StationEvent } from './event.ts'

const MAX_MESSAGES = 1_000
const MAX_AGE_MS = 7 * 86_400_000

type MessageData = Pick<DataStore, 'webhookMessages'>
type Message = Readonly<WebhookMessageRecord>

interface Deps {
  data: Pick<DataStore, 'webhooks' | 'webhookMessages'>
  jobs: Pick<JobQueue, 'add'>
  clock: WallClock
}

/** Stores messages of events to the webhooks that chose them; those that are stored already are left. @returns how many are new. */
export async function addMessages(
  data: MessageData,
  webhooks: readonly Readonly<WebhookRecord>[],
  events: readonly StationEvent[],
  nowMs: number,
): Promise<number> {
  const chosen = webhooks.flatMap(({ id, types, since }) =>
    events.filter(({ type, atMs }) => types.includes(type) && atMs >= since).map((event) => ({ id, event })),
  )
  if (chosen.length === 0) return 0
  const known = new Set((await data.webhookMessages.find()).map(({ key }) => key))
  let added = 0
  for (const { id, event } of chosen)
    if (!known.has(keyOf(id, event.id)) && (await addMessage(data, id, event, nowMs))) added++
  return added
}

/** Stores a message to a webhook. @returns false when it is stored already. */
async function addMessage(
  data: MessageData,
  webhookId: string,
  event: { id: string; type: string; atMs: number; data: object },
  nowMs: number,
): Promise<boolean> {
  const message: WebhookMessageRecord = {
    key: keyOf(webhookId, event.id),
    webhookId,
    id: event.id,
    type: event.type,
    state: 'pending',
    attempts: 0,
    createdAt: nowMs,
    attemptedAt: null,
    nextAt: nowMs,
    status: null,
    error: null,
    body: eventBody(event),
  }
  return (await data.webhookMessages.insert(message)) !== null
}

/** The due messages of a webhook, in the order of their events. */
export async function dueMessages(data: MessageData, webhookId: string, nowMs: number): Promise<Message[]> {
  const pending = await data.webhookMessages.find({ webhookId, state: 'pending' })
  return pending.filter(({ nextAt }) => nextAt !== null && nextAt <= nowMs)
}

export async function hasDue(data: MessageData, webhookId: string, nowMs: number): Promise<boolean> {
  return (await dueMessages(data, webhookId, nowMs)).length > 0
}

/** Has the due messages of a webhook delivered: by one job at a time, so that they arrive in order. */
export async function deliverNow(jobs: Pick<JobQueue, 'add'>, webhookId: string): Promise<void> {
  const id = `deliver-webhooks ${webhookId}`
  await jobs.add('deliver-webhooks', { webhookId }, { id, requeueIfActive: true })
}

/** Removes what is too old or too much. */
export async function trimMessages(data: MessageData, webhookId: string, nowMs: number): Promise<void> {
  const all = await data.webhookMessages.find({ webhookId })
  const isOld = ({ createdAt }: Message) => createdAt < nowMs - MAX_AGE_MS
  const excess = [...all.filter(isOld), ...all.slice(0, Math.max(0, all.length - MAX_MESSAGES))]
  if (excess.length === 0) return
  const keys = new Set(excess.map(({ key }) => key))
  await data.webhookMessages.delete(({ key }) => keys.has(key))
}

/** A page of the messages to a webhook, newest first. @throws Failure NOT_FOUND */
export async function listMessages(
  { data }: Pick<Deps, 'data'>,
  id: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ messages: WebhookMessage[]; total: number }> {
  const webhook = await data.webhooks.get(id)
  if (!webhook) throw new Failure('NOT_FOUND')
  const all = await data.webhookMessages.find({ webhookId: id })
  const newestFirst = [...all].reverse().slice(offset, offset + limit)
  return { messages: newestFirst.map(shown), total: all.length }
}

/** Sends a message that says nothing. @throws Failure NOT_FOUND; BAD_REQUEST `webhook_off`; JOBS_UNAVAILABLE */
export async function testWebhook({ data, jobs, clock }: Deps, id: string): Promise<WebhookMessage> {
  await assertOn(data, id)
  const nowMs = dateNow(clock)
  const event = {
    id: `msg_${randomBytes(16).toString('base64url')}`,
    type: WEBHOOK_TEST,
    atMs: nowMs,
    data: {},
  }
  await addMessage(data, id, event, nowMs)
  await deliverNow(jobs, id)
  return shown((await data.webhookMessages.get(keyOf(id, event.id)))!)
}

/**
 * Sends a message again, under the same id, with all its attempts.
 *
 * @throws Failure NOT_FOUND; BAD_REQUEST `webhook_off`; JOBS_UNAVAILABLE
 */
export async function replayMessage(
  { data, jobs, clock }: Deps,
  { id, messageId }: { id: string; messageId: string },
): Promise<WebhookMessage> {
  await assertOn(data, id)
  const key = keyOf(id, messageId)
  const again = { state: 'pending', attempts: 0, nextAt: dateNow(clock) } as const
  if ((await data.webhookMessages.update({ key }, again)) === 0) throw new Failure('NOT_FOUND')
  await deliverNow(jobs, id)
  return shown((await data.webhookMessages.get(key))!)
}

async function assertOn(data: Pick<DataStore, 'webhooks'>, id: string): Promise<Readonly<WebhookRecord>> {
  const webhook = await data.webhooks.get(id)
  if (!webhook) throw new Failure('NOT_FOUND')
  if (!webhook.isOn) throw new Failure('BAD_REQUEST', { field: 'isOn', reason: 'webhook_off' })
  return webhook
}

const keyOf = (webhookId: string, messageId: string) => `${webhookId} ${messageId}`

function shown({ key: _, webhookId: __, ...message }: Message): WebhookMessage {
  return message
}
