import type { Mode } from '@solstice/contracts'
import { next, start } from '../boundary/boundary.ts'
import { isWorthResuming } from '../live/pause.ts'
import type { Effect, Step } from '../model/commands.ts'
import { isDonatedOnAir, songOnAir } from '../model/on-air.ts'
import { emptyPlaylist } from '../model/playlists.ts'
import type { Chat, OnAir, Phrase, PlayoutState, QueueEntry } from '../model/state.ts'
import { leftOutMs, soundStartMs } from '../model/timing.ts'
import { advance, nextDueMs } from './advance.ts'

/** A state whose station was silent for longer is only kept in part (rule R2). */
const FORGET_AFTER_MS = 600_000

/**
 * A worker takes over a saved state (rules R1, R2, R4).
 *
 * @param silentFromMs up to when there was something to hear.
 * @param atMs the moment at which the air goes on; not before `silentFromMs`.
 */
export function resume(state: PlayoutState, silentFromMs: number, atMs: number): Step {
  if (atMs - silentFromMs >= FORGET_AFTER_MS) return resumeOrders(state, silentFromMs, atMs)
  // Without a stream everybody hears the files themselves, also while no worker is alive.
  const isHeard = state.pace === 'clock' || atMs <= silentFromMs
  return isHeard ? advance(state, atMs) : passSilence(state, silentFromMs, atMs)
}

/**
 * Rules R1, R4: the clock goes on, also where otherwise the sound decides, but not over what was paid for. `played` is only
 * what is heard in the end.
 */
function passSilence(saved: PlayoutState, fromMs: number, atMs: number): Step {
  const { pace } = saved
  let state: PlayoutState = { ...saved, pace: 'clock' }
  let kept: string | null = null
  const effects: Effect[] = []
  for (let dueMs: number | null = fromMs; dueMs !== null && dueMs <= atMs; dueMs = nextDueMs(state)) {
    const step = advance(state, dueMs)
    effects.push(...step.effects)
    state = step.state
    const song = state.onAir.phase === 'track' ? stoppedSong({ ...state, pace }, dueMs) : null
    if (!song || song.entry.entryId === kept) continue
    // It does not end before `atMs`: what else falls due until then happens.
    state = { ...state, onAir: goingOn(song, atMs) }
    kept = song.entry.entryId
  }
  state = { ...state, pace }
  const { onAir } = state
  const began = onAir.phase === 'track' && onAir.entry.entryId !== songOnAir(saved)?.entryId
  const heard = began ? effects.findLast((effect) => effect.type === 'played') : undefined
  const others = effects.filter((effect) => effect.type !== 'played')
  if (!heard) return { state, effects: others }
  const startedAtMs = soundStartMs(state)
  return { state: { ...state, lastPlayedMs: startedAtMs }, effects: [...others, { ...heard, startedAtMs }] }
}

/** Rule R2: only what was asked for and paid for is left of the queue. */
function resumeOrders(saved: PlayoutState, silentFromMs: number, atMs: number): Step {
  const song = saved.pace === 'sound' ? stoppedSong(saved, silentFromMs) : null
  const ordered = saved.playlist.entries.filter(
    (entry, i) => i > saved.playlist.index && entry.orderType !== null,
  )
  const onAir = {
    phase: 'preparing',
    target: saved.mode,
    sinceMs: silentFromMs,
    notBeforeMs: silentFromMs,
  } as const
  const playlist = { ...emptyPlaylist, entries: song ? [song.entry, ...ordered] : ordered, index: -1 }
  // The rest happened in silence: a switch that fell due, the hours of day and night (rules M2, S7).
  const began = start({ ...saved, playlist, prepared: {}, onAir, isPaused: false }, silentFromMs)
  const passed = advance(began.state, atMs)
  const resumed = playOrders(passed.state, saved.mode, song, atMs)
  return { state: resumed.state, effects: [...began.effects, ...passed.effects, ...resumed.effects] }
}

/** What was asked for and paid for begins; where the mode has changed only the latter is played, as in rule M1. */
function playOrders(state: PlayoutState, mode: Mode, song: StoppedSong | null, atMs: number): Step {
  const entries = state.playlist.entries.filter(
    (entry) => state.mode === mode || entry.orderType === 'donated',
  )
  if (entries.length === 0) return { state: { ...state, playlist: emptyPlaylist }, effects: [] }
  const playlist = { ...state.playlist, entries }
  if (!song) return next({ ...state, mode, playlist }, atMs)
  return {
    state: { ...state, mode, playlist: { ...playlist, index: 0 }, onAir: goingOn(song, atMs) },
    effects: [],
  }
}

interface StoppedSong {
  entry: QueueEntry
  /** Up to which it was heard, and where that began. */
  positionMs: number
  startMs: number
  phrase?: Phrase
}

/** Rule R4: the donated song whose sound stopped at a moment; null = there is none, or it is as good as over. */
function stoppedSong(state: PlayoutState, stoppedAtMs: number): StoppedSong | null {
  const { onAir, pace } = state
  const entry = songOnAir(state)
  if (!entry || !isDonatedOnAir(state)) return null
  const startMs = leftOutMs(entry, pace)
  const stopped =
    onAir.phase === 'track'
      ? { positionMs: stoppedAtMs - onAir.startedAtMs, ...(onAir.phrase && { phrase: onAir.phrase }) }
      : (onAir as Chat).interrupted
  if (!stopped) return null
  const positionMs = Math.max(startMs, stopped.positionMs)
  const isOver = positionMs > startMs && !isWorthResuming(entry, positionMs)
  return isOver ? null : { entry, startMs, ...stopped, positionMs }
}

function goingOn({ entry, positionMs, startMs, phrase }: StoppedSong, atMs: number): OnAir {
  return {
    phase: 'track',
    entry,
    startedAtMs: atMs - positionMs,
    ...(phrase && { phrase }),
    ...(positionMs > startMs && { resumedAtMs: atMs }),
  }
}
