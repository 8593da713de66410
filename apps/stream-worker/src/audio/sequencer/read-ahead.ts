import type { AirEntry, AirPlan, ClipRef } from '@solstice/playout'
import { SAMPLE_RATE } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry } from './air-entry.ts'
import { mayBeLeft } from './blank-detector.ts'
import { currentOf, followerOf, type Stage, withCurrent } from './stage.ts'
import { endOf, overlayOf, type ProgressOf, startOf, voiceOf, withPhrase } from './voice.ts'

/** The next track and a phrase are opened this long before they play. */
const PREPARE_SAMPLES = 20 * SAMPLE_RATE

/** The stage with the next entry and the phrase of the current one opened ahead of time. */
export function readAhead(stage: Stage, progressOf: ProgressOf): Stage {
  return withPhraseOpen(withNextOpen(stage, progressOf))
}

/** The prepared entry, if it cannot be decoded. */
export function undecodableNext({ prepared }: Stage, progressOf: ProgressOf): AirEntry | null {
  return prepared && progressOf(prepared).phase === 'unplayable' ? prepared.entry : null
}

/** The stage without the prepared entry, after the engine was told; `plan` is the engine's new plan. */
export function withoutNext(stage: Stage, plan: AirPlan): Stage {
  const follower = followerOf(stage, plan)
  const isSame = follower?.entryId === stage.prepared?.entry.entryId
  return { ...stage, prepared: null, following: isSame ? null : follower }
}

/** The phrase of the voice on air, if it cannot be decoded. */
export function undecodablePhrase(stage: Stage, progressOf: ProgressOf): ClipRef | null {
  const { overlay = null, phrase = null } = currentOf(stage) ?? {}
  return overlay && phrase && progressOf(overlay).phase === 'unplayable' ? phrase.clip : null
}

/** The stage without the phrase of the voice on air. */
export function withoutPhrase(stage: Stage): Stage {
  return withCurrent(stage, (voice) => withPhrase(voice, null))
}

function withNextOpen(stage: Stage, progressOf: ProgressOf): Stage {
  const { following, prepared, opened } = stage
  if (prepared || !following || aboutEntry(following).media === null) return stage
  if (!isNextNeededSoon(stage, progressOf)) return stage
  return { ...stage, prepared: voiceOf(following, opened, 0, startOf(following)), opened: opened + 1 }
}

function isNextNeededSoon(stage: Stage, progressOf: ProgressOf): boolean {
  const voice = currentOf(stage)
  if (!voice || mayBeLeft(voice.blank)) return true
  const { endMs } = aboutEntry(voice.entry)
  const planned = endMs === null ? Infinity : voice.startsAt + endMs * SAMPLES_PER_MS
  const end = endOf(voice, progressOf(voice)) ?? planned
  return end - stage.cursor <= PREPARE_SAMPLES + stage.crossfade
}

function withPhraseOpen(stage: Stage): Stage {
  const { cursor, opened } = stage
  const voice = currentOf(stage)
  if (!voice?.phrase || voice.overlay) return stage
  const startsAt = voice.startsAt + Math.round(voice.phrase.fromMs * SAMPLES_PER_MS)
  if (startsAt - cursor > PREPARE_SAMPLES) return stage
  const overlay = overlayOf(voice.phrase, opened, startsAt, cursor)
  return { ...withCurrent(stage, (current) => ({ ...current, overlay })), opened: opened + 1 }
}
