import type { Mode } from '@solstice/contracts'
import { learnClips } from '../clips/clips.ts'
import { jingleEndMs } from '../clips/jingles.ts'
import { learnInPieces } from '../library/playlist-made.ts'
import { resumeQueue } from '../live/pause.ts'
import type { RotationSettings } from '../model/commands/commands.ts'
import { nobodyLive } from '../model/live-state.ts'
import { finish, type Pieces } from '../model/pieces.ts'
import { stale } from '../model/playlists.ts'
import type { ClipRef, PlayoutState, QueueEntry, TrackRef, UsableClips } from '../model/state.ts'
import { MIN_LENGTH_MS, soundStartMs, UNKNOWN_LENGTH_MS } from '../model/timing.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { learn } from '../step/learn.ts'

/** Bounds a programme of very short tracks. */
export const MAX_FORECAST = 200
/** A programme in which nothing new is heard for this many changes ends there. */
const MAX_STEPS = 10 * MAX_FORECAST

/** The programme is made of these, as if they were saved. */
export interface ForecastOf {
  settings: Record<Mode, RotationSettings>
  /** Reads the tracks of a mode; a mode that is not reached costs nothing. */
  tracksOf: (mode: Mode) => Pieces<TrackRef[]>
  clips: UsableClips
  /** Of the random choices; the same seed gives the same forecast of the same air. */
  seed: number
  /** `list`: without the generated entries that are queued, as if the playlist were made now. */
  from: 'queue' | 'list'
  untilMs: number
}

/** A part of the expected programme, with the moment at which it begins. `isQueued`: it stands in the queue already. */
export type Expected = { atMs: number; mode: Mode } & (
  | { is: 'track'; entry: QueueEntry; isQueued: boolean; phrase: { clip: ClipRef; atMs: number } | null }
  | { is: 'jingle'; clip: ClipRef }
  | { is: 'preparing' }
)

/** The programme as it would go on from `nowMs` if nobody did anything (rule Q2), what is on air first. */
export function forecast(saved: PlayoutState, of: ForecastOf, nowMs: number): Expected[] {
  return finish(forecastInPieces(saved, of, nowMs))
}

/** … with interruptions. */
export function* forecastInPieces(saved: PlayoutState, of: ForecastOf, nowMs: number): Pieces<Expected[]> {
  let state = begin(saved, of, nowMs)
  const queued = new Set(state.playlist.entries.map(({ entryId }) => entryId))
  let atMs = nowMs
  const expected: Expected[] = []
  let shown = ''
  for (let step = 0; step < MAX_STEPS; step++) {
    yield
    state = yield* withPlaylist(state, of, atMs)
    const sound = soundOf(state)
    if (sound.id !== shown) expected.push(expectedOf(state, queued))
    shown = sound.id
    const nextMs = Math.max(atMs, Math.min(sound.endMs, nextDueMs(state) ?? Number.POSITIVE_INFINITY))
    if (nextMs >= of.untilMs || expected.length === MAX_FORECAST) break
    const isEnd = sound.endMs <= nextMs
    atMs = nextMs
    state = isEnd
      ? learn(state, { type: 'sound-ended', entryId: sound.id }, atMs).state
      : advance(state, atMs).state
  }
  return expected
}

/** The air of this moment with nobody at the microphone, its playlists still to be made. */
function begin(saved: PlayoutState, { clips, seed, from }: ForecastOf, nowMs: number): PlayoutState {
  const now = { ...advance(saved, nowMs).state, live: nobodyLive, trackRequests: [], prepared: {}, seed }
  const { state } = resumeQueue(now, nowMs)
  const told = learnClips(state, clips, nowMs)
  return from === 'list' ? { ...told, playlist: stale(told.playlist) } : told
}

/** Makes the playlist of the mode on air before its entries run out. */
function* withPlaylist(
  state: PlayoutState,
  { tracksOf, settings }: ForecastOf,
  atMs: number,
): Pieces<PlayoutState> {
  const { mode, playlist, prepared } = state
  const left = playlist.entries.length - 1 - playlist.index
  if (prepared[mode] || (left > 1 && !playlist.isStale)) return state
  const fact = { type: 'library', mode, tracks: yield* tracksOf(mode), settings: settings[mode] } as const
  return (yield* learnInPieces(state, fact, atMs)).state
}

/** The sound on air; in stream mode also when it ends, which the clock does not know (rules T2, V2). */
function soundOf({ onAir, pace }: PlayoutState): { id: string; endMs: number } {
  const heardUntil = (endMs: number) => (pace === 'sound' ? endMs : Number.POSITIVE_INFINITY)
  switch (onAir.phase) {
    case 'track': {
      const { entry, startedAtMs } = onAir
      const { durationMs, cuePoints } = entry.track
      const lengthMs = cuePoints?.endMs ?? durationMs ?? UNKNOWN_LENGTH_MS
      return { id: entry.entryId, endMs: heardUntil(startedAtMs + Math.max(MIN_LENGTH_MS, lengthMs)) }
    }
    case 'jingle':
      return { id: onAir.jingle.entryId, endMs: heardUntil(jingleEndMs(onAir)) }
    default:
      return { id: onAir.phase, endMs: Number.POSITIVE_INFINITY }
  }
}

function expectedOf(state: PlayoutState, queued: ReadonlySet<string>): Expected {
  const { onAir, mode } = state
  const begins = { atMs: soundStartMs(state), mode }
  switch (onAir.phase) {
    case 'track': {
      const { entry, startedAtMs, phrase } = onAir
      const over = phrase ? { clip: phrase.clip, atMs: startedAtMs + phrase.fromMs } : null
      return { is: 'track', ...begins, entry, isQueued: queued.has(entry.entryId), phrase: over }
    }
    case 'jingle':
      return { is: 'jingle', ...begins, clip: onAir.jingle.clip }
    case 'preparing':
      return { is: 'preparing', ...begins }
    case 'chat':
      throw new Error('the queue is paused in a forecast')
  }
}
