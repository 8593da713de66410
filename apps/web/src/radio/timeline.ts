import type { RadioState } from '@solstice/contracts'

/** A track, a chat or nothing yet, on air from a moment on. */
export interface Airing {
  state: RadioState
  /** Station time, epoch ms, of the track's first second. */
  startedAtMs: number
  /** Station time from which the position stands still: a jingle follows the track. */
  heldFromMs?: number
  /** Station time from which a track is heard that goes on after a chat; it started earlier. */
  heardFromMs?: number
  /** Station time at which a chat ended. */
  endedAtMs?: number
}

/** Positions this close to each other belong to the same halt. */
const HELD_WITHIN_S = 2
/** A repeated position means a halt within this window: sooner it is rounding, later the track may have come back to it. */
const STILL_AFTER_MS = 500
const STILL_WITHIN_MS = 10_000

/** No listener hears more than this behind the station. */
const MAX_LAG_MS = 60_000

export const airingOf = (state: RadioState): Airing => ({
  state,
  startedAtMs: state.serverTimeMs - state.seek * 1000,
})

/** The title that the station sends during a chat, in every language. */
const CHAT_TITLE = 'Just chatting'

/** True when the hosts chat instead of a track. */
export const isChatting = (state: RadioState): boolean =>
  !state.isPreparing && state.title === CHAT_TITLE && state.artist === ''

/** True while the file of a track is to be heard. */
export const hasFile = ({ state }: Airing): boolean =>
  state.track !== null && state.isPlaying && !isChatting(state)

/** True when two states are the same to a listener: the same track, chat, or silence before the next one. */
export const isSame = (a: RadioState, b: RadioState): boolean =>
  a.track === b.track &&
  a.isPreparing === b.isPreparing &&
  isChatting(a) === isChatting(b) &&
  a.mode === b.mode

/**
 * Adds the station's current state. Earlier airings stay for as long as a listener may still hear them; the current one
 * is replaced.
 */
export function withState(airings: readonly Airing[], state: RadioState): Airing[] {
  const last = airings.at(-1)
  const next = airingOf(state)
  if (last && isSame(last.state, state)) {
    const heldFromMs = haltOf(last, state)
    if (heldFromMs !== null) return [...airings.slice(0, -1), { ...last, state, heldFromMs }]
    // A track that plays twice in a row is two airings.
    const isRepeated = next.startedAtMs - last.startedAtMs > Math.max(5, state.duration / 2) * 1000
    if (isRepeated && state.duration > 0) return [...airings, next]
    const heardFromMs = last.heardFromMs !== undefined && { heardFromMs: last.heardFromMs }
    // Without a position, the first announcement counts as the start.
    const same = hasPosition(state) ? { ...next, ...heardFromMs } : { ...last, state }
    return [...airings.slice(0, -1), same]
  }
  // An airing lasts until the next one starts, so it is dropped by that start.
  const kept = airings.filter(
    (_, i) => (i + 1 < airings.length ? fromMs(airings[i + 1]!) : Infinity) > state.serverTimeMs - MAX_LAG_MS,
  )
  // A chat or a pause without a position starts when it is announced.
  if (!hasPosition(state)) return [...kept, { ...next, startedAtMs: state.serverTimeMs }]
  const goesOnFromMs = last && isChatting(last.state) ? (last.endedAtMs ?? state.serverTimeMs) : null
  const isGoingOn = goesOnFromMs !== null && next.startedAtMs < goesOnFromMs
  return [...kept, isGoingOn ? { ...next, heardFromMs: goesOnFromMs } : next]
}

const hasPosition = ({ track, duration }: RadioState): boolean => track !== null && duration > 0

/** When an airing begins to be heard. */
const fromMs = ({ startedAtMs, heardFromMs }: Airing): number => heardFromMs ?? startedAtMs

/** When the track came to the halt that this state still shows; null when it goes on. */
function haltOf({ state: before, startedAtMs, heldFromMs }: Airing, state: RadioState): number | null {
  if (!state.isPlaying || state.duration <= 0) return null
  if (heldFromMs !== undefined) {
    const heldAtS = (heldFromMs - startedAtMs) / 1000
    return Math.abs(state.seek - heldAtS) < HELD_WITHIN_S ? heldFromMs : null
  }
  const sinceLastMs = state.serverTimeMs - before.serverTimeMs
  const isStill = state.seek === before.seek && sinceLastMs >= STILL_AFTER_MS && sinceLastMs < STILL_WITHIN_MS
  return isStill ? startedAtMs + state.seek * 1000 : null
}

/** The same airing after the station's clock was set. */
export function shiftedBy(airing: Airing, byMs: number): Airing {
  const moved = { ...airing, state: { ...airing.state, serverTimeMs: airing.state.serverTimeMs + byMs } }
  for (const moment of ['startedAtMs', 'heldFromMs', 'heardFromMs', 'endedAtMs'] as const) {
    const atMs = airing[moment]
    if (atMs !== undefined) moved[moment] = atMs + byMs
  }
  return moved
}

/** A jingle began: the track before it stays, at its position. */
export function withJingle(airings: Airing[], jingleAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (!last || last.state.duration <= 0) return airings
  return [...airings.slice(0, -1), { ...last, heldFromMs: jingleAtMs }]
}

/** The exact start of the track on air; after a jingle the same track may start again. */
export function withTrackStart(airings: Airing[], trackId: string | null, startedAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (last?.state.track !== trackId || last.state.duration <= 0) return airings
  const isAgain = last.heldFromMs !== undefined && startedAtMs >= last.heldFromMs
  if (isAgain) return [...airings, { state: last.state, startedAtMs }]
  return [...airings.slice(0, -1), { ...last, startedAtMs }]
}

/** The exact start of a chat, which the next state shows only roughly. */
export function withChat(airings: Airing[], beganAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (!last) return airings
  if (isChatting(last.state)) return [...airings.slice(0, -1), { ...last, startedAtMs: beganAtMs }]
  const nothing = { artist: '', album: '', year: null, duration: 0, seek: 0, orderType: null }
  const state = { ...last.state, ...nothing, title: CHAT_TITLE, isPreparing: false }
  return [...airings, { state, startedAtMs: beganAtMs }]
}

/** The exact end of a chat; the state after it may come before or after this. */
export function withChatEnd(airings: Airing[], endedAtMs: number): Airing[] {
  const [before, last] = airings.slice(-2)
  if (last?.heardFromMs !== undefined && before && isChatting(before.state))
    return [...airings.slice(0, -1), { ...last, heardFromMs: endedAtMs }]
  const chat = airings.at(-1)
  return chat && isChatting(chat.state) ? [...airings.slice(0, -1), { ...chat, endedAtMs }] : airings
}

/** A start derived from the measured position of the stream; doesn't move a halt. */
export function withMeasuredStart(airings: Airing[], trackId: string | null, startedAtMs: number): Airing[] {
  const isHeld = airings.at(-1)?.heldFromMs !== undefined
  return isHeld ? airings : withTrackStart(airings, trackId, startedAtMs)
}

/** The stream reported the same position twice: no new sound comes, and the listener's buffer ends there. */
export function withHalt(airings: Airing[], trackId: string | null, seekS: number): Airing[] {
  const last = airings.at(-1)
  if (last?.state.track !== trackId || last.heldFromMs !== undefined) return airings
  return withJingle(airings, last.startedAtMs + seekS * 1000)
}

/** The airing heard by a listener whose sound left the station at this moment. */
export function heardAt(airings: readonly Airing[], momentMs: number): Airing | null {
  return airings.findLast((airing) => fromMs(airing) <= momentMs) ?? airings[0] ?? null
}

/** Seconds into the track at a moment of the station's time. */
export function positionAt({ state, startedAtMs, heldFromMs }: Airing, momentMs: number): number {
  const untilMs = Math.min(momentMs, heldFromMs ?? momentMs)
  const position = state.isPlaying ? (untilMs - startedAtMs) / 1000 : state.seek
  return Math.min(Math.max(0, position), state.duration > 0 ? state.duration : Number.POSITIVE_INFINITY)
}
