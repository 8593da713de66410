import type { FailureCode, FailureDetails } from '@solstice/contracts'
import type { Command, Effect, Outcome, Step } from '../model/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { Approval, Live, LiveEnd, Participant, Speaker } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { isHostOnline } from './roster.ts'
import { hasSlot } from './slots.ts'

/** Bounds the saved state (rule H7). */
const MAX_REQUESTS = 100
/** Bounds the saved cooldowns and wrong codes; the oldest are forgotten. */
const MAX_REMEMBERED = 1_000
/** Replicas read the last ends to tell clients why they went off the air. */
const MAX_ENDS = 20
/** Life of an approval (rule H9). */
const APPROVAL_MS = 120_000
const HOUR_MS = 3_600_000
const MIN_CODE_LIFE_MS = HOUR_MS
const MAX_CODE_LIFE_MS = 168 * HOUR_MS
/** Limits guesses of the access code (rule H10). */
const MAX_CODE_FAILURES = 3
const CODE_FAILURES_MS = HOUR_MS
const DEFAULT_GAIN = 5

type Answered<T extends Command['type']> = Step & { outcome: Outcome<T> }
type Of<T extends Command['type']> = Extract<Command, { type: T }>

/** Takes in a listener's request to come on the air (rule H7). */
export function requestGuest(
  state: PlayoutState,
  { speaker, nickname }: Of<'request-guest'>,
  nowMs: number,
): Answered<'request-guest'> {
  const details = requestRefusal(state, speaker, nowMs)
  if (details) return refused(state, 'GUEST_REQUEST_REFUSED', details)
  const { live, hosting } = state
  if (live.participants.some(isOf(speaker)) || live.approvals.some(isOf(speaker)))
    return refused(state, 'ALREADY_LIVE')
  const { guestRequestExpiryMs } = hosting
  const expiresAtMs = guestRequestExpiryMs > 0 ? nowMs + guestRequestExpiryMs : null
  const request = { ...speaker, nickname, addedAtMs: nowMs, expiresAtMs }
  const place = live.requests.findIndex(({ uid }) => uid === speaker.uid)
  const requests = place < 0 ? [...live.requests, request] : live.requests.with(place, request)
  return { state: { ...state, live: { ...live, requests } }, effects: [], outcome: { ok: true } }
}

/** Carries out a host's decision on a guest request (rules H8, H9). */
export function answerGuest(
  state: PlayoutState,
  { uid, action }: Of<'answer-guest'>,
  nowMs: number,
): Answered<'answer-guest'> {
  const request = state.live.requests.find((candidate) => candidate.uid === uid)
  if (!request) return refused(state, 'GUEST_REQUEST_NOT_FOUND')
  const requests = state.live.requests.filter((candidate) => candidate !== request)
  const decided = { ...state, live: { ...state.live, requests } }
  const { nickname } = request
  if (action === 'reject')
    return {
      state: letWait(decided, [uid], nowMs),
      effects: [turnedDown(request)],
      outcome: { ok: true, nickname },
    }
  if (!hasSlot(state, 'guest'))
    return {
      state: letWait(decided, [uid], nowMs),
      effects: [turnedDown(request, 'room_full')],
      outcome: { ok: false, code: 'SLOTS_TAKEN' },
    }
  return {
    state: approve(decided, request, nickname, 'guest', nowMs),
    effects: [{ type: 'guest-answered', socketId: request.socketId, result: { accepted: true, nickname } }],
    outcome: { ok: true, nickname },
  }
}

/** Puts an approved guest on the air (rule H9). Idempotent. */
export function connectGuest(
  state: PlayoutState,
  { socketId }: Of<'connect-guest'>,
  nowMs: number,
): Answered<'connect-guest'> {
  const { live, hosting } = state
  const present = live.participants.find(isOf({ socketId }))
  if (present) return { state, effects: [], outcome: sessionOf(present) }
  const approval = live.approvals.find(isOf({ socketId }))
  if (!approval) return refused(state, 'GUEST_NOT_APPROVED')
  if (!isHostOnline(state)) return refused(state, 'NO_HOSTS')
  if (!hasSlot(state, approval.role, socketId)) return refused(state, 'SLOTS_TAKEN')
  const { nickname, expiresAtMs, ...speaker } = approval
  const participant = {
    ...begin(speaker, nickname, nowMs),
    role: approval.role,
    adminId: null,
    endsAtMs: nowMs + (approval.role === 'guest' ? hosting.guestMs : hosting.specialGuestMs),
  }
  return {
    state: {
      ...state,
      live: {
        ...live,
        participants: [...live.participants, participant],
        approvals: live.approvals.filter((other) => other !== approval),
      },
    },
    effects: [{ type: 'live-started', participant }],
    outcome: sessionOf(participant),
  }
}

/** Checks an access code, and approves a special guest (rule H10). */
export function enterByCode(
  state: PlayoutState,
  { speaker, nickname, code }: Of<'enter-by-code'>,
  nowMs: number,
): Answered<'enter-by-code'> {
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
  if (present?.role === 'specialGuest') return { state, effects: [], outcome: { ok: true } }
  if (present) return refused(state, 'ALREADY_LIVE')
  if (!hasSlot(state, 'specialGuest', speaker.socketId))
    return refused(state, 'GUEST_CODE_REFUSED', { reason: 'room_full' })
  return {
    state: approve(state, speaker, nickname, 'specialGuest', nowMs),
    effects: [],
    outcome: { ok: true },
  }
}

/** Sets or ends the access code (rule H10). */
export function setCode(
  state: PlayoutState,
  { code, lifeMs, isReplacing }: Of<'set-code'>,
  nowMs: number,
): Answered<'set-code'> {
  const { live } = state
  if (code === null)
    return {
      state: { ...state, live: { ...live, code } },
      effects: [],
      outcome: { ok: true, expiresAtMs: null },
    }
  if (live.code && !isReplacing) return refused(state, 'GUEST_CODE_REFUSED', { reason: 'exists' })
  const expiresAtMs = nowMs + Math.min(MAX_CODE_LIFE_MS, Math.max(MIN_CODE_LIFE_MS, lifeMs))
  return {
    state: { ...state, live: { ...live, requests: [], code: { code, expiresAtMs } } },
    effects: live.requests.map((request) => turnedDown(request, 'special_guest_active')),
    outcome: { ok: true, expiresAtMs },
  }
}

/** Ends requests and approvals, without a cooldown. Their guests are told why (`told`), unless they left themselves (null). */
export function withdraw(
  state: PlayoutState,
  isOver: (wanted: Speaker & { role?: Approval['role'] }) => boolean,
  told: { reason?: 'no_admin' } | null,
): Step {
  const { requests, approvals } = state.live
  const over = [...requests, ...approvals].filter(isOver)
  if (over.length === 0) return { state, effects: [] }
  const left = {
    ...state.live,
    requests: requests.filter((request) => !isOver(request)),
    approvals: approvals.filter((approval) => !isOver(approval)),
  }
  return {
    state: { ...state, live: left },
    effects: told ? over.map((wanted) => turnedDown(wanted, told.reason)) : [],
  }
}

/** The moment at which a live session, request, approval or the code expires next; null = never. */
export function liveDueMs({ live }: PlayoutState): number | null {
  const { participants, requests, approvals, code } = live
  const moments = [
    ...participants.map(({ endsAtMs }) => endsAtMs),
    ...requests.map(({ expiresAtMs }) => expiresAtMs),
    ...approvals.map(({ expiresAtMs }) => expiresAtMs),
    code?.expiresAtMs ?? null,
  ].filter((atMs) => atMs !== null)
  return moments.length > 0 ? Math.min(...moments) : null
}

/** Rules H3, H8, H9, H10: ends the guests, requests, approvals and the code whose time is up. */
export function passLiveTime(state: PlayoutState, atMs: number): Step {
  const { participants, requests, approvals, code } = state.live
  const isUp = (untilMs: number | null) => untilMs !== null && untilMs <= atMs
  const [gone, present] = parted(participants, ({ endsAtMs }) => isUp(endsAtMs))
  const [unanswered, waiting] = parted(requests, ({ expiresAtMs }) => isUp(expiresAtMs))
  const [late, awaited] = parted(approvals, ({ expiresAtMs }) => isUp(expiresAtMs))
  const live: Live = {
    ...state.live,
    participants: present,
    requests: waiting,
    approvals: awaited,
    code: code && !isUp(code.expiresAtMs) ? code : null,
  }
  return noted({
    state: letWait(
      { ...state, live },
      unanswered.map(({ uid }) => uid),
      atMs,
    ),
    effects: [
      ...gone.map((participant) => ended(participant, 'timeout', atMs)),
      ...[...unanswered, ...late].map(
        ({ socketId }): Effect => ({
          type: 'guest-answered',
          socketId,
          result: { accepted: false, auto: true },
        }),
      ),
    ],
  })
}

/** Keeps the reasons of ended sessions in the state, from which the replicas tell their clients. */
export function noted<S extends Step>(step: S): S {
  const ends = step.effects.flatMap((effect) =>
    effect.type === 'live-ended' ? [{ socketId: effect.participant.socketId, reason: effect.reason }] : [],
  )
  if (ends.length === 0) return step
  const { live } = step.state
  const state = { ...step.state, live: { ...live, ends: [...live.ends, ...ends].slice(-MAX_ENDS) } }
  return { ...step, state }
}

/** A participant at the moment of coming on the air (rule H5). */
export function begin({ socketId, replica, uid, address }: Speaker, name: string, nowMs: number) {
  const silent = { isMicOn: false, gain: DEFAULT_GAIN, isMuted: false }
  return { socketId, replica, uid, address, name, ...silent, sinceMs: nowMs }
}

export const ended = (participant: Participant, reason: LiveEnd, atMs: number): Effect => ({
  type: 'live-ended',
  participant,
  reason,
  atMs,
})

export const isOf =
  ({ socketId }: Pick<Speaker, 'socketId'>) =>
  (other: Speaker) =>
    other.socketId === socketId

export function refused(state: PlayoutState, code: FailureCode, details?: FailureDetails) {
  return { state, effects: [], outcome: { ok: false, code, ...(details && { details }) } as const }
}

function requestRefusal(state: PlayoutState, { uid }: Speaker, nowMs: number): FailureDetails | null {
  const { live, hosting } = state
  if (live.code) return { reason: 'special_guest_active' }
  if (!isHostOnline(state)) return { reason: 'no_admin' }
  const cooldown = live.guestCooldowns.find((candidate) => candidate.uid === uid)
  const secs = cooldown ? secsLeft(cooldown.sinceMs, hosting.guestCooldownMs, nowMs) : 0
  if (secs > 0) return { reason: 'cooldown', secsLeft: secs }
  const others = live.requests.filter((request) => request.uid !== uid)
  return others.length >= MAX_REQUESTS || !hasSlot(state, 'guest') ? { reason: 'room_full' } : null
}

/** Begins the cooldown of some guests (rule H8). */
function letWait(state: PlayoutState, uids: string[], nowMs: number): PlayoutState {
  const { guestCooldownMs } = state.hosting
  if (uids.length === 0) return state
  const waiting = state.live.guestCooldowns.filter(
    ({ uid, sinceMs }) => sinceMs + guestCooldownMs > nowMs && !uids.includes(uid),
  )
  const added = guestCooldownMs > 0 ? uids.map((uid) => ({ uid, sinceMs: nowMs })) : []
  return { ...state, live: { ...state.live, guestCooldowns: newest([...waiting, ...added]) } }
}

/** Gives a socket an approval, in place of an earlier one. */
function approve(
  state: PlayoutState,
  { socketId, replica, uid, address }: Speaker,
  nickname: string,
  role: Approval['role'],
  nowMs: number,
): PlayoutState {
  const { live } = state
  const approval = { socketId, replica, uid, address, nickname, role, expiresAtMs: nowMs + APPROVAL_MS }
  const others = live.approvals.filter((other) => other.socketId !== socketId)
  return { ...state, live: { ...live, approvals: [...others, approval] } }
}

function sessionOf({ role, name, endsAtMs }: Participant): Outcome<'connect-guest'> {
  if (endsAtMs === null) return { ok: false, code: 'GUEST_NOT_APPROVED' }
  return { ok: true, role, nickname: name, expiresAtMs: endsAtMs }
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

const newest = <T>(list: T[]) => list.slice(-MAX_REMEMBERED)

function parted<T>(list: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [list.filter(isFirst), list.filter((item) => !isFirst(item))]
}

const turnedDown = (
  { socketId }: Pick<Speaker, 'socketId'>,
  reason?: 'room_full' | 'no_admin' | 'special_guest_active',
): Effect => ({
  type: 'guest-answered',
  socketId,
  result: { accepted: false, auto: false, ...(reason && { reason }) },
})
