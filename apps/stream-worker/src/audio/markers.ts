import type { StreamMarker } from '@solstice/station'
import { markerOf, type Placed } from './sequencer/air-entry.ts'

/** Title heard from a frame of a mount on. */
export interface Markers {
  /** Notes the sound that starts at a sample; null for silence. */
  heard(sample: number, placed: Placed | null): void
  /** The markers of a chunk of frames, and forgets what is over before it; chunks are asked for in order. */
  of(from: number, end: number): StreamMarker[]
  /** The marker at a frame that is not over; null in silence. */
  at(frame: number): StreamMarker | null
}

/** @param frameSamples samples per frame. */
export function createMarkers(frameSamples: number): Markers {
  /** In order; the first is heard at the first frame of the next chunk. */
  let changes: { frame: number; placed: Placed | null }[] = []
  return {
    heard(sample, placed) {
      const changedAt = Math.ceil(sample / frameSamples)
      changes = changes.filter((change) => change.frame < changedAt)
      changes.push({ frame: changedAt, placed })
    },
    of(from, end) {
      const latest = changes.findLastIndex((change) => change.frame <= from)
      changes = changes.slice(Math.max(0, latest))
      const markers: StreamMarker[] = []
      for (const { frame: changedAt, placed } of changes) {
        if (changedAt >= end) break
        const at = Math.max(from, changedAt)
        if (placed) markers.push(markerOf(placed, at, frameSamples))
        else if (markers.length > 0) markers.push({ frame: at, entryId: null })
      }
      return markers
    },
    at(frame) {
      const placed = changes.findLast((change) => change.frame <= frame)?.placed
      return placed ? markerOf(placed, frame, frameSamples) : null
    },
  }
}
