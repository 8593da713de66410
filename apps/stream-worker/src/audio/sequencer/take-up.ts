import type { AirPlan } from '@solstice/playout'
import type { StreamMarker } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry, placedBy } from './air-entry.ts'
import { begin, openVoice, putOnAir, ROUNDING_MS, type Stage } from './stage.ts'
import type { ProgressOf } from './voice.ts'

/** A track that the last chunk left off closer to its end is played to that end by the worker that goes on. */
const TAIL_MS = 2_000

/**
 * The stage that goes on where the last broadcast ended.
 *
 * A worker that died may have told the engine of a track's end that it could not publish any more: the plan is then
 * beyond what was heard. What is left of that track, its tail, is heard first; to its end, or to where the plan begins.
 *
 * @param at sample from which on the plan is heard; `atMs`: its station time.
 * @param lastMarker what was heard just before; null = nothing that can be gone on with.
 */
export function takeUp(
  stage: Stage,
  plan: AirPlan,
  { at, atMs, lastMarker }: { at: number; atMs: number; lastMarker: StreamMarker | null },
  progressOf: ProgressOf,
): Stage {
  if (lastMarker === null || lastMarker.entryId === null) return begin(stage, plan, at, null, progressOf)
  const { entry, startsAt, phrase } = placedBy(lastMarker)
  const { media, endMs } = aboutEntry(entry)
  if (media === null) return begin(stage, plan, at, null, progressOf)
  const positionMs = (at - startsAt) / SAMPLES_PER_MS
  const planned = plan.current
  if (planned?.entry.entryId === lastMarker.entryId) {
    // The marker is exact to the sample; the engine's position may be off by a frame.
    const isSame = Math.abs(planned.positionMs - positionMs) < ROUNDING_MS
    const current = isSame ? { ...planned, positionMs } : planned
    return begin(stage, { ...plan, current }, at, null, progressOf)
  }
  const cutMs = (plan.beginsAtMs ?? Infinity) - atMs
  const isCut = cutMs <= TAIL_MS
  const isNearEnd = endMs !== null && endMs - positionMs <= TAIL_MS
  if (!isCut && !isNearEnd) return begin(stage, plan, at, null, progressOf)
  const cutAt = isCut ? at + Math.round(cutMs * SAMPLES_PER_MS) : null
  const tail = { ...openVoice(stage, entry, startsAt, null), isTail: true, cutAt }
  return putOnAir({ ...stage, following: planned?.entry ?? plan.next }, tail, phrase)
}
