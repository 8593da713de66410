import type { CommandOf } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { Live } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { accepted, type Decision, refused } from '../model/steps.ts'
import { approve, newest, turnedDown } from './guests.ts'
import { isOf } from './sessions.ts'
import { hasSlot } from './slots.ts'

const HOUR_MS = 3_600_000
const MIN_CODE_LIFE_MS = HOUR_MS
const MAX_CODE_LIFE_MS = 168 * HOUR_MS
/** Limits guesses of the access code (rule H10). */
const MAX_CODE_FAILURES = 3
const CODE_FAILURES_MS = HOUR_MS

/** Checks an access code, and approves a special guest (rule H10). */
export function enterByCode(
  state: PlayoutState,
  { speaker, nickname, code }: CommandOf<'enter-by-code'>,
  nowMs: number,
): Decision<'enter-by-code'> {
  const { live } = state
  const failures = recentFailures(live, nowMs)
  const atMs = failures.find(({ uid }) => uid === speaker.uid)?.atMs ?? []
  if (atMs.length >= MAX_CODE_FAILURES) {
    const secs = secsLeft(atMs[0]!, CODE_FAILURES_MS, nowMs)
    return refused(state, 'GUEST_CODE_REFUSED', { reason: 'too_many_attempts', secsLeft: secs })
  }
  if (!live.code) return refused(state, 'GUEST_CODE_REFUSED', { reason: 'no_code' })
  if (!isSame(code, live.code.code)) {
    const others = failures.filter(({ uid }) => uid !== speaker.uid)
    const codeFailures = newest([...others, { uid: speaker.uid, atMs: [...atMs, nowMs] }])
    const noted = { ...state, live: { ...live, codeFailures } }
    return refused(noted, 'GUEST_CODE_REFUSED', { reason: 'wrong_code' })
  }
  const present = live.participants.find(isOf(speaker))
  if (present?.role === 'specialGuest') return accepted(state)
  if (present) return refused(state, 'ALREADY_LIVE')
  if (!hasSlot(state, 'specialGuest', speaker.socketId))
    return refused(state, 'GUEST_CODE_REFUSED', { reason: 'room_full' })
  return accepted(approve(state, speaker, nickname, 'specialGuest', nowMs))
}

/** Sets or ends the access code (rule H10). */
export function setCode(
  state: PlayoutState,
  { code, lifeMs, isReplacing }: CommandOf<'set-code'>,
  nowMs: number,
): Decision<'set-code'> {
  const { live } = state
  if (code === null) return accepted(withoutCode(state), { expiresAtMs: null })
  if (live.code && !isReplacing) return refused(state, 'GUEST_CODE_REFUSED', { reason: 'exists' })
  const expiresAtMs = nowMs + Math.min(MAX_CODE_LIFE_MS, Math.max(MIN_CODE_LIFE_MS, lifeMs))
  return accepted(
    { ...state, live: { ...live, requests: [], code: { code, expiresAtMs } } },
    { expiresAtMs },
    live.requests.map((request) => turnedDown(request, 'special_guest_active')),
  )
}

/** Ends an access code, unless it has been replaced since (rule H10). */
export function forgetCode(state: PlayoutState, { code }: CommandOf<'forget-code'>): Decision<'forget-code'> {
  return accepted(state.live.code?.code === code ? withoutCode(state) : state)
}

/** The state without an access code. */
export function withoutCode(state: PlayoutState): PlayoutState {
  return { ...state, live: { ...state.live, code: null } }
}

function recentFailures({ codeFailures }: Live, nowMs: number): Live['codeFailures'] {
  return codeFailures
    .map(({ uid, atMs }) => ({ uid, atMs: atMs.filter((ms) => ms + CODE_FAILURES_MS > nowMs) }))
    .filter(({ atMs }) => atMs.length > 0)
}

/** Compares in constant time, so that the duration does not reveal how much of a code was right. */
function isSame(shown: string, code: string): boolean {
  let difference = shown.length ^ code.length
  for (let i = 0; i < code.length; i++) difference |= shown.charCodeAt(i) ^ code.charCodeAt(i)
  return difference === 0
}
