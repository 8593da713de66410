import type { AirEntry, ClipRef, Phrase, Rendition, TrackRef } from '@solstice/playout'
import { FRAME_SAMPLES, type MediaKey, type SoundMarker } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'

/** Length that a clip of unknown length is decoded for. */
export const ASSUMED_CLIP_MS = 30_000

/** A track, jingle or filler with its place in the broadcast. */
export interface Placed {
  entry: AirEntry
  /** Sample of the broadcast at which its position 0 lies. */
  startsAt: number
  /** Mixed over its end. */
  phrase: Phrase | null
}

/** An entry as the sound needs it, and the track that is shown while it is heard. */
export interface AboutEntry {
  /** null = silence in a chat. */
  media: MediaKey | null
  /** null when unknown. */
  durationMs: number | null
  /** Positions between which it is heard; `endMs` null = unknown. */
  startMs: number
  endMs: number | null
  /** Only silence follows behind `endMs`, which is left out. */
  isTrimmed: boolean
  /** Factor by which it is louder than its file. */
  gain: number
  /** The track on air, the one before the jingle, or the title of a chat. */
  shown: TrackRef
  /** The clip on air, when it is not a track. */
  clip: ClipRef | null
  /** Hosts talk. */
  isChat: boolean
}

export function aboutEntry(entry: AirEntry): AboutEntry {
  if ('track' in entry) {
    const { track } = entry
    const { durationMs, rendition } = track
    const isChat = false
    return { media: track.id, durationMs, ...played(durationMs, rendition), shown: track, clip: null, isChat }
  }
  const [clip, shown] = 'clip' in entry ? [entry.clip, entry.after.track] : [entry.filler, entry.shown]
  const durationMs = clip?.durationMs ?? null
  const media = clip?.media ?? null
  return { media, durationMs, ...played(durationMs), shown, clip, isChat: 'filler' in entry }
}

function played(durationMs: number | null, rendition?: Rendition) {
  return {
    startMs: rendition?.startMs ?? 0,
    endMs: rendition?.endMs ?? durationMs,
    isTrimmed: typeof rendition?.endMs === 'number',
    gain: 10 ** ((rendition?.gainDb ?? 0) / 20),
  }
}

/** A marker of what is heard from a frame on. */
export function markerOf({ entry, startsAt, phrase }: Placed, frame: number): SoundMarker {
  const { shown, durationMs, clip, isChat } = aboutEntry(entry)
  const { id: trackId, title, artist, rendition } = shown
  const positionMs = (frame * FRAME_SAMPLES - startsAt) / SAMPLES_PER_MS
  const marker = { frame, entryId: entry.entryId, trackId, title, artist, positionMs, durationMs }
  const heard = clip && { id: clip.id, media: clip.media }
  if (isChat) return { ...marker, chat: { filler: heard } }
  if (heard) return { ...marker, jingle: heard }
  return { ...marker, ...(rendition && { rendition }), ...(phrase && { phrase }) }
}

/** As much of what a marker tells of as is needed to hear its end. */
export function placedBy(marker: SoundMarker): Placed {
  const startsAt = marker.frame * FRAME_SAMPLES - Math.round(marker.positionMs * SAMPLES_PER_MS)
  return { entry: entryOf(marker), startsAt, phrase: marker.phrase ?? null }
}

function entryOf({
  entryId,
  trackId,
  title,
  artist,
  durationMs,
  rendition,
  jingle,
  chat,
}: SoundMarker): AirEntry {
  const about = { id: trackId, title, artist, album: '', year: null, durationMs }
  if (chat) return { entryId, filler: chat.filler && { ...chat.filler, durationMs }, shown: about }
  const track = { ...about, ...(rendition && { rendition }) }
  const entry = { entryId, track, orderType: null, tier: null }
  return jingle ? { entryId, clip: { ...jingle, durationMs }, after: entry } : entry
}
