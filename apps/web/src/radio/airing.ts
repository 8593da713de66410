import type { RadioState } from '@solstice/contracts'

/** The air from a moment on. */
export interface Airing {
  state: RadioState
  /** Station time, epoch ms, at which the song was at its first second. */
  startedAtMs: number
}

/** No listener hears more than this behind the station. */
const MEMORY_MS = 60_000

export const airingOf = (state: RadioState): Airing => ({
  state,
  startedAtMs: state.serverTimeMs - state.seek * 1000,
})

/** The hosts talk: the station then sends this title instead of a song, in every language. */
export const isChatting = (state: RadioState): boolean =>
  !state.isPreparing && state.title === 'Just chatting' && state.artist === ''

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
export function remember(airings: readonly Airing[], state: RadioState): Airing[] {
  const last = airings.at(-1)
  const next = airingOf(state)
  if (last && isSame(last.state, state)) {
    // A song that plays twice in a row is two airings.
    const isRepeated = next.startedAtMs - last.startedAtMs > Math.max(5, state.duration / 2) * 1000
    return isRepeated && state.duration > 0 ? [...airings, next] : [...airings.slice(0, -1), next]
  }
  // The one before the oldest kept start is what was heard until then.
  const kept = airings.filter(
    (_, i) => (airings[i + 1]?.startedAtMs ?? Number.POSITIVE_INFINITY) > state.serverTimeMs - MEMORY_MS,
  )
  // A change that is not the start of a song (talk, preparing) begins when it is told.
  const hasPosition = state.track !== null && state.duration > 0
  return [...kept, hasPosition ? next : { ...next, startedAtMs: state.serverTimeMs }]
}

/** What a listener hears whose sound is from this moment of the station's time. */
export function heardAt(airings: readonly Airing[], momentMs: number): Airing | null {
  return airings.findLast((airing) => airing.startedAtMs <= momentMs) ?? airings[0] ?? null
}

/** Seconds into the song at a moment of the station's time. */
export function positionAt({ state, startedAtMs }: Airing, momentMs: number): number {
  const position = state.isPlaying ? (momentMs - startedAtMs) / 1000 : state.seek
  return Math.min(Math.max(0, position), state.duration > 0 ? state.duration : Number.POSITIVE_INFINITY)
}
