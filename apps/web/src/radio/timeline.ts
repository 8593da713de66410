import type { RadioState } from '@solstice/contracts'

/** The air from a moment on. */
export interface Airing {
  state: RadioState
  /** Station time, epoch ms, at which the song was at its first second. */
  startedAtMs: number
  /** Station time from which the position stands still, because a jingle follows the song. */
  heldFromMs?: number
  /** Station time from which a song is heard that goes on after a talk: it started before that. */
  heardFromMs?: number
  /** Station time at which a talk ended. */
  endedAtMs?: number
}

/** How far from where it was held a position may be told and still be the same halt. */
const HELD_WITHIN_S = 2
/** A song that plays stands still when its position is told again after this long, but not so long that it came back. */
const STILL_AFTER_MS = 500
const STILL_WITHIN_MS = 10_000

/** No listener hears more than this behind the station. */
const MEMORY_MS = 60_000

export const airingOf = (state: RadioState): Airing => ({
  state,
  startedAtMs: state.serverTimeMs - state.seek * 1000,
})

/** The station sends it instead of a song, in every language. */
const TALK_TITLE = 'Just chatting'

/** The hosts talk. */
export const isChatting = (state: RadioState): boolean =>
  !state.isPreparing && state.title === TALK_TITLE && state.artist === ''

/** A song, talk or nothing: whether two states are the same thing to a listener. */
export const isSame = (a: RadioState, b: RadioState): boolean =>
  a.track === b.track &&
  a.isPreparing === b.isPreparing &&
  isChatting(a) === isChatting(b) &&
  a.mode === b.mode

/**
 * Adds what the station says now to what it said before. Songs that may still be on their way to the listener's ear
 * are kept; what is known of the current one is replaced.
 */
export function withState(airings: readonly Airing[], state: RadioState): Airing[] {
  const last = airings.at(-1)
  const next = airingOf(state)
  if (last && isSame(last.state, state)) {
    const heldFromMs = haltOf(last, state)
    if (heldFromMs !== null) return [...airings.slice(0, -1), { ...last, state, heldFromMs }]
    // A song that plays twice in a row is two airings.
    const isRepeated = next.startedAtMs - last.startedAtMs > Math.max(5, state.duration / 2) * 1000
    if (isRepeated && state.duration > 0) return [...airings, next]
    const heardFromMs = last.heardFromMs !== undefined && { heardFromMs: last.heardFromMs }
    // What has no position goes on since it was told first.
    const same = hasPosition(state) ? { ...next, ...heardFromMs } : { ...last, state }
    return [...airings.slice(0, -1), same]
  }
  // The one before the oldest kept start is what was heard until then.
  const kept = airings.filter(
    (_, i) => (i + 1 < airings.length ? fromMs(airings[i + 1]!) : Infinity) > state.serverTimeMs - MEMORY_MS,
  )
  // A change that is not the start of a song (talk, preparing) begins when it is told.
  if (!hasPosition(state)) return [...kept, { ...next, startedAtMs: state.serverTimeMs }]
  const goesOnFromMs = last && isChatting(last.state) ? (last.endedAtMs ?? state.serverTimeMs) : null
  const isGoingOn = goesOnFromMs !== null && next.startedAtMs < goesOnFromMs
  return [...kept, isGoingOn ? { ...next, heardFromMs: goesOnFromMs } : next]
}

const hasPosition = ({ track, duration }: RadioState): boolean => track !== null && duration > 0

/** When it is heard first. */
const fromMs = ({ startedAtMs, heardFromMs }: Airing): number => heardFromMs ?? startedAtMs

/** When the song came to the halt in which this state still tells of it; null when it goes on. */
function haltOf({ state: told, startedAtMs, heldFromMs }: Airing, state: RadioState): number | null {
  if (!state.isPlaying || state.duration <= 0) return null
  if (heldFromMs !== undefined) {
    const heldAtS = (heldFromMs - startedAtMs) / 1000
    return Math.abs(state.seek - heldAtS) < HELD_WITHIN_S ? heldFromMs : null
  }
  const sinceToldMs = state.serverTimeMs - told.serverTimeMs
  const isStill = state.seek === told.seek && sinceToldMs >= STILL_AFTER_MS && sinceToldMs < STILL_WITHIN_MS
  return isStill ? startedAtMs + state.seek * 1000 : null
}

/** The same by a clock of the station that was set. */
export function shiftedBy(airing: Airing, byMs: number): Airing {
  const moved = { ...airing, state: { ...airing.state, serverTimeMs: airing.state.serverTimeMs + byMs } }
  for (const moment of ['startedAtMs', 'heldFromMs', 'heardFromMs', 'endedAtMs'] as const) {
    const atMs = airing[moment]
    if (atMs !== undefined) moved[moment] = atMs + byMs
  }
  return moved
}

/** A jingle began: the song before it stays, and stands where it is. */
export function withJingle(airings: Airing[], jingleAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (!last || last.state.duration <= 0) return airings
  return [...airings.slice(0, -1), { ...last, heldFromMs: jingleAtMs }]
}

/** The station told exactly when the track on air began; after a jingle the same track may begin again. */
export function withTrackStart(airings: Airing[], trackId: string | null, startedAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (last?.state.track !== trackId || last.state.duration <= 0) return airings
  const isAgain = last.heldFromMs !== undefined && startedAtMs >= last.heldFromMs
  if (isAgain) return [...airings, { state: last.state, startedAtMs }]
  return [...airings.slice(0, -1), { ...last, startedAtMs }]
}

/** The hosts began to talk. Their title says so too; this says when, to the sample. */
export function withChat(airings: Airing[], beganAtMs: number): Airing[] {
  const last = airings.at(-1)
  if (!last) return airings
  if (isChatting(last.state)) return [...airings.slice(0, -1), { ...last, startedAtMs: beganAtMs }]
  const nothing = { artist: '', album: '', year: null, duration: 0, seek: 0, orderType: null }
  const state = { ...last.state, ...nothing, title: TALK_TITLE, isPreparing: false }
  return [...airings, { state, startedAtMs: beganAtMs }]
}

/** The hosts ended their talk; what is heard then is told with the next state, or was. */
export function withChatEnd(airings: Airing[], endedAtMs: number): Airing[] {
  const [before, last] = airings.slice(-2)
  if (last?.heardFromMs !== undefined && before && isChatting(before.state))
    return [...airings.slice(0, -1), { ...last, heardFromMs: endedAtMs }]
  const talk = airings.at(-1)
  return talk && isChatting(talk.state) ? [...airings.slice(0, -1), { ...talk, endedAtMs }] : airings
}

/** The position of the stream was measured; a halt is not moved by it. */
export function withMeasuredStart(airings: Airing[], trackId: string | null, startedAtMs: number): Airing[] {
  const isHeld = airings.at(-1)?.heldFromMs !== undefined
  return isHeld ? airings : withTrackStart(airings, trackId, startedAtMs)
}

/** The stream told the same position twice: no sound comes for now, and what a listener has in store ends there. */
export function withHalt(airings: Airing[], trackId: string | null, seekS: number): Airing[] {
  const last = airings.at(-1)
  if (last?.state.track !== trackId || last.heldFromMs !== undefined) return airings
  return withJingle(airings, last.startedAtMs + seekS * 1000)
}

/** What a listener hears whose sound is from this moment of the station's time. */
export function heardAt(airings: readonly Airing[], momentMs: number): Airing | null {
  return airings.findLast((airing) => fromMs(airing) <= momentMs) ?? airings[0] ?? null
}

/** Seconds into the song at a moment of the station's time. */
export function positionAt({ state, startedAtMs, heldFromMs }: Airing, momentMs: number): number {
  const untilMs = Math.min(momentMs, heldFromMs ?? momentMs)
  const position = state.isPlaying ? (untilMs - startedAtMs) / 1000 : state.seek
  return Math.min(Math.max(0, position), state.duration > 0 ? state.duration : Number.POSITIVE_INFINITY)
}
