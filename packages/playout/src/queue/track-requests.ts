import type { FailureDetails, Mode } from '@solstice/contracts'
import type { CommandOf, Effect } from '../model/commands/commands.ts'
import { secsLeft } from '../model/cooldown.ts'
import type { PlayoutState, TrackRef, TrackRequest } from '../model/state.ts'
import { accepted, type Decision, refused, type Step, stepTo, unchanged } from '../model/steps.ts'
import { insert, playable, refusalOf } from './queue.ts'

/** Bounds the saved state (rule U1). */
const MAX_TRACK_REQUESTS = 100
/** Wait reported to a listener when requests never expire. */
const UNKNOWN_WAIT_S = 60

/** Takes in a listener's track request (rules U1, U2). */
export function requestTrack(
  state: PlayoutState,
  { uid, socketId, track, mode }: CommandOf<'request-track'>,
  nowMs: number,
): Decision<'request-track'> {
  const details = refusal(state, uid, track, mode, nowMs)
  if (details) return refused(state, 'SUGGESTION_REFUSED', details)
  const { trackRequestCooldownMs } = state.limits
  const waiting = state.trackRequestCooldowns.filter((cooldown) => secsOf(state, cooldown, nowMs) > 0)
  const asked: PlayoutState = {
    ...state,
    trackRequests: [...state.trackRequests, { uid, socketId, track, mode, addedAtMs: nowMs }],
    trackRequestCooldowns: trackRequestCooldownMs > 0 ? [...waiting, { uid, sinceMs: nowMs }] : [],
  }
  return accepted(asked, { secsLeft: trackRequestCooldownSecsLeft(asked, uid, nowMs) }, [changed(asked)])
}

/** Carries out an admin's decision on a track request (rule U3). */
export function answerTrackRequest(
  state: PlayoutState,
  { uid, action }: CommandOf<'answer-track-request'>,
  nowMs: number,
): Decision<'answer-track-request'> {
  const request = state.trackRequests.find((candidate) => candidate.uid === uid)
  if (!request) return refused(state, 'SUGGESTION_NOT_FOUND')
  const { track, mode } = request
  const others = state.trackRequests.filter((candidate) => candidate !== request)
  const order = { track, mode, orderType: 'requested', tier: null } as const
  const details = action === 'add' ? refusalOf(state, order, nowMs) : null
  if (details) {
    const returned = { ...state, trackRequests: [...others, { ...request, addedAtMs: nowMs }] }
    return refused(returned, 'QUEUE_SUGGESTION_INJECT_FAILED', details, [changed(returned)])
  }
  const decided = { ...(action === 'add' ? insert(state, order, nowMs) : state), trackRequests: others }
  return accepted(decided, { track }, [answered(request, action === 'add', false), changed(decided)])
}

/** Whole seconds left of a listener's cooldown; 0 = over. */
export function trackRequestCooldownSecsLeft(state: PlayoutState, uid: string, nowMs: number): number {
  const cooldown = state.trackRequestCooldowns.find((candidate) => candidate.uid === uid)
  return cooldown ? secsOf(state, cooldown, nowMs) : 0
}

/** Whole seconds until a listener's request can be accepted (rule U1); 0 = now. */
export function trackRequestWaitSecs(state: PlayoutState, uid: string, nowMs: number): number {
  const { trackRequests } = state
  const waits = trackRequestCooldownSecsLeft(state, uid, nowMs)
  if (waits > 0) return waits
  const pending = trackRequests.filter((request) => request.uid === uid)
  const inTheWay =
    pending.length > 0 ? pending : trackRequests.length < MAX_TRACK_REQUESTS ? [] : trackRequests
  if (inTheWay.length === 0) return 0
  const untilMs = trackRequestsExpireAtMs({ ...state, trackRequests: inTheWay })
  return untilMs === null ? UNKNOWN_WAIT_S : Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
}

/** The requests as admins see them. @param aheadMs as in `projectSync`. */
export function trackRequestList(requests: readonly TrackRequest[], aheadMs = 0) {
  return requests.map(({ uid, track, addedAtMs }) => ({
    uid,
    song: songOf(track),
    addedAt: Math.round(addedAtMs - aheadMs),
  }))
}

/** A requested track as listeners and admins see it. */
export const songOf = ({ id, title, artist }: TrackRef) => ({ id, title, artist })

/** The moment at which the first request expires; null = none does. */
export function trackRequestsExpireAtMs({ trackRequests, limits }: PlayoutState): number | null {
  if (limits.trackRequestExpiryMs === 0 || trackRequests.length === 0) return null
  return Math.min(...trackRequests.map(({ addedAtMs }) => addedAtMs)) + limits.trackRequestExpiryMs
}

/** Rule U4: ends requests that nobody decided on. */
export function expireTrackRequests(state: PlayoutState, atMs: number): Step {
  return giveUp(state, ({ addedAtMs }) => addedAtMs + state.limits.trackRequestExpiryMs <= atMs)
}

/** Rules U4, K4: requests for changed tracks show them as they are now; those for deleted tracks end. */
export function settleTrackRequests(state: PlayoutState, settled: Map<string, TrackRef | null>): Step {
  const { trackRequests } = state
  if (!trackRequests.some(({ track }) => settled.has(track.id))) return unchanged(state)
  const { state: left, effects } = giveUp(state, ({ track }) => settled.get(track.id) === null)
  const renewed = {
    ...left,
    trackRequests: left.trackRequests.map((request) => ({
      ...request,
      track: settled.get(request.track.id) ?? request.track,
    })),
  }
  const answers = effects.filter(({ type }) => type === 'track-request-answered')
  return stepTo(renewed, [...answers, changed(renewed)])
}

function refusal(
  state: PlayoutState,
  uid: string,
  track: TrackRef,
  mode: Mode,
  nowMs: number,
): FailureDetails | null {
  const waits = trackRequestWaitSecs(state, uid, nowMs)
  if (waits > 0) return { reason: 'cooldown', secsLeft: waits }
  if (playable(state, [track]).length === 0) return { reason: 'not_found' }
  return mode === state.mode ? null : { reason: 'wrong_mode' }
}

function giveUp(state: PlayoutState, isOver: (request: TrackRequest) => boolean): Step {
  const over = state.trackRequests.filter(isOver)
  if (over.length === 0) return unchanged(state)
  const left = { ...state, trackRequests: state.trackRequests.filter((request) => !isOver(request)) }
  return stepTo(left, [...over.map((request) => answered(request, false, true)), changed(left)])
}

const answered = (trackRequest: TrackRequest, accepted: boolean, auto: boolean): Effect => ({
  type: 'track-request-answered',
  trackRequest,
  accepted,
  auto,
})
const changed = ({ trackRequests }: PlayoutState): Effect => ({
  type: 'track-requests-changed',
  trackRequests,
})
const secsOf = (
  { limits }: PlayoutState,
  { sinceMs }: PlayoutState['trackRequestCooldowns'][number],
  nowMs: number,
) => secsLeft(sinceMs, limits.trackRequestCooldownMs, nowMs)
