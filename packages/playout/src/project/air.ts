import { next } from '../boundary/boundary.ts'
import { backgroundEndMs } from '../clips/chat.ts'
import { jingleEndMs } from '../clips/jingles.ts'
import {
  CHAT_TITLE,
  type ClipRef,
  type Jingle,
  type OnAir,
  type Phrase,
  type PlayoutState,
  type QueueEntry,
  type TrackRef,
} from '../model/state.ts'
import { soundStartMs, trackEndMs } from '../model/timing.ts'
import { advance } from '../step/advance.ts'

/** What is to be heard at a moment, and what follows it. */
export interface AirPlan {
  /** `phrase`: what is mixed over the end of a song. */
  current: { entry: AirEntry; positionMs: number; phrase?: Phrase } | null
  next: AirEntry | null
  /** What is on air begins only then: until that moment it is what was on before, if there was anything. */
  beginsAtMs?: number
}

/** A song; a jingle, `after`: the song before it, which is still shown; or what is heard under a talk. */
export type AirEntry = QueueEntry | (Jingle & { after: QueueEntry }) | ChatEntry

/**
 * Background music under a talk, from its beginning to its end, or silence (null) without an end. `shown`: what is shown
 * meanwhile, with the id of the song before, '' if there was none.
 */
export interface ChatEntry {
  /** Another one at each change and each repetition. */
  entryId: string
  background: ClipRef | null
  shown: TrackRef
}

/** What to decode, and from where. Says nothing of time: the sound itself reports its end. */
export function projectAir(saved: PlayoutState, atMs: number): AirPlan {
  // The first track after a preparing phase starts at a moment that is known before.
  const state = saved.onAir.phase === 'preparing' ? advance(saved, atMs).state : saved
  const { onAir } = state
  const startMs = soundStartMs(state)
  const begins = atMs < startMs ? { beginsAtMs: startMs } : {}
  if (onAir.phase === 'preparing') return { current: null, next: firstOf(state), ...begins }
  const entry = heard(onAir)
  if (atMs < startMs) return { current: null, next: entry, ...begins }
  const endMs = soundEndMs(onAir)
  const after = endMs === null ? null : next(state, Math.max(atMs, endMs)).state.onAir
  const phrase = onAir.phase === 'track' ? onAir.phrase : undefined
  const { startedAtMs } = onAir.phase === 'chat' ? onAir.background : onAir
  return {
    current: { entry, positionMs: atMs - startedAtMs, ...(phrase && { phrase }) },
    next: after === null || after.phase === 'preparing' ? null : heard(after),
  }
}

/** While preparing: with what the list begins, unless hosts talk first (rule O2). */
function firstOf(state: PlayoutState): QueueEntry | null {
  return state.isPaused ? null : (state.prepared[state.mode]?.entries[0] ?? null)
}

type Audible = Exclude<OnAir, { phase: 'preparing' }>

/** When what is on air ends by its duration; null = not by itself. */
function soundEndMs(onAir: Audible): number | null {
  switch (onAir.phase) {
    case 'track':
      return trackEndMs(onAir.entry, onAir.startedAtMs)
    case 'jingle':
      return jingleEndMs(onAir)
    case 'chat':
      return backgroundEndMs(onAir.background)
  }
}

function heard(onAir: Audible): AirEntry {
  switch (onAir.phase) {
    case 'track':
      return onAir.entry
    case 'jingle':
      return { ...onAir.jingle, after: onAir.entry }
    case 'chat':
      return {
        entryId: onAir.background.entryId,
        background: onAir.background.clip,
        shown: shownInChat(onAir.entry),
      }
  }
}

function shownInChat(before: QueueEntry | null): TrackRef {
  return {
    id: before?.track.id ?? '',
    title: CHAT_TITLE,
    artist: '',
    album: '',
    year: null,
    durationMs: null,
  }
}
