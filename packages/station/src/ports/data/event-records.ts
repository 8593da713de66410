import type { Mode, Webhook, WebhookEventType, WebhookMessage } from '@solstice/contracts'

/** Something that happened at the station. `eventId` is made of what happened, so that it is recorded once however often it is found. */
export interface EventRecord {
  id: number
  eventId: string
  type: WebhookEventType
  /** epoch ms */
  atMs: number
  data: object
}

/** An address that is told of events. */
export type WebhookRecord = Webhook & {
  /** `whsec_` and base64, as its owner was shown it. */
  secret: string
  /** epoch ms; it is told of what happened since. */
  since: number
}

/** A message to a webhook. `key` is made of both their ids, so that an event that is found again is the same message. */
export type WebhookMessageRecord = WebhookMessage & { key: string; webhookId: string }

/** How far the station's records were read for events, and what the air was like. */
export interface WebhookMarkRecord {
  id: 'station'
  /** epoch ms when it was first stored. */
  madeMs: number
  historyId: number
  auditId: number
  ledgerId: number
  /** Absent in marks that earlier versions stored. */
  alarms?: { lastId: number; openIds: number[] }
  /** null = no worker has ever been on air. */
  mode: Mode | null
  /** Station time since which somebody has been live; null = nobody is. */
  liveSinceMs: number | null
  /** Station time of the last turn of the air that was looked at; absent = there was none. */
  turnMs?: number
  /** Of the worker that has the air. */
  fencingToken: number
  /** Number of times that it was stored. */
  revision: number
}

/** How far events were told by e-mail; without a mail server there is none. */
export interface MailMarkRecord {
  id: 'station'
  /** Number of the last event that was told or passed over. */
  eventId: number
  /** Failed attempts to send the next e-mail. */
  attempts: number
  /** epoch ms before which none is sent. */
  nextAt: number
}
