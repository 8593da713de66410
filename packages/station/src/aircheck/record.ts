import type { MediaStorage } from '../ports/media/media-storage.ts'
import {
  HOURS,
  hourOf,
  PARTS,
  partKey,
  readHourKey,
  readPartKey,
  type StoredHour,
  type StoredPart,
} from './names.ts'
import { endMsOf, type FrameRange, type Heard, type Part, withoutRecorded } from './part.ts'

/** What is heard in 20 s takes a few hundred bytes. */
const MAX_HEARD_BYTES = 1_000_000

/** The stored parts, in order of time. */
export async function storedParts(media: Pick<MediaStorage, 'list'>): Promise<StoredPart[]> {
  const parts = (await media.list(PARTS)).map(readPartKey).filter((part) => part !== null)
  return parts.sort((a, b) => a.atMs - b.atMs || a.frame - b.frame)
}

/** The stored hours, in order of time. */
export async function storedHours(media: Pick<MediaStorage, 'list'>): Promise<StoredHour[]> {
  const hours = (await media.list(HOURS)).map(readHourKey).filter((hour) => hour !== null)
  return hours.sort((a, b) => a.atMs - b.atMs || a.frame - b.frame)
}

/** The frames of a whole hour. */
export function rangeOf({ frame, endFrame, atMs, endMs }: StoredHour): FrameRange {
  return { frame, frames: endFrame - frame, atMs, endMs }
}

/** The last frames that were recorded, which the next ones follow; null when there are none. */
export async function lastRecorded(media: Pick<MediaStorage, 'list'>): Promise<FrameRange | null> {
  const [parts, hours] = [await storedParts(media), await storedHours(media)]
  const all: FrameRange[] = [...hours.map(rangeOf), ...parts]
  return all.reduce<FrameRange | null>(
    (latest, range) => (!latest || endMsOf(range) > endMsOf(latest) ? range : latest),
    null,
  )
}

/**
 * Writes the frames of a part that aren't stored yet; the caller holds the lease. A part that is there isn't written again, and
 * what a recorder brings late, after its hour was joined, isn't either.
 *
 * @returns the number of frames written.
 */
export async function writePart(media: MediaStorage, part: Part): Promise<number> {
  const parts = await storedParts(media)
  const hour = hourOf(part.atMs)
  // Listing all hours costs more; an hour that still has parts isn't joined, or its late parts are dropped then.
  const hours = parts.some((stored) => stored.hour === hour) ? [] : await storedHours(media)
  const recorded = [...parts, ...hours.map(rangeOf)]
  let written = 0
  for (const rest of withoutRecorded(part, recorded)) {
    await media.put(partKey(rest), Buffer.concat([rest.audio, Buffer.from(JSON.stringify(rest.heard))]))
    written += rest.frames
  }
  return written
}

/** What is heard in a stored part. */
export async function heardIn(
  media: Pick<MediaStorage, 'open'>,
  { key, bytes }: StoredPart,
): Promise<Heard[]> {
  const text = await bufferOf(await media.open(key, { start: bytes, end: bytes + MAX_HEARD_BYTES }))
  return JSON.parse(text.toString()) as Heard[]
}

/** All bytes of a short file. */
export async function bufferOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces)
}
