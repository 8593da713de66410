import type { Mode } from '@solstice/contracts'
import type { Suggestions } from '../../data/station-log.ts'

/** A matter that an operator has to act on. */
export type Alert =
  | { is: 'silent'; seconds: number }
  /** Some of what the panel asked for could not be read. */
  | { is: 'unread' }
  | { is: 'alarms' | 'unqueued' | 'expiring' | 'webhooks' | 'failedJobs'; count: number }
  /** No programme of a mode can be made: it has no tracks, or its way of making playlists doesn't suit them. */
  | { is: 'empty' | 'algorithm'; mode: Mode }

/** Facts of the station; none that this account may not see. */
export interface Facts {
  /** How long nothing was heard of the air. */
  silentMs: number
  isUnread: boolean
  openAlarms: number
  /** Orders that are paid, and whose tracks have no place in the queue. */
  unqueued: number
  suggestions: Suggestions
  /** How long a listener waits for an answer; 0 = until there is one. */
  answerMs: number
  nowMs: number
  /** Of each mode on air: the length of its library in seconds, and whether its playlists can be made as they should. */
  programme: readonly { mode: Mode; total: number; canMake: boolean }[]
  /** Addresses that don't answer, or were switched off by the station. */
  failingWebhooks: number
  failedJobs: number
}

/** The station announces the air every 2 s; after this long something is wrong. */
const SILENT_MS = 10_000
/** Requests are about to expire in their last minute, or the last third of a short wait. */
const LATE_MS = 60_000
const LATE_PART = 1 / 3

/** Matters that need a look now, the most urgent first; none when all is well. */
export function findAlerts(facts: Facts): Alert[] {
  const { silentMs, programme } = facts
  const counted = (is: Extract<Alert, { count: number }>['is'], count: number): Alert[] =>
    count > 0 ? [{ is, count }] : []
  return [
    ...(silentMs > SILENT_MS ? [{ is: 'silent', seconds: Math.round(silentMs / 1000) } as const] : []),
    ...(facts.isUnread ? [{ is: 'unread' } as const] : []),
    ...counted('alarms', facts.openAlarms),
    ...counted('expiring', expiring(facts)),
    ...counted('unqueued', facts.unqueued),
    ...programme.flatMap(({ mode, total, canMake }): Alert[] =>
      total === 0 ? [{ is: 'empty', mode }] : canMake ? [] : [{ is: 'algorithm', mode }],
    ),
    ...counted('webhooks', facts.failingWebhooks),
    ...counted('failedJobs', facts.failedJobs),
  ]
}

function expiring({ suggestions, answerMs, nowMs }: Facts): number {
  if (answerMs === 0) return 0
  const lateMs = Math.min(LATE_MS, answerMs * LATE_PART)
  return suggestions.filter(({ addedAt }) => addedAt + answerMs - nowMs <= lateMs).length
}
