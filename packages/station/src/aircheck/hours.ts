import type { MediaStorage } from '../ports/media/media-storage.ts'
import { indexLines, type Recorded, recordedIn } from './hour-index.ts'
import { HOUR_MS, HOURS, hourKeys, hourStartMs, PARTS, type StoredHour, type StoredPart } from './names.ts'
import { endMsOf, endOf, type Heard, overlap } from './part.ts'
import { rangeOf, storedHours, storedParts } from './record.ts'

/** A recorder that was away may still bring frames of an hour that ended less long ago. */
const SETTLED_MS = 180_000
const DAY_MS = 24 * HOUR_MS

/**
 * Joins the parts of hours that are over into one MP3 and its index each, and then deletes them; the caller holds the lease. When it
 * is killed in between, the next call goes on: the names of an hour tell which frames it has.
 *
 * @param nowMs date, epoch ms.
 * @param complete adds what was not known when the parts were written.
 * @returns the hours that were joined.
 */
export async function joinHours(
  media: MediaStorage,
  nowMs: number,
  complete: (heard: readonly Heard[]) => Promise<Heard[]> = async (heard) => [...heard],
): Promise<StoredHour[]> {
  const over = (await storedParts(media)).filter(
    ({ hour }) => nowMs > hourStartMs(hour) + HOUR_MS + SETTLED_MS,
  )
  if (over.length === 0) return []
  const known = await storedHours(media)
  const isJoined = (part: StoredPart) =>
    known.some((hour) => hour.hour === part.hour && overlap(rangeOf(hour), part))
  const joined: StoredHour[] = []
  for (const parts of groupsOf(over.filter((part) => !isJoined(part)))) {
    const recorded = await recordedIn(media, parts)
    joined.push(await join(media, parts, { ...recorded, heard: await complete(recorded.heard) }))
  }
  for (const { key } of over) await media.delete(key)
  return joined
}

/** The parts of one hour and one count of frames, in order. */
function groupsOf(parts: readonly StoredPart[]): StoredPart[][] {
  const groups: StoredPart[][] = []
  for (const part of parts) {
    const before = groups.at(-1)?.at(-1)
    if (!before || before.hour !== part.hour || part.frame < endOf(before)) groups.push([part])
    else groups.at(-1)!.push(part)
  }
  return groups
}

/** The sound last: an hour counts when its sound is there. */
async function join(media: MediaStorage, parts: StoredPart[], recorded: Recorded): Promise<StoredHour> {
  const keys = hourKeys(parts)
  await media.put(keys.index, Buffer.from(indexLines(keys.hour, recorded)))
  await media.put(keys.key, soundOf(media, recorded.pieces))
  return keys
}

async function* soundOf(media: MediaStorage, pieces: Recorded['pieces']): AsyncGenerator<Uint8Array> {
  for (const { key, byte, bytes } of pieces)
    yield* await media.open(key, { start: byte, end: byte + bytes - 1 })
}

/**
 * Deletes the hours that ended more than `days` days ago, and what killed processes left.
 *
 * @param nowMs date, epoch ms.
 * @returns the number of hours deleted.
 */
export async function forgetHours(media: MediaStorage, days: number, nowMs: number): Promise<number> {
  const old = (await media.list(HOURS)).filter((key) => {
    // By the name alone: an index without its sound is left by a process that was killed between the two.
    const endMs = hourStartMs(key.slice(HOURS.length + 1, HOURS.length + 14)) + HOUR_MS
    return endMs <= nowMs - days * DAY_MS
  })
  for (const key of old) await media.delete(key)
  const parts = (await storedParts(media)).filter((part) => endMsOf(part) <= nowMs - days * DAY_MS)
  for (const { key } of parts) await media.delete(key)
  for (const folder of [PARTS, HOURS]) await media.sweep(folder)
  return old.filter((key) => key.endsWith('.mp3')).length
}
