import type { FailureDetails } from '@solstice/contracts'
import type { CommandOf, Effect } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { Approval, Participant, Speaker } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'
import { accepted, andThen, type Decision, refused, type Step, stepTo, unchanged } from '../model/steps.ts'
import { isHostOnline } from './roster.ts'
import { begin, endSessions, isOf } from './sessions.ts'
import { hasSlot } from './slots.ts'

/** Bounds the saved state (rule H7). */
const MAX_REQUESTS = 100
/** Bounds the saved cooldowns and wrong codes; the oldest are forgotten. */
const MAX_REMEMBERED = 1_000
/** Life of an approval (rule H9). */
const APPROVAL_MS = 120_000

/** Takes in a listener's request to come on the air (rule H7). */
export function requestGuest(
  state: PlayoutState,
  { speaker, nickname }: CommandOf<'request-guest'>,
  nowMs: number,
): Decision<'request-guest'> {
  const details = requestRefusal(state, speaker, nowMs)
  if (details) return refused(state, 'GUEST_REQUEST_REFUSED', details)
  const { live, hosting } = state
  if (live.participants.some(isOf(speaker)) || live.approvals.some(isOf(speaker)))
    return refused(state, 'ALREADY_LIVE')
  const { guestRequestExpiryMs } = hosting
  const expiresAtMs = guestRequestExpiryMs > 0 ? nowMs + guestRequestExpiryMs : null
  const request = { ...speaker, nickname, addedAtMs: nowMs, expiresAtMs }
  const place = live.requests.findIndex(({ uid }) => uid === speaker.uid)
  const before = live.requests[place]
  const requests = before ? live.requests.with(place, request) : [...live.requests, request]
  const isReplaced = before && !isOf(speaker)(before)
  const told = isReplaced ? [turnedDown(before, 'replaced')] : []
  return accepted({ ...state, live: { ...live, requests } }, {}, told)
}

/** Carries out a host's decision on a guest request (rules H8, H9). */
export function answerGuest(
  state: PlayoutState,
  { uid, action }: CommandOf<'answer-guest'>,
  nowMs: number,
): Decision<'answer-guest'> {
  const request = state.live.requests.find((candidate) => candidate.uid === uid)
  if (!request) return refused(state, 'GUEST_REQUEST_NOT_FOUND')
  const requests = state.live.requests.filter((candidate) => candidate !== request)
  const decided = { ...state, live: { ...state.live, requests } }
  const { nickname, socketId } = request
  if (action === 'reject')
    return accepted(letWait(decided, [uid], nowMs), { nickname }, [turnedDown(request)])
  if (!hasSlot(state, 'guest'))
    return refused(letWait(decided, [uid], nowMs), 'SLOTS_TAKEN', undefined, [
      turnedDown(request, 'room_full'),
    ])
  return accepted(approve(decided, request, nickname, 'guest', nowMs), { nickname }, [
    { type: 'guest-answered', socketId, result: { accepted: true, nickname } },
  ])
}

/** Puts an approved guest on the air (rule H9). Idempotent. */
export function connectGuest(
  state: PlayoutState,
  { socketId }: CommandOf<'connect-guest'>,
  nowMs: number,
): Decision<'connect-guest'> {
  const { live, hosting } = state
  const present = live.participants.find(isOf({ socketId }))
  if (present)
    return present.endsAtMs === null
      ? refused(state, 'GUEST_NOT_APPROVED')
      : accepted(state, sessionOf({ ...present, endsAtMs: present.endsAtMs }))
  const approval = live.approvals.find(isOf({ socketId }))
  if (!approval) return refused(state, 'GUEST_NOT_APPROVED')
  if (!isHostOnline(state)) return refused(state, 'NO_HOSTS')
  if (!hasSlot(state, approval.role, socketId)) return refused(state, 'SLOTS_TAKEN')
  const { nickname, expiresAtMs, ...speaker } = approval
  const endsAtMs = nowMs + (approval.role === 'guest' ? hosting.guestMs : hosting.specialGuestMs)
  const participant = { ...begin(speaker, nickname, nowMs), role: approval.role, adminId: null, endsAtMs }
  const participants = [...live.participants, participant]
  const approvals = live.approvals.filter((other) => other !== approval)
  return accepted({ ...state, live: { ...live, participants, approvals } }, sessionOf(participant), [
    { type: 'live-started', participant },
  ])
}

/** Ends requests and approvals, without a cooldown. Their guests are told why (`told`), unless they left themselves (null). */
export function withdraw(
  state: PlayoutState,
  isOver: (wanted: Speaker & { role?: Approval['role'] }) => boolean,
  told: { reason?: 'no_admin' } | null,
): Step {
  const { requests, approvals } = state.live
  const over = [...requests, ...approvals].filter(isOver)
  if (over.length === 0) return unchanged(state)
  const left = {
    ...state.live,
    requests: requests.filter((request) => !isOver(request)),
    approvals: approvals.filter((approval) => !isOver(approval)),
  }
  return stepTo({ ...state, live: left }, told ? over.map((wanted) => turnedDown(wanted, told.reason)) : [])
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
  const isUp = (untilMs: number | null) => untilMs !== null && untilMs <= atMs
  return andThen(
    endSessions(state, ({ endsAtMs }) => isUp(endsAtMs), 'timeout', atMs),
    (state) => {
      const { live } = state
      const unanswered = live.requests.filter(({ expiresAtMs }) => isUp(expiresAtMs))
      const late = live.approvals.filter(({ expiresAtMs }) => isUp(expiresAtMs))
      const left = {
        ...live,
        requests: live.requests.filter(({ expiresAtMs }) => !isUp(expiresAtMs)),
        approvals: live.approvals.filter(({ expiresAtMs }) => !isUp(expiresAtMs)),
        code: live.code && !isUp(live.code.expiresAtMs) ? live.code : null,
      }
      const uids = unanswered.map(({ uid }) => uid)
      return stepTo(letWait({ ...state, live: left }, uids, atMs), [...unanswered, ...late].map(timedOut))
    },
  )
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
export function approve(
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

function sessionOf({ role, name, endsAtMs }: Participant & { endsAtMs: number }) {
  return { role, nickname: name, expiresAtMs: endsAtMs }
}

/** The last items of a list that would grow without a bound. */
export const newest = <T>(list: T[]) => list.slice(-MAX_REMEMBERED)

export const turnedDown = (
  { socketId }: Pick<Speaker, 'socketId'>,
  reason?: 'room_full' | 'no_admin' | 'special_guest_active' | 'replaced',
): Effect => ({
  type: 'guest-answered',
  socketId,
  result: { accepted: false, auto: false, ...(reason && { reason }) },
})

const timedOut = ({ socketId }: Speaker): Effect => ({
  type: 'guest-answered',
  socketId,
  result: { accepted: false, auto: true },
})
