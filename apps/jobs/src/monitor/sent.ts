import { chunkEndMs, type Mount } from '@solstice/station'
import type { Broadcast } from './broadcast.ts'
import { placeAt } from './inspect.ts'
import type { Sent } from './judge.ts'
import { titleOf } from './plan.ts'
import type { SoundThen } from './told/sync.ts'

/** A title comes with the first block behind its frame (`icy-metaint`); in Ogg it stands before its first page. */
const TITLE_EVERY_BYTES = 16_000
/** Frames of AAC are smaller where the sound is quiet. */
const QUIET_FACTOR = 2
const TITLE_SLACK_MS = 1_500
const SETTLED_MS = 3_000
const OLD_MS = 6_000
/** Sound comes at most this late before the station says that it stopped. */
const LATE_MS = 1_000

/** The broadcast at its newest frame; null before any. */
export function sentIn(broadcast: Broadcast): Sent | null {
  const { chunk, newest, frameMs } = broadcast
  if (!chunk || newest === null) return null
  const place = placeAt(broadcast, newest)
  const marker = broadcast.markerAt(newest)
  return {
    title: marker ? titleOf(marker) : '',
    entryId: marker?.entryId ?? null,
    positionMs: place?.positionMs ?? null,
    atMs: chunk.atMs + (newest - chunk.frame) * frameMs,
    ageMs: performance.now() - broadcast.cameAtMs,
  }
}

/**
 * Follows the sound of a listener.
 *
 * @returns a function of the frame that is heard, and of a station time a little later: the sound then; null = no track, or one
 * that has just begun or is old.
 */
export function createSoundThen(broadcast: Broadcast) {
  let knownEndMs = Number.NEGATIVE_INFINITY
  return (frame: number, atMs: number): SoundThen | null => {
    const { chunk, frameMs } = broadcast
    if (!chunk) return null
    const [beforeMs, endMs] = [knownEndMs, chunkEndMs(chunk)]
    knownEndMs = endMs
    const place = placeAt(broadcast, frame)
    if (!place || place.sinceMs < SETTLED_MS) return null
    const frameAtMs = chunk.atMs + (frame - chunk.frame) * frameMs
    // Where no sound comes the station tells the position at which it stopped, also just after it has come again.
    const positionAt = (endMs: number) => place.positionMs + Math.min(atMs, endMs + LATE_MS) - frameAtMs
    return atMs - frameAtMs > OLD_MS
      ? null
      : { trackId: place.trackId, fromMs: positionAt(beforeMs), toMs: positionAt(endMs) }
  }
}

/** The titles that players may show at a frame, the right one last; null when they are not known. */
export function titlesAt(broadcast: Broadcast, mount: Mount, frame: number): string[] | null {
  const from = frame - Math.round(titleLateMs(mount) / broadcast.frameMs)
  const titles = broadcast.markersFrom(from, frame)
  return titles?.map((marker) => (marker ? titleOf(marker) : '')) ?? null
}

/** How long after its first frame a title may come. */
function titleLateMs({ codec, bitrate }: Mount): number {
  if (codec === 'opus') return TITLE_SLACK_MS
  const everyMs = (TITLE_EVERY_BYTES * 8) / bitrate
  return TITLE_SLACK_MS + (codec === 'aac' ? QUIET_FACTOR * everyMs : everyMs)
}
