import type { Ports } from '@solstice/adapters'
import {
  deleteMeasurements,
  type Measured,
  type MeasurementRecord,
  type MediaStat,
  type TrackRecord,
} from '@solstice/station'

/** What was measured is saved, and the air told, so often and at the end. */
const SAVED_EVERY_MS = 30_000

/** What is remembered of a file in which there is nothing to measure. */
const nothing: Measured = { lufs: null, peakDb: null, isMono: false, startMs: 0, endMs: null, peaks: '' }

/**
 * Gives what measures all tracks that have not been measured yet, one after the other and the newest first, and forgets
 * those that are gone. Done again it goes on where it was. A local file that was replaced from outside is measured anew: each
 * is compared once in the life of the process.
 */
export function createMeasuring(
  ports: Ports,
  savedEveryMs = SAVED_EVERY_MS,
): (stopping: AbortSignal) => Promise<void> {
  const { config, data, media, bus, loudnessMeter, log } = ports
  const compared = new Set<string>()
  let hasComplained = false

  const isMeasured = async (
    { id, storageKey }: TrackRecord,
    known: Readonly<MeasurementRecord> | undefined,
  ): Promise<boolean> => {
    // A bucket is not asked about each of its files at each start.
    if (!known || compared.has(id) || config.mediaStorage === 'cloud') return known !== undefined
    const file = await media.stat(storageKey).catch(() => null)
    const isOther = file !== null && !isSame(file, known)
    if (!isOther) compared.add(id)
    return !isOther
  }

  const unmeasured = async (tracks: Tracks, skipped: Set<string>): Promise<TrackRecord[]> => {
    const ids = new Set(tracks.map(({ id }) => id))
    await deleteMeasurements(data, (trackId) => !ids.has(trackId))
    const known = new Map((await data.measurements.find()).map((one) => [one.trackId, one]))
    const waiting: TrackRecord[] = []
    for (const track of tracks) {
      if (!skipped.has(track.id) && !(await isMeasured(track, known.get(track.id)))) waiting.push(track)
    }
    return waiting.sort((a, b) => (b.addedAt ?? 0) - (a.addedAt ?? 0))
  }

  /** @throws when the file cannot be had, or there is nothing to measure with. */
  const measure = async ({ id, storageKey }: TrackRecord, stopping: AbortSignal): Promise<Found | null> => {
    const before = await media.stat(storageKey)
    if (!before) return null
    const measured = await loudnessMeter.measure(await media.source(storageKey), stopping)
    const after = await media.stat(storageKey)
    return after && isSame(before, after) ? { trackId: id, file: after, ...(measured ?? nothing) } : null
  }

  const save = async (found: Found[]) => {
    if (found.length === 0) return
    await Promise.all(found.map(({ trackId, peaks }) => data.waveforms.put({ trackId, peaks })))
    await Promise.all(
      found.map(({ peaks: _, file, ...measured }) => data.measurements.put({ ...measured, ...file })),
    )
    for (const { trackId } of found) compared.add(trackId)
    bus.send({ type: 'renditions-changed' }).catch((error) => {
      // A worker that acquires the lease later reads it by itself.
      log.debug({ err: error }, 'no worker heard that tracks were measured')
    })
  }

  return async (stopping) => {
    const skipped = new Set<string>()
    let looked: Tracks | null = null
    let waiting: TrackRecord[] = []
    for (;;) {
      // Tracks that came meanwhile are measured before those that have waited for long.
      const tracks = await data.tracks.find()
      if (tracks !== looked) waiting = await unmeasured(tracks, skipped)
      looked = tracks
      if (waiting.length === 0) return
      const found: Found[] = []
      let tried = 0
      const beganMs = performance.now()
      try {
        for (const track of waiting) {
          stopping.throwIfAborted()
          tried++
          const one = await measure(track, stopping).catch((error) => {
            if (stopping.aborted || isOfMeter(error)) throw error
            log.warn({ err: error, track: track.id }, 'a track could not be measured now')
            return null
          })
          if (one) found.push(one)
          else skipped.add(track.id)
          if (performance.now() - beganMs > savedEveryMs) break
        }
      } catch (error) {
        if (!isOfMeter(error)) throw error
        if (!hasComplained) log.warn({ err: error }, 'tracks cannot be measured here: they play as they are')
        hasComplained = true
        return
      } finally {
        await save(found)
      }
      waiting = waiting.slice(tried)
      log.info({ measured: found.length, waiting: waiting.length }, 'tracks are measured')
    }
  }
}

type Tracks = readonly Readonly<TrackRecord>[]
type Found = Measured & { trackId: string; file: MediaStat }

function isSame(one: MediaStat, other: MediaStat): boolean {
  return one.size === other.size && one.modifiedMs === other.modifiedMs
}

/** ffmpeg is missing, or cannot be started. */
function isOfMeter(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')
}
