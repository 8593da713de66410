import type { Audit } from '../accounts/audit.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, WebhookMessageRecord, WebhookRecord } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import type { WebhookAnswer, WebhookSender } from '../ports/webhooks.ts'
import { dueMessages } from './messages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** From each failed attempt to the next one: a day in all. */
const DELAYS_MS = [
  ...[5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[1, 2, 4, 7, 9].map((hours) => hours * HOUR_MS),
]
/** Keeps addresses that failed together from being tried together. */
const JITTER = 0.1
const MAX_FAILING_MS = 3 * 24 * HOUR_MS
const GONE = 410
/** A job is taken up again by the next sweep. */
const MAX_PER_JOB = 50

/**
 * The time from a failed attempt to the next one, ms; null after the last one.
 *
 * @param failed number of failed attempts.
 * @param chance 0 to 1.
 */
export function retryDelayMs(failed: number, chance: number): number | null {
  const delayMs = DELAYS_MS[failed - 1]
  return delayMs === undefined ? null : Math.round(delayMs * (1 - JITTER + 2 * JITTER * chance))
}

interface Deps {
  data: Pick<DataStore, 'webhooks' | 'webhookMessages'>
  webhookSender: Pick<WebhookSender, 'send'>
  audit: Audit
  clock: WallClock
  log: Log
}

/**
 * Delivers the due messages of a webhook, one after another, until one fails. Killed between sending and storing, it sends
 * that message again, under the same id.
 */
export async function deliverWebhooks(deps: Deps, webhookId: string, stopping: AbortSignal): Promise<void> {
  const { data, webhookSender, clock } = deps
  for (let sent = 0; sent < MAX_PER_JOB; sent++) {
    stopping.throwIfAborted()
    const webhook = await data.webhooks.get(webhookId)
    if (!webhook?.isOn) return
    const [message] = await dueMessages(data, webhookId, dateNow(clock))
    if (!message) return
    const { id, body } = message
    const answer = await webhookSender.send(webhook.url, { id, body, secret: webhook.secret })
    const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300
    if (!isTaken) return await settleFailure(deps, webhook, message, answer)
    await settleSuccess(deps, webhook, message, answer)
  }
}

async function settleSuccess(
  { data, clock }: Deps,
  webhook: Readonly<WebhookRecord>,
  message: Readonly<WebhookMessageRecord>,
  { status }: WebhookAnswer,
): Promise<void> {
  await data.webhookMessages.update(
    { key: message.key },
    {
      ...{ state: 'delivered', attempts: message.attempts + 1, attemptedAt: dateNow(clock) },
      ...{ nextAt: null, status, error: null },
    },
  )
  if (webhook.failingSince !== null) await data.webhooks.update({ id: webhook.id }, { failingSince: null })
}

async function settleFailure(
  deps: Deps,
  webhook: Readonly<WebhookRecord>,
  message: Readonly<WebhookMessageRecord>,
  { status, error }: WebhookAnswer,
): Promise<void> {
  const { data, clock, log } = deps
  const nowMs = dateNow(clock)
  const attempts = message.attempts + 1
  const delayMs = retryDelayMs(attempts, Math.random())
  const state = delayMs === null ? 'failed' : 'pending'
  const nextAt = delayMs === null ? null : nowMs + delayMs
  await data.webhookMessages.update(
    { key: message.key },
    { state, attempts, attemptedAt: nowMs, nextAt, status, error },
  )
  const { host } = new URL(webhook.url)
  log.warn({ host, type: message.type, attempts, status, error }, 'webhook message failed')
  const failingSince = webhook.failingSince ?? nowMs
  if (status === GONE) return switchOff(deps, webhook, 'gone')
  if (nowMs - failingSince > MAX_FAILING_MS) return switchOff(deps, webhook, 'failing')
  if (webhook.failingSince === null) await data.webhooks.update({ id: webhook.id }, { failingSince })
}

async function switchOff(
  { data, audit, log }: Deps,
  { id, url }: Readonly<WebhookRecord>,
  why: 'gone' | 'failing',
): Promise<void> {
  const { host } = new URL(url)
  // Audited first: a process killed in between does it again.
  await audit.record({ adminId: 'webhooks', login: 'webhooks' }, 'webhook_switched_off', { host, why })
  await data.webhooks.update({ id }, { isOn: false, switchedOff: why })
  await dropPending(data, id)
  log.warn({ host, why }, 'webhook switched off')
}

/** Gives up the messages that wait: a webhook that is switched on again is told of what happens from then on. */
export async function dropPending(
  data: Pick<DataStore, 'webhookMessages'>,
  webhookId: string,
): Promise<void> {
  await data.webhookMessages.update({ webhookId, state: 'pending' }, { state: 'failed', nextAt: null })
}
