import type { AlarmCause } from '@solstice/contracts'

/** A fault that has not begun, or has; `changingSinceMs`: since when the opposite has been seen without a break. */
export interface Persistence {
  state: 'well' | 'faulty'
  changingSinceMs: number | null
}

export const WELL: Persistence = { state: 'well', changingSinceMs: null }

/** Moments of a fault are no alarm, and moments without it do not end one. */
export interface Patience {
  beginMs: number
  endMs: number
}

const PATIENCE: Patience = { beginMs: 0, endMs: 5_000 }
/** Two messages that belong together may come one after the other, and a worker that takes over makes up for lost time. */
const SETTLING: Patience = { ...PATIENCE, beginMs: 1_500 }
const settling: ReadonlySet<AlarmCause> = new Set(['drift', 'old_sound'])

export const patienceOf = (cause: AlarmCause): Patience => (settling.has(cause) ? SETTLING : PATIENCE)

/** Follows a fault through one look at it. */
export function persist(
  before: Persistence,
  isSeen: boolean,
  { beginMs, endMs }: Patience,
  nowMs: number,
): Persistence {
  const isFaulty = before.state === 'faulty'
  if (isSeen === isFaulty) return { state: before.state, changingSinceMs: null }
  const sinceMs = before.changingSinceMs ?? nowMs
  if (nowMs - sinceMs < (isFaulty ? endMs : beginMs)) return { state: before.state, changingSinceMs: sinceMs }
  return { state: isFaulty ? 'well' : 'faulty', changingSinceMs: null }
}
