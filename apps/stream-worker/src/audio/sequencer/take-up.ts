import type { AirPlan } from '@solstice/playout'
import type { StreamMarker } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry, placedBy } from './air-entry.ts'
import { begin, openVoice, putOnAir, ROUNDING_MS, type Stage } from './stage.ts'
import type { ProgressOf } from './voice.ts'

/** A track that was closer to its end than this in the last chunk is played to the end by the worker that takes over. */
const TAIL_MS = 2_000

/**
 * The stage that continues where the last broadcast ended.
 *
 * A worker may die after telling the engine of a track's end but before publishing it: the plan is then
 * ahead of what was heard. The rest of that track, its tail, plays first, to its end or to where the plan begins.
 *
 * @param at sample from which the plan is heard.
 * @param lastMarker what was heard just before; null if it cannot be continued.
 */
export function takeUp(
  stage: Stage,
  plan: AirPlan,
  { at, lastMarker }: { at: number; lastMarker: StreamMarker | null },
  progressOf: ProgressOf,
): Stage {
  if (lastMarker === null || lastMarker.entryId === null) return begin(stage, plan, at, null, progressOf)
  const { entry, startsAt, phrase } = placedBy(lastMarker)
  const { media, endMs } = aboutEntry(entry)
  if (media === null) return begin(stage, plan, at, null, progressOf)
  const positionMs = (at - startsAt) / SAMPLES_PER_MS
  const planned = plan.current
  if (planned?.entry.entryId === lastMarker.entryId) {
    // The marker is exact to the sample; the engine's position can be off by a frame.
    const isSame = Math.abs(planned.positionMs - positionMs) < ROUNDING_MS
    const current = isSame ? { ...planned, positionMs } : planned
    return begin(stage, { ...plan, current }, at, null, progressOf)
  }
  const cutMs = plan.beginsInMs ?? Infinity
  const isCut = cutMs <= TAIL_MS
  const restMs = (endMs ?? Infinity) - positionMs
  // The last frame held its end, and with it the beginning of what the plan has on air.
  const isOver = planned !== null && restMs <= 0
  if (isOver || (!isCut && restMs > TAIL_MS)) return begin(stage, plan, at, null, progressOf)
  const cutAt = isCut ? at + Math.round(cutMs * SAMPLES_PER_MS) : null
  const tail = { ...openVoice(stage, entry, startsAt, null), isTail: true, cutAt }
  return putOnAir({ ...stage, following: planned?.entry ?? plan.next }, tail, phrase)
}
