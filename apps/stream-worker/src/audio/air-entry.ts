import type { AirEntry, TrackRef } from '@solstice/playout'
import type { Cue, MediaKey } from '@solstice/station'

/** A clip of unknown length is decoded as if it were so long. */
export const ASSUMED_CLIP_MS = 30_000

/** What the sound has to know of a song or a jingle, and what is shown while it is heard. */
export interface AboutEntry {
  media: MediaKey
  /** null when unknown. */
  durationMs: number | null
  /** The song, or the one before the jingle. */
  shown: TrackRef
  /** Id of the clip, when it is a jingle. */
  jingleId: string | null
}

export function aboutEntry(entry: AirEntry): AboutEntry {
  if (!('clip' in entry)) {
    const { track } = entry
    return { media: track.id, durationMs: track.durationMs, shown: track, jingleId: null }
  }
  const { clip, after } = entry
  return { media: clip.media, durationMs: clip.durationMs, shown: after.track, jingleId: clip.id }
}

/** A cue of what is heard from a frame on, `positionMs` within the song or jingle. */
export function cueOf(entry: AirEntry, frame: number, positionMs: number): Cue {
  const { shown, durationMs, jingleId, media } = aboutEntry(entry)
  const { id: trackId, title, artist } = shown
  const cue = { frame, entryId: entry.entryId, trackId, title, artist, positionMs, durationMs }
  return jingleId === null ? cue : { ...cue, jingle: { id: jingleId, media } }
}

/** As much of an entry as is needed to hear its end. */
export function entryOf({ entryId, trackId, title, artist, durationMs, jingle }: Cue): AirEntry {
  const track = { id: trackId, title, artist, album: '', year: null, durationMs }
  const entry = { entryId, track, orderType: null, tier: null }
  return jingle ? { entryId, clip: { ...jingle, durationMs }, after: entry } : entry
}
