import type { Mode } from '@solstice/contracts'
import { next, start } from '../boundary/boundary.ts'
import { isWorthResuming } from '../live/pause.ts'
import type { Effect } from '../model/commands/commands.ts'
import { isDonatedOnAir, songOnAir } from '../model/on-air.ts'
import { emptyPlaylist } from '../model/playlists.ts'
import type { Chat, OnAir, Phrase, PlayoutState, QueueEntry } from '../model/state.ts'
import { andThen, type Step, stepTo } from '../model/steps.ts'
import { leftOutMs, soundStartMs, trackEndMs } from '../model/timing.ts'
import { noteTurn } from '../model/turns.ts'
import { advance, nextDueMs } from './advance.ts'

/** After a longer outage only a part of the state is kept (rule R2). */
const FORGET_AFTER_MS = 600_000

/**
 * Takes over a saved state (rules R1, R2, R4).
 *
 * @param silentFromMs the moment up to which something could be heard.
 * @param atMs the moment at which the air continues; not before `silentFromMs`.
 */
export function resume(state: PlayoutState, silentFromMs: number, atMs: number): Step {
  return noteTurn(state, takeUp(state, silentFromMs, atMs), atMs)
}

function takeUp(state: PlayoutState, silentFromMs: number, atMs: number): Step {
  if (atMs - silentFromMs >= FORGET_AFTER_MS) {
    const { state: resumed, effects } = resumeOrders(state, silentFromMs, atMs)
    // Nobody was there for what would have been meanwhile.
    return stepTo({ ...resumed, ...(resumed.turns && { turns: state.turns ?? [] }) }, effects)
  }
  // Without a stream listeners play the files themselves, also while no worker is alive.
  const isHeard = state.pace === 'clock' || atMs <= silentFromMs
  return isHeard ? advance(state, atMs) : passSilence(state, silentFromMs, atMs)
}

/**
 * Rules R1, R4: advances by the clock, even in stream mode, but does not pass over donated tracks. Only the track heard in
 * the end gives `played`.
 */
function passSilence(saved: PlayoutState, fromMs: number, atMs: number): Step {
  const { pace } = saved
  const stopped = endedAt({ ...saved, pace: 'clock' }, fromMs)
  let { state } = stopped
  let kept: string | null = null
  const effects: Effect[] = [...stopped.effects]
  for (let dueMs: number | null = fromMs; dueMs !== null && dueMs <= atMs; dueMs = nextDueMs(state)) {
    const step = advance(state, dueMs)
    effects.push(...step.effects)
    state = step.state
    const song = state.onAir.phase === 'track' ? stoppedSong({ ...state, pace }, dueMs) : null
    if (!song || song.entry.entryId === kept) continue
    // The track does not end before `atMs`; everything else that falls due until then happens.
    state = { ...state, onAir: goingOn(song, atMs) }
    kept = song.entry.entryId
  }
  state = { ...state, pace }
  const { onAir } = state
  const began = onAir.phase === 'track' && onAir.entry.entryId !== songOnAir(saved)?.entryId
  const heard = began ? effects.findLast((effect) => effect.type === 'played') : undefined
  const others = effects.filter((effect) => effect.type !== 'played')
  if (!heard) return stepTo(state, others)
  const startedAtMs = soundStartMs(state)
  return stepTo({ ...state, lastPlayedMs: startedAtMs }, [...others, { ...heard, startedAtMs }])
}

/** Rule R4c: ends a track whose sound lasted longer than its duration, up to this moment (rule T2). */
function endedAt(state: PlayoutState, stoppedAtMs: number): Step {
  const { onAir } = state
  const isOverdue = onAir.phase === 'track' && trackEndMs(onAir.entry, onAir.startedAtMs) < stoppedAtMs
  return isOverdue ? next(state, stoppedAtMs) : stepTo(state)
}

/** Rule R2: keeps only requested and donated tracks of the queue. */
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
  // Events during the outage: a switch that fell due, the hours of day and night (rules M2, S7).
  const began = start({ ...saved, playlist, prepared: {}, onAir, isPaused: false }, silentFromMs)
  const passed = andThen(began, (state) => advance(state, atMs))
  return andThen(passed, (state) => playOrders(state, saved.mode, song, atMs))
}

/** Begins with requested and donated tracks; after a mode change only with donated ones, as in rule M1. */
function playOrders(state: PlayoutState, mode: Mode, song: StoppedSong | null, atMs: number): Step {
  const entries = state.playlist.entries.filter(
    (entry) => state.mode === mode || entry.orderType === 'donated',
  )
  if (entries.length === 0) return stepTo({ ...state, playlist: emptyPlaylist })
  const playlist = { ...state.playlist, entries }
  if (!song) return next({ ...state, mode, playlist }, atMs)
  return stepTo({ ...state, mode, playlist: { ...playlist, index: 0 }, onAir: goingOn(song, atMs) })
}

interface StoppedSong {
  entry: QueueEntry
  /** Position up to which it was heard, and that of its first sound. */
  positionMs: number
  startMs: number
  phrase?: Phrase
}

/** Rule R4: the donated track whose sound stopped at a moment; null = none, or too little of it is left. */
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
