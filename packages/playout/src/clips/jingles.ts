import { noSongs } from '../model/initial-state.ts'
import { draw, pick } from '../model/random.ts'
import type { ClipRef, Jingle, OnAir, PlayoutState } from '../model/state.ts'
import type { Step } from '../model/steps.ts'

/** Duration of a jingle of unknown duration (rule J5). */
const ASSUMED_JINGLE_MS = 30_000
/** Leaves the sound of a jingle time to end before the clock ends it (rule J5). */
const JINGLE_GRACE_MS = 15_000
/** Upper end of the range from which `random` draws (rule J2). */
const MAX_SONGS_AT_RANDOM = 3

/** Rule J2: counts a track that has ended. While there are no jingles nothing is counted. */
export function countSong(state: PlayoutState): PlayoutState {
  const { jingleCount } = state
  if (!areOn(state)) return jingleCount.songs === 0 ? state : { ...state, jingleCount: noSongs }
  const { threshold, seed } =
    jingleCount.threshold === null
      ? drawThreshold(state)
      : { threshold: jingleCount.threshold, seed: state.seed }
  return { ...state, seed, jingleCount: { songs: jingleCount.songs + 1, threshold } }
}

/**
 * Rules J1–J4, J7: the state with a jingle on air, if one is due at this track boundary; else null.
 *
 * @param goOn gives the air without a jingle, at a moment.
 */
export function beginJingle(
  state: PlayoutState,
  atMs: number,
  goOn: (state: PlayoutState, atMs: number) => Step,
): PlayoutState | null {
  const { onAir, jingleCount, mode, pendingSwitch, serial } = state
  if (onAir.phase !== 'track' || !areOn(state)) return null
  const chosen = usableJingle(state, state.nextJingleId)
  const isDue = jingleCount.threshold !== null && jingleCount.songs >= jingleCount.threshold
  if (!chosen && !isDue) return null
  const drawn = chosen
    ? { choice: chosen, seed: state.seed }
    : pick(state.clips.jingles.usable[mode], state.lastJingleId, state.seed)
  const { choice: clip, seed } = drawn
  if (!clip) return null
  const endMs = atMs + (clip.durationMs ?? ASSUMED_JINGLE_MS)
  const isCut = pendingSwitch !== null && !pendingSwitch.waiting && pendingSwitch.atMs <= endMs
  const after = goOn(state, endMs).state
  if (isCut || after.mode !== mode || after.onAir.phase !== 'track') return null
  const jingle: Jingle = { entryId: `j${serial}-${clip.id}`, clip }
  const { entry, startedAtMs } = onAir
  return {
    ...withoutNextJingle(state),
    seed,
    serial: serial + 1,
    jingleCount: noSongs,
    lastJingleId: clip.id,
    onAir: { phase: 'jingle', jingle, startedAtMs: atMs, entry, shownMs: Math.max(0, atMs - startedAtMs) },
  }
}

/** The moment at which the clock ends a jingle: in sync mode by its duration, else only if its sound does not end (rule J5). */
export function jingleDueMs({ onAir, pace }: PlayoutState): number | null {
  if (onAir.phase !== 'jingle') return null
  return jingleEndMs(onAir) + (pace === 'sound' ? JINGLE_GRACE_MS : 0)
}

/** The moment at which a jingle ends by its duration. */
export function jingleEndMs({ jingle, startedAtMs }: Extract<OnAir, { phase: 'jingle' }>): number {
  return startedAtMs + (jingle.clip.durationMs ?? ASSUMED_JINGLE_MS)
}

/** Rule J1: true where jingles may be heard in the mode on air. */
export function areOn({ clips, mode }: PlayoutState): boolean {
  const { usable, required } = clips.jingles
  return usable[mode].length >= Math.max(1, required)
}

/** A usable jingle of the mode on air; undefined when there is none of this id. */
export function usableJingle({ clips, mode }: PlayoutState, id: string | undefined): ClipRef | undefined {
  return id === undefined ? undefined : clips.jingles.usable[mode].find((clip) => clip.id === id)
}

export function withoutNextJingle({ nextJingleId: _taken, ...state }: PlayoutState): PlayoutState {
  return state
}

/** Rule J7c: forgets a jingle that was put next and is no longer usable. */
export function withoutLostJingle(state: PlayoutState): PlayoutState {
  if (state.nextJingleId === undefined || usableJingle(state, state.nextJingleId)) return state
  return withoutNextJingle(state)
}

function drawThreshold({ clips, seed }: PlayoutState): { threshold: number; seed: number } {
  const { frequency } = clips.jingles
  if (frequency !== 'random') return { threshold: frequency, seed }
  const drawn = draw(seed)
  return { threshold: 1 + Math.floor(drawn.value * MAX_SONGS_AT_RANDOM), seed: drawn.seed }
}
