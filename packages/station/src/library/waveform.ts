import { Failure } from '../core/failure.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'

export interface Waveform {
  /** Seconds; null when unknown. */
  duration: number | null
  /** As in `WaveformRecord`; empty = not to be measured, null = being measured. */
  peaks: Uint8Array | null
}

/**
 * Reads the waveform of a track. One that is not stored is measured at once, by a job.
 *
 * @throws Failure TRACK_NOT_FOUND; JOBS_UNAVAILABLE when it could not be asked for.
 */
export async function readWaveform(
  deps: { data: Pick<DataStore, 'tracks' | 'waveforms'>; jobs: Pick<JobQueue, 'add'> },
  trackId: string,
): Promise<Waveform> {
  const { data, jobs } = deps
  const track = await data.tracks.get(trackId)
  if (!track) throw new Failure('TRACK_NOT_FOUND')
  const { duration } = track
  const stored = await data.waveforms.get(trackId)
  if (stored) return { duration, peaks: Buffer.from(stored.peaks, 'base64') }
  await jobs.add('measure-track', { trackId }, { id: `measure-track ${trackId}` })
  return { duration, peaks: null }
}
