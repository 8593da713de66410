import { type Static, Type } from 'typebox'
import type { Privilege } from '../privileges.ts'
import { alarmCauses } from '../resources/alarm.ts'
import { EpochMs, nullable } from '../resources/schema.ts'

const Mode = Type.Union([Type.Literal('day'), Type.Literal('night')])
const Song = { title: Type.String(), artist: Type.String() }
const Donation = Type.Object({
  donationId: Type.String(),
  ...Song,
  amount: Type.Number({ description: 'in units of the currency' }),
  currency: Type.String(),
  tier: nullable(Type.Integer()),
})
const AlarmFields = {
  alarmId: Type.Integer(),
  cause: Type.Enum([...alarmCauses]),
  source: Type.String({ description: 'the host that was listened to, or `station`' }),
  evidence: Type.String({ description: 'measurements at its beginning, in English' }),
  beganAt: EpochMs,
}

/** `data` of each event of the station. */
export const webhookEvents = {
  'track.started': Type.Object({
    trackId: Type.String(),
    ...Song,
    album: Type.String(),
    mode: Mode,
    startedAt: EpochMs,
  }),
  'mode.changed': Type.Object({ mode: Mode, before: Mode }),
  'live.began': Type.Object({ since: EpochMs }),
  'live.ended': Type.Object({ since: EpochMs }),
  'request.accepted': Type.Object(Song),
  'donation.paid': Donation,
  'donation.aired': Donation,
  'donation.unqueued': Donation,
  'upload.committed': Type.Object({ ...Song, mode: Mode }),
  'station.started': Type.Object({ mode: Mode }),
  'alarm.began': Type.Object(AlarmFields),
  'alarm.ended': Type.Object({ ...AlarmFields, endedAt: EpochMs }),
}
export type WebhookEventType = keyof typeof webhookEvents
export type WebhookEventData<E extends WebhookEventType> = Static<(typeof webhookEvents)[E]>
export const webhookEventTypes = Object.keys(webhookEvents) as WebhookEventType[]

/** The privilege without which an admin is not told of an event; all others are told to every admin. */
export const privilegeOfEvent: { readonly [E in WebhookEventType]?: Privilege } = {
  'donation.paid': 'donations_manage',
  'donation.aired': 'donations_manage',
  'donation.unqueued': 'donations_manage',
  'alarm.began': 'stats',
  'alarm.ended': 'stats',
}

/** The type of the message that the test route sends; its `data` is empty. */
export const WEBHOOK_TEST = 'webhook.test'

const EventType = Type.Unsafe<WebhookEventType>(Type.String({ enum: webhookEventTypes }))

/** The fields of a webhook that an admin sets. */
export const WebhookChoice = {
  url: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'https at a public address, port 443; or a host in `WEBHOOK_LOCAL_HOSTS`',
  }),
  types: Type.Array(EventType, { minItems: 1, maxItems: webhookEventTypes.length, uniqueItems: true }),
  description: Type.String({ maxLength: 200 }),
  isOn: Type.Boolean(),
}

export const Webhook = Type.Object({
  id: Type.String(),
  ...WebhookChoice,
  createdAt: EpochMs,
  failingSince: Type.Union([EpochMs, Type.Null()], {
    description: 'the first failure since the last success',
  }),
  switchedOff: Type.Union([Type.Literal('gone'), Type.Literal('failing'), Type.Null()], {
    description: '`gone`: it answered 410; `failing`: for 3 days; null: not by the station',
  }),
})
export type Webhook = Static<typeof Webhook>

/** A message to a webhook, and how its delivery went. */
export const WebhookMessage = Type.Object({
  id: Type.String({ description: 'the header `webhook-id`, the same at each attempt' }),
  type: Type.String(),
  state: Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('failed')]),
  attempts: Type.Integer(),
  createdAt: EpochMs,
  attemptedAt: nullable(EpochMs),
  nextAt: Type.Union([EpochMs, Type.Null()], { description: 'the next attempt; null = none' }),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'HTTP status of the last answer' }),
  error: Type.Union([Type.String(), Type.Null()], { description: 'the reason why there was no answer' }),
  body: Type.String({ description: 'JSON: `type`, `timestamp` (ISO 8601) and `data`' }),
})
export type WebhookMessage = Static<typeof WebhookMessage>
