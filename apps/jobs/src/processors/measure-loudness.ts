import type { Ports } from '@solstice/adapters'
import { deleteMeasurements, type Measured, type MediaStat, type TrackRecord } from '@solstice/station'

/** Results are saved together, since each save makes the worker read all measurements again. */
const SAVE_EVERY_MS = 30_000

/** The result for a file without sound. */
const nothing: Measured = { lufs: null, peakDb: null, isMono: false, startMs: 0, endMs: null, peaks: '' }

/**
 * Creates the job that measures all tracks without a measurement, one by one and the newest first, and deletes the measurements
 * of deleted tracks. Run again, it continues where it stopped. A local file that was replaced from outside is measured again;
 * each file is compared with its measurement once per process.
 */
export function createMeasuring(
  ports: Ports,
  saveEveryMs = SAVE_EVERY_MS,
): (stopping: AbortSignal) => Promise<void> {
  const { data, log } = ports
  const compared = new Set<string>()
  let isReported = false

  return async (stopping) => {
    const skipped = new Set<string>()
    let looked: Tracks | null = null
    let waiting: TrackRecord[] = []
    for (;;) {
      // Tracks added meanwhile come before those that have waited longer.
      const tracks = await data.tracks.find()
      if (tracks !== looked) waiting = await findUnmeasured(ports, tracks, compared, skipped)
      looked = tracks
      if (waiting.length === 0) return
      const found: Found[] = []
      let tried = 0
      const beganMs = performance.now()
      try {
        for (const track of waiting) {
          stopping.throwIfAborted()
          tried++
          const one = await measure(ports, track, stopping).catch((error) => {
            if (stopping.aborted || isOfMeter(error)) throw error
            log.warn({ err: error, track: track.id }, 'track could not be measured')
            return null
          })
          if (one) found.push(one)
          else skipped.add(track.id)
          if (performance.now() - beganMs > saveEveryMs) break
        }
      } catch (error) {
        if (!isOfMeter(error)) throw error
        if (!isReported) log.warn({ err: error }, 'ffmpeg could not be started; tracks play as they are')
        isReported = true
        return
      } finally {
        await save(ports, found)
        for (const { trackId } of found) compared.add(trackId)
      }
      waiting = waiting.slice(tried)
      log.info({ measured: found.length, waiting: waiting.length }, 'tracks measured')
    }
  }
}

/** Measures one track ahead of its turn, unless its waveform is stored. */
export async function measureTrack(ports: Ports, trackId: string, stopping: AbortSignal): Promise<void> {
  const { data, log } = ports
  const track = await data.tracks.get(trackId)
  if (!track || (await data.waveforms.get(trackId))) return
  try {
    const found = await measure(ports, track, stopping)
    if (found) await save(ports, [found])
  } catch (error) {
    if (stopping.aborted || !isOfMeter(error)) throw error
    log.warn({ err: error }, 'ffmpeg could not be started; track not measured')
  }
}

async function findUnmeasured(
  { config, data, media }: Ports,
  tracks: Tracks,
  compared: Set<string>,
  skipped: ReadonlySet<string>,
): Promise<TrackRecord[]> {
  const ids = new Set(tracks.map(({ id }) => id))
  const known = new Map((await data.measurements.find()).map((one) => [one.trackId, one]))
  const gone = [...known.keys()].filter((trackId) => !ids.has(trackId))
  if (gone.length > 0) await deleteMeasurements(data, gone)
  const isMeasured = async ({ id, storageKey }: TrackRecord): Promise<boolean> => {
    const measurement = known.get(id)
    // A bucket would need a request per file at each start.
    if (!measurement || compared.has(id) || config.mediaStorage === 'cloud') return measurement !== undefined
    const file = await media.stat(storageKey).catch(() => null)
    const isReplaced = file !== null && !isSame(file, measurement)
    if (!isReplaced) compared.add(id)
    return !isReplaced
  }
  const waiting: TrackRecord[] = []
  for (const track of tracks) if (!skipped.has(track.id) && !(await isMeasured(track))) waiting.push(track)
  return waiting.sort((a, b) => (b.addedAt ?? 0) - (a.addedAt ?? 0))
}

/** null when the file is gone or was replaced meanwhile. @throws when it cannot be read, or ffmpeg cannot be started */
async function measure(
  { media, loudnessMeter }: Ports,
  { id, storageKey }: TrackRecord,
  stopping: AbortSignal,
): Promise<Found | null> {
  const before = await media.stat(storageKey)
  if (!before) return null
  const measured = await loudnessMeter.measure(await media.source(storageKey), stopping)
  const after = await media.stat(storageKey)
  return after && isSame(before, after) ? { trackId: id, file: after, ...(measured ?? nothing) } : null
}

async function save({ data, bus, log }: Ports, found: Found[]): Promise<void> {
  if (found.length === 0) return
  await Promise.all(found.map(({ trackId, peaks }) => data.waveforms.put({ trackId, peaks })))
  await Promise.all(
    found.map(({ peaks: _, file, ...measured }) => data.measurements.put({ ...measured, ...file })),
  )
  bus.send({ type: 'cue-points-changed' }).catch((error) => {
    // A worker that acquires the lease later reads the measurements by itself.
    log.debug({ err: error }, 'worker did not confirm new measurements')
  })
}

type Tracks = readonly Readonly<TrackRecord>[]
type Found = Measured & { trackId: string; file: MediaStat }

function isSame(one: MediaStat, other: MediaStat): boolean {
  return one.size === other.size && one.modifiedMs === other.modifiedMs
}

/** ffmpeg is missing or cannot be started. */
function isOfMeter(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')
}
