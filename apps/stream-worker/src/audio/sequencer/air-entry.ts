import type { AirEntry, ClipRef, CuePoints, Phrase, TrackRef } from '@solstice/playout'
import { FRAME_SAMPLES, type MediaKey, type SoundMarker } from '@solstice/station'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'

/** Limit for decoding a clip of unknown length. */
export const ASSUMED_CLIP_MS = 30_000

/** A track, jingle or background music with its place in the broadcast. */
export interface Placed {
  entry: AirEntry
  /** Sample of the broadcast at its position 0. */
  startsAt: number
  /** The phrase mixed over its end. */
  phrase: Phrase | null
}

/** An entry as playback needs it, with the track shown while it plays. */
export interface AboutEntry {
  /** null for silence during a chat. */
  media: MediaKey | null
  /** null when unknown. */
  durationMs: number | null
  /** Positions between which it plays; `endMs` is null when unknown. */
  startMs: number
  endMs: number | null
  /** True when the sound after `endMs` is left out. */
  isTrimmed: boolean
  /** Gain factor relative to the file. */
  gain: number
  /** The track on air, the one before the jingle, or the title of a chat. */
  shown: TrackRef
  /** The clip on air, if it is not a track. */
  clip: ClipRef | null
  /** True while hosts talk. */
  isChat: boolean
}

export function aboutEntry(entry: AirEntry): AboutEntry {
  if ('track' in entry) {
    const { track } = entry
    const { durationMs, cuePoints } = track
    const isChat = false
    return { media: track.id, durationMs, ...played(durationMs, cuePoints), shown: track, clip: null, isChat }
  }
  const [clip, shown] = 'clip' in entry ? [entry.clip, entry.after.track] : [entry.background, entry.shown]
  const durationMs = clip?.durationMs ?? null
  const media = clip?.media ?? null
  return { media, durationMs, ...played(durationMs), shown, clip, isChat: 'background' in entry }
}

function played(durationMs: number | null, cuePoints?: CuePoints) {
  return {
    startMs: cuePoints?.startMs ?? 0,
    endMs: cuePoints?.endMs ?? durationMs,
    isTrimmed: typeof cuePoints?.endMs === 'number',
    gain: 10 ** ((cuePoints?.gainDb ?? 0) / 20),
  }
}

/** The marker for an entry that is heard from a frame on. */
export function markerOf(
  { entry, startsAt, phrase }: Placed,
  frame: number,
  frameSamples = FRAME_SAMPLES,
): SoundMarker {
  const { shown, durationMs, clip, isChat } = aboutEntry(entry)
  const { id: trackId, title, artist, cuePoints } = shown
  const positionMs = (frame * frameSamples - startsAt) / SAMPLES_PER_MS
  const marker = { frame, entryId: entry.entryId, trackId, title, artist, positionMs, durationMs }
  const heard = clip && { id: clip.id, media: clip.media }
  if (isChat) return { ...marker, chat: { background: heard } }
  if (heard) return { ...marker, jingle: heard }
  const order = orderOf(entry)
  return {
    ...marker,
    ...(cuePoints && { cuePoints }),
    ...(phrase && { phrase }),
    ...(order && { order }),
  }
}

function orderOf(entry: AirEntry): SoundMarker['order'] | null {
  if (!('track' in entry) || entry.orderType === null) return null
  return { type: entry.orderType, id: entry.orderId ?? null }
}

/** Rebuilds the entry of a marker, as far as is needed to play it to its end. */
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
  cuePoints,
  jingle,
  chat,
  order,
}: SoundMarker): AirEntry {
  const about = { id: trackId, title, artist, album: '', year: null, durationMs }
  if (chat)
    return { entryId, background: chat.background && { ...chat.background, durationMs }, shown: about }
  const track = { ...about, ...(cuePoints && { cuePoints }) }
  const asked = { orderType: order?.type ?? null, ...(order?.id && { orderId: order.id }) }
  const entry = { entryId, track, ...asked, tier: null }
  return jingle ? { entryId, clip: { ...jingle, durationMs }, after: entry } : entry
}
