import type { AirEntry, Phrase, Rendition, TrackRef } from '@solstice/playout'
import { FRAME_SAMPLES, type MediaKey, type SoundCue } from '@solstice/station'
import { SAMPLES_PER_MS } from './pcm-ring.ts'

/** A clip of unknown length is decoded as if it were so long. */
export const ASSUMED_CLIP_MS = 30_000

/** A song or a jingle as it lies in the broadcast. */
export interface Placed {
  entry: AirEntry
  /** Sample of the broadcast at which its position 0 lies. */
  startsAt: number
  /** What is to be mixed over its end. */
  phrase: Phrase | null
}

/** What the sound has to know of a song or a jingle, and what is shown while it is heard. */
export interface AboutEntry {
  media: MediaKey
  /** null when unknown. */
  durationMs: number | null
  /** Positions between which it is heard; `endMs` null = unknown. */
  startMs: number
  endMs: number | null
  /** Only silence follows behind `endMs`, which is left out. */
  isTrimmed: boolean
  /** Factor by which it is louder than its file. */
  gain: number
  /** The song, or the one before the jingle. */
  shown: TrackRef
  /** Id of the clip, when it is a jingle. */
  jingleId: string | null
}

export function aboutEntry(entry: AirEntry): AboutEntry {
  if (!('clip' in entry)) {
    const { track } = entry
    const { durationMs, rendition } = track
    return { media: track.id, durationMs, ...played(durationMs, rendition), shown: track, jingleId: null }
  }
  const { clip, after } = entry
  const { id, media, durationMs } = clip
  return { media, durationMs, ...played(durationMs), shown: after.track, jingleId: id }
}

function played(durationMs: number | null, rendition?: Rendition) {
  return {
    startMs: rendition?.startMs ?? 0,
    endMs: rendition?.endMs ?? durationMs,
    isTrimmed: typeof rendition?.endMs === 'number',
    gain: 10 ** ((rendition?.gainDb ?? 0) / 20),
  }
}

/** A cue of what is heard from a frame on. */
export function cueOf({ entry, startsAt, phrase }: Placed, frame: number): SoundCue {
  const { shown, durationMs, jingleId, media } = aboutEntry(entry)
  const { id: trackId, title, artist, rendition } = shown
  const positionMs = (frame * FRAME_SAMPLES - startsAt) / SAMPLES_PER_MS
  const cue = { frame, entryId: entry.entryId, trackId, title, artist, positionMs, durationMs }
  return jingleId === null
    ? { ...cue, ...(rendition && { rendition }), ...(phrase && { phrase }) }
    : { ...cue, jingle: { id: jingleId, media } }
}

/** As much of what a cue tells of as is needed to hear its end. */
export function placedBy(cue: SoundCue): Placed {
  const startsAt = cue.frame * FRAME_SAMPLES - Math.round(cue.positionMs * SAMPLES_PER_MS)
  return { entry: entryOf(cue), startsAt, phrase: cue.phrase ?? null }
}

function entryOf({ entryId, trackId, title, artist, durationMs, rendition, jingle }: SoundCue): AirEntry {
  const about = { id: trackId, title, artist, album: '', year: null, durationMs }
  const track = { ...about, ...(rendition && { rendition }) }
  const entry = { entryId, track, orderType: null, tier: null }
  return jingle ? { entryId, clip: { ...jingle, durationMs }, after: entry } : entry
}
