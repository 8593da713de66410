import type { Mode } from '@solstice/contracts'
import type { ClipRef, OnAir, PlayoutState, UsableClips } from '../model/state.ts'
import { renewBackground } from './chat.ts'
import { withoutLostJingle } from './jingles.ts'

/**
 * Takes in the usable clips (rules J1, J6, P4, O4). A jingle or a phrase that already sounds is not touched; a coming phrase
 * that is no longer usable is dropped.
 */
export function learnClips(state: PlayoutState, clips: UsableClips, nowMs: number): PlayoutState {
  if (state.pace === 'clock') return state
  const isOtherFrequency = clips.jingles.frequency !== state.clips.jingles.frequency
  const isOtherChoice = clips.background.chosenBy !== state.clips.background.chosenBy
  const informed = withoutLostPhrase(
    {
      ...state,
      clips,
      jingleCount: isOtherFrequency ? { ...state.jingleCount, threshold: null } : state.jingleCount,
    },
    nowMs,
  )
  return renewBackground(withoutLostJingle(informed), nowMs, isOtherChoice)
}

/** Rules J6, P5, O4: leaves out an undecodable clip until the next `clips` fact. */
export function dropClip(state: PlayoutState, clipId: string, nowMs: number): PlayoutState {
  const without = <F extends { usable: Record<Mode, ClipRef[]> }>(family: F): F => ({
    ...family,
    usable: {
      day: family.usable.day.filter((clip) => clip.id !== clipId),
      night: family.usable.night.filter((clip) => clip.id !== clipId),
    },
  })
  const { jingles, phrases, background } = state.clips
  const { onAir } = state
  const isPhraseOnAir = onAir.phase === 'track' && onAir.phrase?.clip.id === clipId
  const informed = {
    ...state,
    onAir: isPhraseOnAir ? withoutPhrase(onAir) : onAir,
    clips: { jingles: without(jingles), phrases: without(phrases), background: without(background) },
  }
  return renewBackground(withoutLostJingle(informed), nowMs)
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
