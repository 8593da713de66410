/**
 * The sequencer decides what to do with the next samples of the broadcast. It is pure: stage, plan and decoder progress
 * go in, steps and the next stage come out, and `playback` runs the steps.
 *
 * - **B1** Each sample is mixed once, in order. A step mixes up to the next turn.
 * - **B2** A voice ends right after its last sample, and the next one starts there with its first. If the track died within
 *   5 s, long before its end, 2 s of silence come between them. After silence, an entry starts at its moment, to the sample.
 * - **B3** With a crossfade two tracks overlap, by at most the crossfade and half of either track. Jingles, background music
 *   and the tail left by a dead worker never overlap.
 * - **B4** A changed plan applies from the cursor on. The current voice fades out over 20 ms or, when a chat begins or
 *   ends, over 700 ms. An entry that is in both plans continues.
 * - **B5** A tail plays to its end or its cut. The engine is not told, because it already knows.
 * - **B6** The sequencer waits for samples that are not ready until its patience ends; then it mixes silence.
 * - **B7** An undecodable voice is skipped at once, a blank one after 8 s (rule T6). A voice with a late decoder is
 *   neither: after 8 s it yields to a next voice that is ready, but if that one is late too, the machine is slow and
 *   changing would not help. The entry that ended last is not started again, whatever the plan says.
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
  /** Mix `count` samples of these sounds; with no sounds, silence. */
  | { readonly do: 'mix'; readonly count: number; readonly sounds: readonly Sound[] }
  /** Samples are not ready but worth waiting for. */
  | { readonly do: 'wait' }
  | Turn

/** A change at the cursor: the engine is told, and its new plan goes on air (`take`). */
export type Turn =
  /** No voice is on air. */
  | { readonly do: 'begin' }
  /** The last sample was mixed. */
  | { readonly do: 'end'; readonly voice: Voice }
  /** The entry after a tail starts before the tail ends. */
  | { readonly do: 'cut'; readonly voice: Voice }
  /** The crossfade to the prepared voice begins; `length` in samples. */
  | { readonly do: 'crossfade'; readonly voice: Voice; readonly length: number }
  /** The voice cannot be decoded. */
  | { readonly do: 'refuse'; readonly voice: Voice }
  /** The voice was silent for 8 s. */
  | { readonly do: 'blank'; readonly voice: Voice }
  /** The voice's decoder is 8 s late, and the next voice is ready. */
  | { readonly do: 'late'; readonly voice: Voice }

/**
 * @param most limit of samples to mix.
 * @param isPatient whether to wait for decoders.
 */
export function nextStep(stage: Stage, most: number, isPatient: boolean, progressOf: ProgressOf): Step {
  const { cursor } = stage
  const voice = currentOf(stage)
  const until = (sample: number) => mix(stage, Math.min(most, sample - cursor), isPatient, progressOf)
  if (!voice) return stage.askedAt === cursor ? until(beginningOf(stage)) : { do: 'begin' }
  const progress = progressOf(voice)
  if (progress.phase === 'unplayable') return { do: 'refuse', voice }
  if (isBlank(voice.blank)) return { do: 'blank', voice }
  if (isOvertaken(stage, voice, progressOf)) return { do: 'late', voice }
  const end = endOf(voice, progress)
  const { cutAt } = voice
  // An end at that moment, apart from rounding, is not a cut.
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

/** ms after the cursor for which the plan is requested after a turn. */
export function planDelayMs(turn: Turn): number {
  // Another worker computed when the tail ends, so rounding may put it slightly later.
  return turn.do === 'cut' || (turn.do === 'end' && turn.voice.isTail) ? 1 : 0
}

/** The stage after a turn that the engine was told of; `plan` is the engine's new plan. */
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
  // The engine may have changed its mind: this voice plays to its end after all, and the other joins in now.
  const outLength = isAsPrepared ? length : Math.min(length, QUICK_FADE_SAMPLES)
  const leaving = [...stage.leaving, { ...voice, fade: fade('out', outLength) }]
  return begin({ ...left, leaving }, plan, cursor, isAsPrepared ? fade('in', length) : null, progressOf)
}

/** The stage after the plan may have changed for a reason other than playback. */
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

/** The sample at which the plan begins while nothing is on air; without one it is asked again before the next frame. */
function beginningOf({ cursor, onAir }: Stage): number {
  const at = onAir.is === 'nothing' ? onAir.until : null
  return at !== null && at > cursor ? at : Infinity
}

/** True when the decoder of a voice is late although one that started after it has samples. */
function isOvertaken({ prepared }: Stage, voice: Voice, progressOf: ProgressOf): boolean {
  if (!prepared || !isMissing(voice.blank) || progressOf(voice).phase !== 'opening') return false
  const { phase } = progressOf(prepared)
  return phase === 'decoding' || phase === 'ended'
}

/** Mixes up to `most` samples, or up to the next turn. */
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
  // A phrase is only ever played from its start to its end.
  const isHeard = (sound: Sound) => {
    const { end } = progressOf(sound)
    return sound.startsAt < cursor + count && (end === null || cursor < sound.startsAt + end)
  }
  const sounds = allSounds(voices).filter((sound) => 'entry' in sound || isHeard(sound))
  return { do: 'mix', count, sounds }
}

/** True while a voice lacks samples before `sample`. */
function isLate(voice: Voice, sample: number, crossfade: number, progressOf: ProgressOf): boolean {
  // A crossfade can start in time only if the end is known that far ahead.
  if (isStarved(voice, progressOf(voice), sample + crossfade)) return true
  const { overlay } = voice
  if (!overlay) return false
  const progress = progressOf(overlay)
  return progress.phase !== 'unplayable' && isStarved(overlay, progress, sample)
}
