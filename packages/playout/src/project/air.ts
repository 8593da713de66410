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

/** The sound of a moment, and the entry that follows it. */
export interface AirPlan {
  /** `phrase`: the clip that is mixed over the end of a track. */
  current: { entry: AirEntry; positionMs: number; phrase?: Phrase } | null
  next: AirEntry | null
  /** The entry on air begins only after this time; until then the one before it is heard, if there was one. */
  beginsInMs?: number
}

/** A track; a jingle, with `after`, the track before it, which is still shown; or background music of a chat. */
export type AirEntry = QueueEntry | (Jingle & { after: QueueEntry }) | ChatEntry

/**
 * Background music of a chat, from its beginning to its end, or silence (null) without an end. `shown`: the chat's title,
 * with the id of the track before it, '' if there was none.
 */
export interface ChatEntry {
  /** New at each change and each repetition. */
  entryId: string
  background: ClipRef | null
  shown: TrackRef
}

/** The entry to decode, and the position. It has no end: the sound itself reports that. */
export function projectAir(saved: PlayoutState, atMs: number): AirPlan {
  // The first track after a preparing phase starts at a moment that is known beforehand.
  const state = saved.onAir.phase === 'preparing' ? advance(saved, atMs).state : saved
  const { onAir } = state
  const startMs = soundStartMs(state)
  const begins = atMs < startMs ? { beginsInMs: startMs - atMs } : {}
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

/** While preparing: the first entry of the playlist, unless a chat comes first (rule O2). */
function firstOf(state: PlayoutState): QueueEntry | null {
  return state.isPaused ? null : (state.prepared[state.mode]?.entries[0] ?? null)
}

type Audible = Exclude<OnAir, { phase: 'preparing' }>

/** The moment at which the sound on air ends by its duration; null = not by itself. */
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
