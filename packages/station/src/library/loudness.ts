import {
  type AllCuePoints,
  type CuePoints,
  noteCuePoints,
  PIECE,
  type Pieces,
  sameCuePoints,
  type TrackRef,
} from '@solstice/playout'
import { withBreaks } from '../core/turns/breaks.ts'
import type { DataStore, MeasurementRecord, TrackRecord } from '../ports/data/data-store.ts'
import { trackRef } from './library.ts'

/** The true peak of a track after its gain stays below this. */
const CEILING_DBTP = -1
/** Mixing one channel into the two of the stream lowers each by this. */
export const MONO_LOSS_DB = 3.01

/** The part of the configuration that decides how measured tracks are played. */
export interface LoudnessRules {
  /** null = as loud as their files are. */
  loudnessTargetLufs: number | null
  trimSilence: boolean
  streamMode: boolean
}

/** Cue points that an admin set. */
type SetCuePoints = Pick<TrackRecord, 'cueInMs' | 'cueOutMs'>

/**
 * How a track is played: at the target where its peaks allow that, between the cue points that an admin set, or from its first
 * sound to its last.
 *
 * @param measured null when it is not measured yet.
 */
export function cuePointsOf(
  measured: Readonly<MeasurementRecord> | null,
  rules: LoudnessRules,
  { cueInMs = null, cueOutMs = null }: SetCuePoints = {},
): CuePoints {
  const heard = rules.trimSilence && measured && measured.endMs !== null ? measured : null
  const startMs = cueInMs ?? heard?.startMs ?? 0
  const endMs = cueOutMs ?? heard?.endMs ?? null
  // The file may have been replaced by another one, whose last sound comes before the cue-in of this one.
  const isEmpty = endMs !== null && endMs <= startMs
  return { gainDb: measured && gainOf(measured, rules), startMs, endMs: isEmpty ? null : endMs }
}

/** How tracks are played, and their ids. */
export interface KnownCuePoints {
  readonly cuePoints: AllCuePoints
  readonly trackIds: readonly string[]
}

export const noCuePoints: KnownCuePoints = { cuePoints: {}, trackIds: [] }

/**
 * How the tracks that are measured, or have cue points set by an admin, are played, by track id; the same object as before when
 * nothing has changed.
 *
 * @param before what was known before: the engine is told by a note in which tracks it differs.
 */
export async function cuePointsByTrack(
  data: Pick<DataStore, 'measurements' | 'tracks'>,
  rules: LoudnessRules,
  before = noCuePoints,
): Promise<KnownCuePoints> {
  const [measurements, tracks] = await Promise.all([data.measurements.find(), data.tracks.find()])
  return withBreaks(cuePointsInPieces(measurements, tracks, rules, before))
}

function* cuePointsInPieces(
  measurements: readonly Readonly<MeasurementRecord>[],
  tracks: readonly Readonly<TrackRecord>[],
  rules: LoudnessRules,
  before: KnownCuePoints,
): Pieces<KnownCuePoints> {
  const measured = new Map<string, Readonly<MeasurementRecord>>()
  const set = new Map<string, SetCuePoints>()
  const cuePoints: Record<string, CuePoints> = {}
  const trackIds: string[] = []
  const changed = new Set<string>()
  const take = (trackId: string) => {
    const was = before.cuePoints[trackId]
    const is = cuePointsOf(measured.get(trackId) ?? null, rules, set.get(trackId))
    const isSame = was !== undefined && sameCuePoints(was, is)
    cuePoints[trackId] = isSame ? was : is
    if (!isSame) changed.add(trackId)
    return trackIds.push(trackId)
  }
  for (const [i, measurement] of measurements.entries()) {
    if (i % PIECE === 0) yield
    measured.set(measurement.trackId, measurement)
  }
  for (const [i, track] of tracks.entries()) {
    if (i % PIECE === 0) yield
    if (hasSetCuePoints(track)) set.set(track.id, track)
  }
  for (const trackId of measured.keys()) if (take(trackId) % PIECE === 0) yield
  for (const trackId of set.keys()) if (!measured.has(trackId) && take(trackId) % PIECE === 0) yield
  for (const [i, trackId] of before.trackIds.entries()) {
    if (i % PIECE === 0) yield
    if (!(trackId in cuePoints)) changed.add(trackId)
  }
  if (changed.size === 0) return before
  noteCuePoints(before.cuePoints, cuePoints, changed)
  return { cuePoints, trackIds }
}

/** The tracks as the engine knows them, with how they are played. @param measured all measurements, by track id. */
export function* trackRefs(
  tracks: readonly Readonly<TrackRecord>[],
  measured: ReadonlyMap<string, Readonly<MeasurementRecord>>,
  rules: LoudnessRules,
): Pieces<TrackRef[]> {
  const refs: TrackRef[] = []
  for (const track of tracks) {
    const measurement = measured.get(track.id) ?? null
    const isPlain = !measurement && !hasSetCuePoints(track)
    refs.push(trackRef(track, isPlain ? undefined : cuePointsOf(measurement, rules, track)))
    if (refs.length % PIECE === 0) yield
  }
  return refs
}

const hasSetCuePoints = ({ cueInMs = null, cueOutMs = null }: SetCuePoints) =>
  cueInMs !== null || cueOutMs !== null

/** Moves the measurements of a track to its new id. Idempotent. */
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
  await deleteMeasurements(data, [from])
}

/** Deletes the measurements of tracks that are gone, or have another file. */
export async function deleteMeasurements(
  data: Pick<DataStore, 'measurements' | 'waveforms'>,
  trackIds: Iterable<string>,
): Promise<void> {
  const gone = new Set(trackIds)
  // Waveforms first: those of tracks that are gone are found by their measurements.
  await Promise.all(Array.from(gone, (trackId) => data.waveforms.delete({ trackId })))
  await data.measurements.delete(({ trackId }) => gone.has(trackId))
}

/** Gain in dB, rounded down to steps of 0.1 so that the ceiling holds; null without a target or a measurement. */
function gainOf({ lufs, peakDb, isMono }: Readonly<MeasurementRecord>, rules: LoudnessRules): number | null {
  if (rules.loudnessTargetLufs === null || lufs === null || peakDb === null) return null
  const gainDb = Math.min(rules.loudnessTargetLufs - lufs, CEILING_DBTP - peakDb)
  // Measurements have one decimal; a floating point error must not cost a step.
  const stepDb = Math.floor((gainDb + (isMono && rules.streamMode ? MONO_LOSS_DB : 0)) * 10 + 0.01) / 10
  return stepDb === 0 ? 0 : stepDb
}
