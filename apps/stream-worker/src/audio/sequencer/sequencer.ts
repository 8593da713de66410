/**
 * The sequencer: what is to be done with the next samples of the broadcast. Pure: stage, plan and the progress of decoders
 * go in, steps and the next stage come out; `playback` runs them.
 *
 * - **B1** Each sample is mixed once, in order. A step mixes as far as nothing else falls.
 * - **B2** A voice is over just behind its last sample, and the next one begins there with its first. Silence of 2 s comes
 *   between them when the track died within 5 s, long before it was to end.
 * - **B3** With a crossfade two tracks overlap: for at most half of either, and for the crossfade at most. Jingles, background music
 *   and the tail of a dead worker overlap with nothing.
 * - **B4** A plan that changed is heard from the cursor on. What sounds fades out, over 20 ms or, where a chat begins or
 *   ends, over 700 ms. The same entry goes on.
 * - **B5** A tail is played to its end or its cut, and is not told to the engine, which knows.
 * - **B6** Samples that are not ready are waited for, as long as there is patience; then they are silent, and time goes on.
 * - **B7** An undecodable voice gives way at once, a blank one after 8 s (rule T6). A voice whose decoder is late is
 *   neither: after 8 s it gives way to a next one that has sound, but while that one is late too, the machine is slow and
 *   changing would not help. The entry that ended last is not begun again, whatever the plan says.
 */
import type { AirPlan } from '@solstice/playout'
import { type Fade, isOver } from '../pcm/mixer.ts'
import { isBlank, isMissing } from './blank-detector.ts'
import {
  begin,
  change,
  currentOf,
  followerOf,
  QUICK_FADE_SAMPLES,
  ROUNDING_SAMPLES,
  type Stage,
  voicesOf,
} from './stage.ts'
import {
  allSounds,
  crossfadeStart,
  endOf,
  isStarved,
  type ProgressOf,
  type Sound,
  type Voice,
  withPhrase,
} from './voice.ts'

export type Step =
  /** Mix `count` samples of these sounds, none of them gives silence. */
  | { readonly do: 'mix'; readonly count: number; readonly sounds: readonly Sound[] }
  /** Samples are not ready, and worth waiting for. */
  | { readonly do: 'wait' }
  | Turn

/** Falls on the cursor: the engine is told, and its plan is put on air (`take`). */
export type Turn =
  /** No voice is on air. */
  | { readonly do: 'begin' }
  /** The last sample was mixed. */
  | { readonly do: 'end'; readonly voice: Voice }
  /** The entry after a tail takes over before the tail's end. */
  | { readonly do: 'cut'; readonly voice: Voice }
  /** The crossfade to the prepared voice begins; `length` in samples. */
  | { readonly do: 'crossfade'; readonly voice: Voice; readonly length: number }
  /** The voice cannot be decoded. */
  | { readonly do: 'refuse'; readonly voice: Voice }
  /** The voice gave no sound for 8 s. */
  | { readonly do: 'blank'; readonly voice: Voice }
  /** The voice's decoder is 8 s late, and the next voice is ready. */
  | { readonly do: 'late'; readonly voice: Voice }

/**
 * @param most samples that can be mixed.
 * @param isPatient decoders are waited for.
 */
export function nextStep(stage: Stage, most: number, isPatient: boolean, progressOf: ProgressOf): Step {
  const { cursor } = stage
  const voice = currentOf(stage)
  if (!voice) return stage.askedAt === cursor ? mix(stage, most, isPatient, progressOf) : { do: 'begin' }
  const until = (sample: number) => mix(stage, Math.min(most, sample - cursor), isPatient, progressOf)
  const progress = progressOf(voice)
  if (progress.phase === 'unplayable') return { do: 'refuse', voice }
  if (isBlank(voice.blank)) return { do: 'blank', voice }
  if (isOvertaken(stage, voice, progressOf)) return { do: 'late', voice }
  const end = endOf(voice, progress)
  const { cutAt } = voice
  // An end that falls on that moment, but for rounding, is no cut.
  if (cutAt !== null && (end === null || end - cutAt > ROUNDING_SAMPLES))
    return cursor < cutAt ? until(cutAt) : { do: 'cut', voice }
  if (end === null) return until(Infinity)
  if (cursor >= end) return { do: 'end', voice }
  const { prepared } = stage
  const fadeFrom = prepared && crossfadeStart(voice, end, prepared, stage.crossfade, progressOf)
  if (fadeFrom === null || cursor < fadeFrom) return until(fadeFrom ?? end)
  if (progressOf(prepared!).phase === 'opening') return isPatient ? { do: 'wait' } : until(end)
  return { do: 'crossfade', voice, length: end - cursor }
}

/** ms behind the cursor for which the plan is asked after a turn. */
export function planDelayMs(turn: Turn): number {
  // The moment of a tail's end was computed by another worker, and may lie a hair's breadth later.
  return turn.do === 'cut' || (turn.do === 'end' && turn.voice.isTail) ? 1 : 0
}

/** The stage after a turn, of which the engine was told: `plan` is what it says since. */
export function take(stage: Stage, turn: Turn, plan: AirPlan, progressOf: ProgressOf): Stage {
  const { cursor } = stage
  if (turn.do === 'begin') return begin({ ...stage, askedAt: cursor }, plan, cursor, null, progressOf)
  const { voice } = turn
  const left = { ...stage, overId: voice.entry.entryId, askedAt: cursor }
  if (turn.do === 'cut') return change(left, plan, progressOf)
  if (turn.do !== 'crossfade') return begin(left, plan, cursor, null, progressOf)
  const isAsPrepared = plan.current?.entry.entryId === stage.prepared?.entry.entryId
  const { length } = turn
  const fade = (direction: Fade['direction'], length: number): Fade => ({
    ...{ direction, from: cursor, length, level: 1 },
  })
  // The engine may have thought again: this one sounds to its end after all, the other one joins in now.
  const outLength = isAsPrepared ? length : Math.min(length, QUICK_FADE_SAMPLES)
  const leaving = [...stage.leaving, { ...voice, fade: fade('out', outLength) }]
  return begin({ ...left, leaving }, plan, cursor, isAsPrepared ? fade('in', length) : null, progressOf)
}

/** The stage when the plan may be another one for a reason that does not lie in the sound. */
export function followPlan(stage: Stage, plan: AirPlan, progressOf: ProgressOf): Stage {
  const entryId = plan.current?.entry.entryId
  const { prepared, onAir } = stage
  const isPrepared = prepared && [plan.next?.entryId, entryId].includes(prepared.entry.entryId)
  const now = { ...stage, prepared: isPrepared ? prepared : null, askedAt: null }
  if (onAir.is === 'chat' && onAir.placed.entry.entryId === entryId) return now
  if (onAir.is !== 'voice') return change(now, plan, progressOf)
  const { voice } = onAir
  const following = followerOf(stage, plan)
  if (voice.isTail) {
    const isSame = stage.following?.entryId === following?.entryId
    return isSame ? { ...now, following } : change(now, plan, progressOf)
  }
  if (voice.entry.entryId !== entryId) return change(now, plan, progressOf)
  const phrased = withPhrase(voice, plan.current?.phrase ?? null)
  return { ...now, following, onAir: { is: 'voice', voice: phrased } }
}

/** True when the decoder of a voice is late, although another one that was started after it has sound. */
function isOvertaken({ prepared }: Stage, voice: Voice, progressOf: ProgressOf): boolean {
  if (!prepared || !isMissing(voice.blank) || progressOf(voice).phase !== 'opening') return false
  const { phase } = progressOf(prepared)
  return phase === 'decoding' || phase === 'ended'
}

/** Mixes up to `most` samples, as far as nothing falls. */
function mix(stage: Stage, most: number, isPatient: boolean, progressOf: ProgressOf): Step {
  const { cursor } = stage
  const voices = voicesOf(stage)
  let count = most
  for (const { fade } of voices) {
    if (fade && !isOver(fade, cursor)) count = Math.min(count, fade.from + fade.length - cursor)
  }
  const current = currentOf(stage)
  if (isPatient && current && isLate(current, cursor + count, stage.crossfade, progressOf))
    return { do: 'wait' }
  // A phrase is heard from its beginning to its end only.
  const isHeard = (sound: Sound) => {
    const { end } = progressOf(sound)
    return sound.startsAt < cursor + count && (end === null || cursor < sound.startsAt + end)
  }
  const sounds = allSounds(voices).filter((sound) => 'entry' in sound || isHeard(sound))
  return { do: 'mix', count, sounds }
}

/** True while a voice cannot give its samples up to `sample`. */
function isLate(voice: Voice, sample: number, crossfade: number, progressOf: ProgressOf): boolean {
  // A crossfade can only begin in time when the end is known that much ahead.
  if (isStarved(voice, progressOf(voice), sample + crossfade)) return true
  const { overlay } = voice
  if (!overlay) return false
  const progress = progressOf(overlay)
  return progress.phase !== 'unplayable' && isStarved(overlay, progress, sample)
}
