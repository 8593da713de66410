import type { Rendition } from '@solstice/playout'
import type { DataStore, MeasurementRecord } from '../ports/data-store.ts'

/** No sample of a track, nor what lies between two, is louder than this when it is played. */
const CEILING_DBTP = -1
/** Where one channel is mixed into two of the stream, each gets it so much softer. */
const MONO_LOSS_DB = 3.01

/** What the configuration says of how measured tracks are played. */
export interface LoudnessRules {
  /** null = as loud as their files are. */
  loudnessTargetLufs: number | null
  trimSilence: boolean
  streamMode: boolean
}

/** How a measured track is played: at the target where its peaks allow that, from its first sound to its last. */
export function renditionOf(measured: Readonly<MeasurementRecord>, rules: LoudnessRules): Rendition {
  const { startMs, endMs } = measured
  const trims = rules.trimSilence && endMs !== null
  return {
    gainDb: gainOf(measured, rules),
    startMs: trims ? startMs : 0,
    endMs: trims ? endMs : null,
  }
}

/** How the measured tracks are played, by track id. */
export async function renditionsOf(
  data: Pick<DataStore, 'measurements'>,
  rules: LoudnessRules,
): Promise<Record<string, Rendition>> {
  const measurements = await data.measurements.find()
  return Object.fromEntries(measurements.map((measured) => [measured.trackId, renditionOf(measured, rules)]))
}

/** A track has another id now, and the same sound. Repeatable. */
export async function moveMeasurements(
  data: Pick<DataStore, 'measurements' | 'waveforms'>,
  from: string,
  to: string,
): Promise<void> {
  const [measured, waveform] = await Promise.all([data.measurements.get(from), data.waveforms.get(from)])
  // One of them may have gone before.
  await Promise.all([
    measured && data.measurements.put({ ...measured, trackId: to }),
    waveform && data.waveforms.put({ ...waveform, trackId: to }),
  ])
  await deleteMeasurements(data, (trackId) => trackId === from)
}

/** Tracks, or their sound, are gone. */
export async function deleteMeasurements(
  data: Pick<DataStore, 'measurements' | 'waveforms'>,
  isGone: (trackId: string) => boolean,
): Promise<void> {
  await Promise.all([
    data.measurements.delete(({ trackId }) => isGone(trackId)),
    data.waveforms.delete(({ trackId }) => isGone(trackId)),
  ])
}

/** dB in steps of 0.1, rounded down so that the ceiling holds; null where there is nothing to go by. */
function gainOf({ lufs, peakDb, isMono }: Readonly<MeasurementRecord>, rules: LoudnessRules): number | null {
  if (rules.loudnessTargetLufs === null || lufs === null || peakDb === null) return null
  const gainDb = Math.min(rules.loudnessTargetLufs - lufs, CEILING_DBTP - peakDb)
  // Measurements have one decimal; what floating point adds to it must not cost a step.
  const stepDb = Math.floor((gainDb + (isMono && rules.streamMode ? MONO_LOSS_DB : 0)) * 10 + 0.01) / 10
  return stepDb === 0 ? 0 : stepDb
}
