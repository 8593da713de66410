import type { AirEntry, AirPlan, Phrase } from '@solstice/playout'
import { SAMPLE_RATE } from '@solstice/station'
import { type Fade, gainAt, isOver } from '../pcm/mixer.ts'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { aboutEntry, type Placed } from './air-entry.ts'
import { allSounds, type ProgressOf, type Sound, type Voice, voiceOf, withPhrase } from './voice.ts'

/** A change before a track's end fades over 20 ms, to avoid a click. */
export const QUICK_FADE_SAMPLES = 20 * SAMPLES_PER_MS
/** The slower fade of the music when a chat begins or ends. */
export const CHAT_FADE_SAMPLES = 700 * SAMPLES_PER_MS
/** Tolerance for rounding in the engine's moments, so that the next track starts with its first sample. */
export const ROUNDING_MS = 50
export const ROUNDING_SAMPLES = ROUNDING_MS * SAMPLES_PER_MS
/** A prepared decoder that is further behind is replaced by a new one. */
const CATCH_UP_SAMPLES = 2 * SAMPLE_RATE

/** A voice, the silence of a chat, or nothing; `until`: the sample at which the plan begins, if it names one. */
export type OnAir =
  | { readonly is: 'voice'; readonly voice: Voice }
  | { readonly is: 'chat'; readonly placed: Readonly<Placed> }
  | { readonly is: 'nothing'; readonly until: number | null }

/** The state of the sequencer as a value. Moments are samples of the broadcast. */
export interface Stage {
  /** The next sample to mix. */
  readonly cursor: number
  readonly onAir: OnAir
  /** Voices that are fading out, in the order in which they started. */
  readonly leaving: readonly Voice[]
  /** The next voice, decoded ahead. */
  readonly prepared: Voice | null
  /** The next entry, if the engine has named one. */
  readonly following: AirEntry | null
  /** The entry that last ended or failed to decode: it is not started again, whatever the plan says. */
  readonly overId: string | null
  /** The sample for which the plan had nothing to play. */
  readonly askedAt: number | null
  /** Longest crossfade in samples; 0 for none. */
  readonly crossfade: number
  /** Number of sounds so far: the id of the next one. */
  readonly opened: number
}

/** An empty stage whose first sample is `cursor`. */
export function emptyStage(cursor: number, crossfade: number): Stage {
  return {
    ...{ cursor, onAir: { is: 'nothing', until: null }, leaving: [], prepared: null, following: null },
    ...{ overId: null, askedAt: null, crossfade, opened: 0 },
  }
}

/** The voice on air. */
export function currentOf({ onAir }: Stage): Voice | null {
  return onAir.is === 'voice' ? onAir.voice : null
}

/** All audible voices, in the order in which they started. */
export function voicesOf(stage: Stage): readonly Voice[] {
  const current = currentOf(stage)
  return current ? [...stage.leaving, current] : stage.leaving
}

/** All sounds that need a decoder. */
export function soundsOf(stage: Stage): Sound[] {
  const voices = voicesOf(stage)
  return allSounds(stage.prepared ? [...voices, stage.prepared] : voices)
}

/** The entry after the voice on air; after a tail it is the one that the engine already has on air. */
export function followerOf(stage: Stage, plan: AirPlan): AirEntry | null {
  return currentOf(stage)?.isTail ? (plan.current?.entry ?? plan.next) : plan.next
}

/** The stage with the voice on air changed, if any. */
export function withCurrent(stage: Stage, changed: (voice: Voice) => Voice): Stage {
  const voice = currentOf(stage)
  return voice ? { ...stage, onAir: { is: 'voice', voice: changed(voice) } } : stage
}

/** The entry that listeners are shown. */
export function placedOf(onAir: OnAir): Readonly<Placed> | null {
  if (onAir.is === 'nothing') return null
  const { entry, startsAt, phrase } = onAir.is === 'chat' ? onAir.placed : onAir.voice
  return { entry, startsAt, phrase }
}

/** True when the same entry is heard and shown as before. */
export function isSameOnAir(before: OnAir, after: OnAir): boolean {
  if (before.is === 'voice' && after.is === 'voice')
    return before.voice.id === after.voice.id && before.voice.phrase === after.voice.phrase
  if (before.is === 'chat' && after.is === 'chat')
    return before.placed.entry.entryId === after.placed.entry.entryId
  return before.is === after.is
}

/** The stage after mixing `count` samples. */
export function advance(stage: Stage, count: number): Stage {
  const cursor = stage.cursor + count
  const isHeard = ({ fade }: Voice) => fade === null || !isOver(fade, cursor)
  const leaving = stage.leaving.every(isHeard) ? stage.leaving : stage.leaving.filter(isHeard)
  return { ...stage, cursor, leaving }
}

/** The stage moved back by `count` samples, which were mixed in vain, and without the sounds opened for it. */
export function rewind(stage: Stage, count: number): Stage {
  return { ...stage, cursor: stage.cursor - count, leaving: [], prepared: null, askedAt: null }
}

/**
 * Puts the entry of the plan on air at sample `at`, or nothing if that entry has just ended. The voice on air is dropped
 * unless it is among those fading out.
 */
export function begin(
  stage: Stage,
  plan: AirPlan,
  at: number,
  fade: Fade | null,
  progressOf: ProgressOf,
): Stage {
  const planned = plan.current
  const following = plan.next
  if (!planned || planned.entry.entryId === stage.overId) {
    const { beginsInMs } = plan
    const until = beginsInMs === undefined ? null : at + Math.ceil(beginsInMs * SAMPLES_PER_MS)
    return { ...stage, onAir: { is: 'nothing', until }, following }
  }
  const { entry } = planned
  const exact = Math.round(planned.positionMs * SAMPLES_PER_MS)
  if (aboutEntry(entry).media === null) {
    const placed = { entry, startsAt: at - exact, phrase: null }
    return { ...stage, onAir: { is: 'chat', placed }, following }
  }
  const opened = stage.prepared?.entry.entryId === entry.entryId ? stage.prepared : null
  const isBeginning = opened !== null && Math.abs(exact - opened.from) < ROUNDING_SAMPLES
  const position = isBeginning ? opened.from : exact
  const isReady = position < (opened ? progressOf(opened).ready : 0) + CATCH_UP_SAMPLES
  const voice = opened && position >= opened.from && isReady ? opened : null
  const startsAt = at - position
  return putOnAir(
    { ...stage, prepared: null, following },
    // The track may have been measured after it was opened.
    voice
      ? { ...voice, entry, startsAt, gain: aboutEntry(entry).gain, fade }
      : openVoice(stage, entry, startsAt, fade),
    planned.phrase ?? null,
  )
}

/** Puts the entry of the plan on air now and fades out the current one. */
export function change(stage: Stage, plan: AirPlan, progressOf: ProgressOf): Stage {
  const { cursor } = stage
  const current = currentOf(stage)
  const isToChat = plan.current !== null && aboutEntry(plan.current.entry).isChat
  const isFromChat = current !== null && aboutEntry(current.entry).isChat
  const voices = voicesOf(stage)
  const outLength = isToChat || isFromChat ? CHAT_FADE_SAMPLES : QUICK_FADE_SAMPLES
  const inLength = isToChat ? CHAT_FADE_SAMPLES : QUICK_FADE_SAMPLES
  const isJoined = (plan.current?.positionMs ?? 0) > 0 || voices.length > 0
  const leaving = voices.map((voice) => fadedOut(voice, cursor, outLength))
  const fadeIn: Fade | null = isJoined ? { direction: 'in', from: cursor, length: inLength, level: 1 } : null
  return begin({ ...stage, leaving }, plan, cursor, fadeIn, progressOf)
}

/** Puts a voice on air with a phrase, or none. */
export function putOnAir(stage: Stage, voice: Voice, phrase: Phrase | null): Stage {
  const opened = Math.max(stage.opened, voice.id + 1)
  return { ...stage, onAir: { is: 'voice', voice: withPhrase(voice, phrase) }, opened }
}

/** A voice for an entry that joins at the current position of the broadcast. */
export function openVoice(
  { opened, cursor }: Stage,
  entry: AirEntry,
  startsAt: number,
  fade: Fade | null,
): Voice {
  return { ...voiceOf(entry, opened, startsAt, Math.max(0, cursor - startsAt)), fade }
}

/** A voice and its phrase fading out from the cursor; a fade-out already under way keeps its end if that is sooner. */
function fadedOut(voice: Voice, cursor: number, longest: number): Voice {
  const out = (fade: Fade | null): Fade => {
    const left = fade?.direction === 'out' ? fade.from + fade.length - cursor : Infinity
    return { direction: 'out', from: cursor, length: Math.min(left, longest), level: gainAt(fade, cursor) }
  }
  const { overlay } = voice
  return { ...voice, fade: out(voice.fade), overlay: overlay && { ...overlay, fade: out(overlay.fade) } }
}
