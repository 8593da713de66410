import { advance, next, soundStartMs, trackEndMs } from './advance.ts'
import { jingleEndMs } from './jingles.ts'
import type { Jingle, OnAir, Phrase, PlayoutState, QueueEntry } from './state.ts'

/** What is to be heard at a moment, and what follows it. */
export interface AirPlan {
  /** `phrase`: what is mixed over the end of a song. */
  current: { entry: AirEntry; positionMs: number; phrase?: Phrase } | null
  next: AirEntry | null
  /** What is on air begins only then: until that moment it is what was on before, if there was anything. */
  beginsAtMs?: number
}

/** A song, or a jingle; `after`: the song before it, which is still shown. */
export type AirEntry = QueueEntry | (Jingle & { after: QueueEntry })

/** What to decode, and from where. Says nothing of time: the sound itself reports its end. */
export function projectAir(saved: PlayoutState, atMs: number): AirPlan {
  // The first track after a preparing phase starts at a moment that is known before.
  const state = saved.onAir.phase === 'preparing' ? advance(saved, atMs).state : saved
  const { onAir } = state
  const startMs = soundStartMs(state)
  const begins = atMs < startMs ? { beginsAtMs: startMs } : {}
  if (onAir.phase === 'preparing')
    return { current: null, next: state.prepared[state.mode]?.entries[0] ?? null, ...begins }
  const entry = heard(onAir)
  if (atMs < startMs) return { current: null, next: entry, ...begins }
  const endMs = onAir.phase === 'jingle' ? jingleEndMs(onAir) : trackEndMs(onAir.entry, onAir.startedAtMs)
  const after = next(state, Math.max(atMs, endMs)).state.onAir
  const phrase = onAir.phase === 'track' ? onAir.phrase : undefined
  return {
    current: { entry, positionMs: atMs - onAir.startedAtMs, ...(phrase && { phrase }) },
    next: after.phase === 'preparing' ? null : heard(after),
  }
}

function heard(onAir: Exclude<OnAir, { phase: 'preparing' }>): AirEntry {
  return onAir.phase === 'jingle' ? { ...onAir.jingle, after: onAir.entry } : onAir.entry
}
