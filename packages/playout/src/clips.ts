import type { Mode } from '@solstice/contracts'
import { draw } from './random.ts'
import type { ClipRef, Clips, OnAir, PlayoutState } from './state.ts'

/**
 * The station tells which clips may go on air (rules J1, J6, P4). What sounds already is not touched; a phrase that is still
 * to come and may not go on air any more does not.
 */
export function learnClips(state: PlayoutState, clips: Clips, nowMs: number): PlayoutState {
  if (state.pace === 'clock') return state
  const isOtherFrequency = clips.jingles.frequency !== state.clips.jingles.frequency
  return withoutLostPhrase(
    {
      ...state,
      clips,
      jingleCount: isOtherFrequency ? { ...state.jingleCount, threshold: null } : state.jingleCount,
    },
    nowMs,
  )
}

/** Rules J6, P5: a clip that cannot be decoded is left out until the station tells anew. */
export function dropClip(state: PlayoutState, clipId: string): PlayoutState {
  const without = (usable: Record<Mode, ClipRef[]>): Record<Mode, ClipRef[]> => ({
    day: usable.day.filter((clip) => clip.id !== clipId),
    night: usable.night.filter((clip) => clip.id !== clipId),
  })
  const { jingles, phrases } = state.clips
  const { onAir } = state
  const isPhraseOnAir = onAir.phase === 'track' && onAir.phrase?.clip.id === clipId
  return {
    ...state,
    onAir: isPhraseOnAir ? withoutPhrase(onAir) : onAir,
    clips: {
      jingles: { ...jingles, usable: without(jingles.usable) },
      phrases: { ...phrases, usable: without(phrases.usable) },
    },
  }
}

/** One of the clips at random, other than the last one if there is a choice; null when there are none. */
export function pick(
  usable: readonly ClipRef[],
  lastId: string | null,
  seed: number,
): { clip: ClipRef | null; seed: number } {
  const others = usable.filter((clip) => clip.id !== lastId)
  const choice = others.length > 0 ? others : usable
  if (choice.length === 0) return { clip: null, seed }
  const drawn = draw(seed)
  return { clip: choice[Math.floor(drawn.value * choice.length)]!, seed: drawn.seed }
}

function withoutLostPhrase(state: PlayoutState, nowMs: number): PlayoutState {
  const { onAir, clips } = state
  if (onAir.phase !== 'track' || !onAir.phrase) return state
  const { clip, fromMs } = onAir.phrase
  const isUsable = clips.phrases.usable[state.mode].some((usable) => usable.id === clip.id)
  if (isUsable || nowMs - onAir.startedAtMs >= fromMs) return state
  return { ...state, onAir: withoutPhrase(onAir) }
}

function withoutPhrase({ phrase: _left, ...onAir }: Extract<OnAir, { phase: 'track' }>): OnAir {
  return onAir
}
