import type { Broadcast } from './broadcast.ts'
import { placeAt } from './inspect.ts'
import type { Sent } from './judge.ts'
import { titleOf } from './plan.ts'

/** Titles stand between the frames at intervals, and come with sound in groups of 2 s. */
const TITLE_LATE_MS = 4_000

/** The broadcast at its newest frame; null before any. */
export function sentIn(broadcast: Broadcast): Sent | null {
  const { chunk, newest, frameMs } = broadcast
  if (!chunk || newest === null) return null
  const place = placeAt(broadcast, newest)
  return {
    title: titleAt(broadcast, newest) ?? '',
    entryId: broadcast.markerAt(newest)?.entryId ?? null,
    positionMs: place?.positionMs ?? null,
    atMs: chunk.atMs + (newest - chunk.frame) * frameMs,
    ageMs: performance.now() - broadcast.cameAtMs,
  }
}

/** The titles that players may show at a frame, the right one last; null when they are not known. */
export function titlesAt(broadcast: Broadcast, frame: number): string[] | null {
  const { frameMs } = broadcast
  const from = frame - Math.round(TITLE_LATE_MS / frameMs)
  const titles = broadcast.markersFrom(from, frame)
  return titles?.map((marker) => (marker ? titleOf(marker) : '')) ?? null
}

const titleAt = (broadcast: Broadcast, frame: number) => titlesAt(broadcast, frame)?.at(-1)
