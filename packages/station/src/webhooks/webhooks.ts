import { randomBytes } from 'node:crypto'
import type { Webhook } from '@solstice/contracts'
import { type Audit, changedFields } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Actor } from '../ports/accounts.ts'
import type { WallClock } from '../ports/bus.ts'
import type { DataStore, WebhookRecord } from '../ports/data/data-store.ts'
import type { WebhookSender } from '../ports/webhooks.ts'
import { dropPending } from './deliver.ts'

const MAX_WEBHOOKS = 10

export interface WebhookDeps {
  data: Pick<DataStore, 'webhooks' | 'webhookMessages'>
  webhookSender: Pick<WebhookSender, 'accepts'>
  audit: Audit
  clock: WallClock
}

type Choice = Pick<Webhook, 'url' | 'types' | 'description' | 'isOn'>

export async function listWebhooks(data: Pick<DataStore, 'webhooks'>): Promise<Webhook[]> {
  return (await data.webhooks.find()).map(shown)
}

/** Adds an address and makes its secret, which is returned this once. @throws Failure BAD_REQUEST */
export async function createWebhook(
  deps: WebhookDeps,
  by: Actor,
  { url, types, description = '' }: Pick<Choice, 'url' | 'types'> & { description?: string },
): Promise<{ webhook: Webhook; secret: string }> {
  const { data, audit, clock } = deps
  await assertAccepted(deps, url)
  if ((await data.webhooks.find()).length >= MAX_WEBHOOKS)
    throw new Failure('BAD_REQUEST', { field: 'webhooks', reason: 'too_many', max: MAX_WEBHOOKS })
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const nowMs = dateNow(clock)
  const record: WebhookRecord = {
    id: randomBytes(12).toString('base64url'),
    ...{ url, types, description: description.trim(), isOn: true },
    ...{ createdAt: nowMs, since: nowMs, failingSince: null, switchedOff: null, secret },
  }
  await data.webhooks.put(record)
  await audit.record(by, 'webhook_create', { host: hostOf(url) })
  return { webhook: shown(record), secret }
}

/** Changes the fields that are named. @throws Failure NOT_FOUND, BAD_REQUEST */
export async function editWebhook(
  deps: WebhookDeps,
  by: Actor,
  id: string,
  sent: Partial<Choice>,
): Promise<Webhook> {
  const { data, audit, clock } = deps
  const before = await data.webhooks.get(id)
  if (!before) throw new Failure('NOT_FOUND')
  if (sent.url !== undefined && sent.url !== before.url) await assertAccepted(deps, sent.url)
  const isSwitchedOn = sent.isOn === true && !before.isOn
  const change: Partial<WebhookRecord> = {
    ...sent,
    ...(isSwitchedOn && { since: dateNow(clock), failingSince: null, switchedOff: null }),
  }
  if ((await data.webhooks.update({ id }, change)) === 0) throw new Failure('NOT_FOUND')
  if (sent.isOn === false) await dropPending(data, id)
  const after = { ...before, ...change }
  const changes = changedFields(before, after, ['types', 'description', 'isOn'])
  await audit.record(by, 'webhook_edit', { host: hostOf(after.url) }, { changes })
  return shown(after)
}

/** Removes an address with its messages. @throws Failure NOT_FOUND */
export async function deleteWebhook(
  { data, audit }: Pick<WebhookDeps, 'data' | 'audit'>,
  by: Actor,
  id: string,
): Promise<void> {
  const webhook = await data.webhooks.get(id)
  if (!webhook || (await data.webhooks.delete({ id })) === 0) throw new Failure('NOT_FOUND')
  await data.webhookMessages.delete({ webhookId: id })
  await audit.record(by, 'webhook_delete', { host: hostOf(webhook.url) })
}

async function assertAccepted({ webhookSender }: WebhookDeps, url: string): Promise<void> {
  if (!(await webhookSender.accepts(url)))
    throw new Failure('BAD_REQUEST', { field: 'url', reason: 'not_public' })
}

/** Paths may hold tokens of other services. */
const hostOf = (url: string) => new URL(url).host

/** The record without its secret. */
function shown({ secret: _, since: __, ...webhook }: Readonly<WebhookRecord>): Webhook {
  return webhook
}
