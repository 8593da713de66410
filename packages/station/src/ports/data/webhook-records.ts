import type { Mode, Webhook, WebhookMessage } from '@solstice/contracts'

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
  /** epoch ms when it was first stored; without a webhook that is on, there is none. */
  madeMs: number
  historyId: number
  auditId: number
  ledgerId: number
  /** null = no worker has ever been on air. */
  mode: Mode | null
  /** Station time since which somebody has been live; null = nobody is. */
  liveSinceMs: number | null
  /** Of the worker that has the air. */
  fencingToken: number
  /** Number of times that it was stored. */
  revision: number
}
