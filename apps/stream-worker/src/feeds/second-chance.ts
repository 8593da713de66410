import type { PlayoutState } from '@solstice/playout'
import type { MediaStorage } from '@solstice/station'

/** A slow machine may have recovered after this time. */
const RETRY_LATE_AFTER_MS = 60_000
/** Bounds how long a mistaken verdict keeps a track off the air. */
const RETRY_AFTER_MS = 3_600_000

/** Decides when tracks and clips that were left out are worth another try (rules T4, T7). */
export interface SecondChance {
  /** Notes that some were left out; if the storage is away, they come back with it. */
  noteLeftOut(what: 'tracks' | 'clips'): void
  /** Notes that a track was left out because its decoder started too late; its file may be fine. */
  noteLate(): void
  /** Notes that files can be opened again after several in a row could not. */
  noteFilesBack(): void
  /**
   * Returns the data that must be read again now. Each is returned only once, so the caller must read it.
   *
   * @param lacksFiles true while tracks are kept out of lists because their files are missing.
   */
  due(state: Pick<PlayoutState, 'onAir' | 'unplayable'>, lacksFiles: boolean): Set<'tracks' | 'clips'>
}

/** @param nowMs a monotonic clock, in ms. */
export function createSecondChance(
  media: Pick<MediaStorage, 'cachedWhileAway'>,
  nowMs: () => number = () => performance.now(),
): SecondChance {
  /** Left out while the storage was away. */
  const waitsForStorage = new Set<'tracks' | 'clips'>()
  let areFilesBack = false
  let lateAtMs: number | null = null
  let leftOutSinceMs: number | null = null

  return {
    noteLeftOut(what) {
      if (media.cachedWhileAway() !== null) waitsForStorage.add(what)
    },
    noteLate() {
      lateAtMs ??= nowMs()
    },
    noteFilesBack() {
      areFilesBack = true
    },
    due({ onAir, unplayable }, lacksFiles) {
      const due = new Set(media.cachedWhileAway() === null ? waitsForStorage : [])
      for (const what of due) waitsForStorage.delete(what)
      const isLeftOut = unplayable.length > 0 || lacksFiles
      leftOutSinceMs = isLeftOut ? (leftOutSinceMs ?? nowMs()) : null
      const isLongAgo = leftOutSinceMs !== null && nowMs() - leftOutSinceMs >= RETRY_AFTER_MS
      const isLateOver = lateAtMs !== null && nowMs() - lateAtMs >= RETRY_LATE_AFTER_MS
      if (isLateOver) due.add('clips')
      if (isLateOver || areFilesBack || isLongAgo || (isLeftOut && onAir.phase === 'preparing'))
        due.add('tracks')
      if (due.has('tracks')) {
        areFilesBack = false
        lateAtMs = null
        leftOutSinceMs = null
      }
      return due
    },
  }
}
