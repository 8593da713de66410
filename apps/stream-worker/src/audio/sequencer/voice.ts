import type { AirEntry, Phrase } from '@solstice/playout'
import { type MediaKey, SAMPLE_RATE } from '@solstice/station'
import type { Decoder } from '../codec/decoder.ts'
import type { Fade } from '../pcm/mixer.ts'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { ASSUMED_CLIP_MS, aboutEntry, type Placed } from './air-entry.ts'
import { type BlankCount, nothingCounted } from './blank-detector.ts'

/** Files are decoded up to this far beyond their duration in the library, in case that is too short. */
const OVERRUN_MS = 5_000
/** A track that died within 5 s is followed by 2 s of silence, so that a broken library does not race by. */
const EARLY_SAMPLES = 5 * SAMPLE_RATE
const EARLY_SHORTFALL_SAMPLES = SAMPLE_RATE
const EARLY_SILENCE_SAMPLES = 2 * SAMPLE_RATE
/** Gain of a phrase over the end of a track. */
const PHRASE_GAIN = 9

/** One file in the mix, as numbers; its decoder is found by the id. Positions and lengths are in samples. */
export interface Sound {
  /** Unique within a broadcast. */
  readonly id: number
  readonly media: MediaKey
  /** Sample of the broadcast at its position 0. */
  readonly startsAt: number
  /** Position of the first decoded sample. */
  readonly from: number
  /** Position at which decoding stops; Infinity for the end of the file. */
  readonly limit: number
  readonly gain: number
  readonly fade: Fade | null
}

/** A track, jingle or background music that is on air, fading out, or prepared. */
export interface Voice extends Sound, Readonly<Placed> {
  /** The phrase as a sound, present from 20 s before it plays. */
  readonly overlay: Sound | null
  readonly blank: BlankCount
  /** True when the engine already counts this entry as ended and only its tail is left to play. */
  readonly isTail: boolean
  /** Sample at which a tail was cut, if any. */
  readonly cutAt: number | null
}

/** Progress of the decoder of a sound. */
export type Progress = Pick<Decoder, 'phase' | 'end' | 'ready'>
export type ProgressOf = (sound: Sound) => Progress

/** A voice of an entry. `startsAt`: sample of the broadcast at its position 0; `from`: first position wanted. */
export function voiceOf(entry: AirEntry, id: number, startsAt: number, from: number): Voice {
  const { media, endMs, isTrimmed, gain } = aboutEntry(entry)
  if (media === null) throw new Error('silence has no file')
  const lengthMs = endMs ?? ('clip' in entry ? ASSUMED_CLIP_MS : Infinity)
  const limit = Math.round((lengthMs + (isTrimmed ? 0 : OVERRUN_MS)) * SAMPLES_PER_MS)
  return {
    ...{ id, media, startsAt, from, limit, gain, fade: null },
    ...{ entry, phrase: null, overlay: null },
    blank: nothingCounted(from - startOf(entry) > SAMPLE_RATE),
    ...{ isTail: false, cutAt: null },
  }
}

/** The phrase of a voice as a sound, decoded from the current position of the broadcast. */
export function overlayOf({ clip }: Phrase, id: number, startsAt: number, cursor: number): Sound {
  const limitMs = (clip.durationMs ?? ASSUMED_CLIP_MS) + OVERRUN_MS
  const limit = Math.round(limitMs * SAMPLES_PER_MS)
  const from = Math.max(0, cursor - startsAt)
  return { id, media: clip.media, startsAt, from, limit, gain: PHRASE_GAIN, fade: null }
}

/** The voice with the given phrase, or none; the same object if nothing changes. */
export function withPhrase(voice: Voice, phrase: Phrase | null): Voice {
  const isSame = voice.phrase?.clip.id === phrase?.clip.id && voice.phrase?.fromMs === phrase?.fromMs
  return isSame ? voice : { ...voice, phrase, overlay: null }
}

/** Voices and their phrases. */
export function allSounds(voices: readonly Voice[]): Sound[] {
  return voices.flatMap((voice) => (voice.overlay ? [voice, voice.overlay] : [voice]))
}

/** Position at which an entry starts when it plays from its beginning. */
export function startOf(entry: AirEntry): number {
  return Math.round(aboutEntry(entry).startMs * SAMPLES_PER_MS)
}

/** Sample just past the last one of a voice; null until its end was decoded. */
export function endOf({ entry, startsAt }: Voice, { end }: Progress): number | null {
  if (end === null) return null
  const { clip, endMs } = aboutEntry(entry)
  if (clip) return startsAt + end
  const expected = endMs === null ? EARLY_SAMPLES : endMs * SAMPLES_PER_MS
  const diedEarly = end < EARLY_SAMPLES && end < expected - EARLY_SHORTFALL_SAMPLES
  return startsAt + end + (diedEarly ? EARLY_SILENCE_SAMPLES : 0)
}

/**
 * Sample at which a voice that ends at `end` starts to overlap with the prepared one; null when they do not, as with a
 * jingle, a tail, or a track that died early. Each is heard alone for at least half of its length.
 */
export function crossfadeStart(
  voice: Voice,
  end: number,
  prepared: Voice,
  longest: number,
  progressOf: ProgressOf,
): number | null {
  const next = progressOf(prepared)
  if (longest === 0 || voice.isTail || next.phase === 'unplayable') return null
  if (aboutEntry(voice.entry).clip || aboutEntry(prepared.entry).clip) return null
  const decodedEnd = end - voice.startsAt
  if (decodedEnd > progressOf(voice).end!) return null
  const { endMs } = aboutEntry(prepared.entry)
  const nextEnd = next.end ?? (endMs === null ? Infinity : endMs * SAMPLES_PER_MS)
  const length = decodedEnd - startOf(voice.entry)
  return end - Math.floor(Math.min(longest, length / 2, (nextEnd - prepared.from) / 2))
}

/** True when a sound has no samples ready up to `sample` of the broadcast but may still get them. */
export function isStarved({ startsAt }: Sound, { phase, ready }: Progress, sample: number): boolean {
  const needed = sample - startsAt
  return needed > 0 && phase !== 'ended' && ready < needed
}
