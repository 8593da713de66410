import { Type } from 'typebox'
import { Offset } from '../resources/schema.ts'
import { bytes, defineRoute } from '../route.ts'
import { Webhook, WebhookChoice, WebhookMessage } from './webhook.ts'

const ById = { id: Type.String({ minLength: 1, maxLength: 100 }) }
const Ok = Type.Object({ ok: Type.Literal(true) })
const Sent = Type.Object({ ok: Type.Literal(true), message: WebhookMessage })
const WEBHOOK = {
  id: 'q3Vt0cJ1yNf8sXw2',
  url: 'https://example.org/hooks/radio',
  types: ['track.started', 'donation.paid'],
  description: 'Chat bot',
  isOn: true,
  createdAt: 1_790_000_000_000,
  failingSince: null,
  switchedOff: null,
}
const MESSAGE = {
  id: 'msg_q3Vt0cJ1yNf8sXw2LkA7Rg',
  type: 'track.started',
  state: 'delivered',
  attempts: 1,
  createdAt: 1_790_000_000_000,
  attemptedAt: 1_790_000_000_100,
  nextAt: null,
  status: 204,
  error: null,
  body: '{"type":"track.started","timestamp":"2026-09-21T14:13:20.000Z","data":{}}',
}

export const listWebhooks = defineRoute({
  method: 'GET',
  path: '/api/admin/webhooks',
  summary: 'Returns the addresses that are told of events, without their secrets',
  access: 'super',
  capability: 'editSettings',
  reply: Type.Object({ ok: Type.Literal(true), webhooks: Type.Array(Webhook) }),
  failures: [],
  example: { reply: { ok: true, webhooks: [WEBHOOK] } },
})

export const createWebhook = defineRoute({
  method: 'POST',
  path: '/api/admin/webhooks',
  summary: 'Adds an address, of 10 at most; its secret is in this answer only',
  access: 'super',
  capability: 'editSettings',
  body: Type.Object({
    url: WebhookChoice.url,
    types: WebhookChoice.types,
    description: Type.Optional(WebhookChoice.description),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    webhook: Webhook,
    secret: Type.String({ description: '`whsec_` and 32 bytes in base64' }),
  }),
  failures: ['BAD_REQUEST'],
  example: {
    body: { url: WEBHOOK.url, types: WEBHOOK.types, description: WEBHOOK.description },
    reply: { ok: true, webhook: WEBHOOK, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
  },
})

export const editWebhook = defineRoute({
  method: 'PUT',
  path: '/api/admin/webhooks/:id',
  summary:
    'Changes the fields that are sent; an address that is switched on again is told of what happens from then on',
  access: 'super',
  capability: 'editSettings',
  params: Type.Object(ById),
  body: Type.Partial(Type.Object(WebhookChoice)),
  reply: Type.Object({ ok: Type.Literal(true), webhook: Webhook }),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
  example: { body: { isOn: false }, reply: { ok: true, webhook: { ...WEBHOOK, isOn: false } } },
})

export const deleteWebhook = defineRoute({
  method: 'DELETE',
  path: '/api/admin/webhooks/:id',
  summary: 'Removes an address with its messages',
  access: 'super',
  capability: 'editSettings',
  params: Type.Object(ById),
  reply: Ok,
  failures: ['NOT_FOUND'],
  example: { reply: { ok: true } },
})

export const testWebhook = defineRoute({
  method: 'POST',
  path: '/api/admin/webhooks/:id/test',
  summary: 'Sends a message of the type `webhook.test`; the list of messages says how it went',
  access: 'super',
  capability: 'editSettings',
  params: Type.Object(ById),
  reply: Sent,
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: { reply: { ok: true, message: { ...MESSAGE, type: 'webhook.test' } } },
})

export const listWebhookMessages = defineRoute({
  method: 'GET',
  path: '/api/admin/webhooks/:id/messages',
  summary: 'Returns the messages to an address, newest first: the last 1000, of 7 days at most',
  access: 'super',
  capability: 'editSettings',
  params: Type.Object(ById),
  query: Type.Object({
    offset: Offset,
    limit: Type.Integer({ minimum: 1, default: 20, description: 'at most 100' }),
  }),
  reply: Type.Object({
    ok: Type.Literal(true),
    messages: Type.Array(WebhookMessage),
    total: Type.Integer(),
  }),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
  example: { query: { limit: 20 }, reply: { ok: true, messages: [MESSAGE], total: 1 } },
})

export const replayWebhookMessage = defineRoute({
  method: 'POST',
  path: '/api/admin/webhooks/:id/messages/:messageId/replay',
  summary: 'Sends a message again, under the same id',
  access: 'super',
  capability: 'editSettings',
  params: Type.Object({ ...ById, messageId: Type.String({ minLength: 1, maxLength: 100 }) }),
  reply: Sent,
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'JOBS_UNAVAILABLE'],
  example: { reply: { ok: true, message: MESSAGE } },
})

export const followEvents = defineRoute({
  method: 'GET',
  path: '/api/admin/events',
  summary:
    'Sends what happens from now on, as server-sent events; `id` and `data` are the `webhook-id` and the body of the message to webhooks. Donations need `donations_manage`, alarms `stats`',
  access: 'admin',
  capability: 'editSettings',
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'sends what came after this event first, of the last 1000 events; all of them when it is not among them',
      }),
    ),
  }),
  reply: bytes('text/event-stream', 'Events without a name; `data` is JSON. A comment every 15 s otherwise'),
  failures: ['BAD_REQUEST', 'RATE_LIMITED'],
})
