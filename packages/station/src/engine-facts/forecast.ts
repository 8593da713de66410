import type { ForecastItem, Mode } from '@solstice/contracts'
import {
  type Expected,
  forecastInPieces,
  PIECE,
  type Pieces,
  type PlayoutState,
  wireOrderType,
} from '@solstice/playout'
import { withBreaks } from '../core/turns/breaks.ts'
import { libraryOf } from '../library/library.ts'
import { type LoudnessRules, trackRefs } from '../library/loudness.ts'
import type { DataStore, MeasurementRecord } from '../ports/data/data-store.ts'
import type { Deployment } from '../settings/capabilities.ts'
import { unsavedGeneration } from '../settings/save.ts'
import { rotationOf } from '../settings/settings.ts'
import { clipsBy } from './clips.ts'

const FORECAST_MS = 3_600_000

/** The next hour as it would be with settings that are not saved. */
export interface ForecastAsked {
  /** Fields of the section `generation`. */
  generation: Record<string, unknown>
  seed: number
  from: 'queue' | 'list'
}

/**
 * Forecasts the programme of the next hour: a dry run of the engine, which changes nothing. It takes breaks, so that a large library
 * keeps nobody waiting.
 *
 * @param air as known at `nowMs`.
 * @param aheadMs lead of the station clock over the wall clock, in which dates are sent.
 * @throws Failure BAD_REQUEST where the settings could not be saved.
 */
export async function forecastProgramme(
  { data, config }: { data: DataStore; config: Deployment & LoudnessRules & { nightMode: boolean } },
  air: PlayoutState,
  { generation, seed, from }: ForecastAsked,
  nowMs: number,
  aheadMs: number,
): Promise<ForecastItem[]> {
  const settings = await unsavedGeneration(data, config.nightMode, generation)
  const [day, night, measurements, clips, records] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    data.measurements.find(),
    clipsBy(settings, data, config),
    data.clips.find(),
  ])
  const tracks = { day, night }
  const rotation = (mode: Mode) => rotationOf(settings.generation, mode)
  let measured: ReadonlyMap<string, Readonly<MeasurementRecord>> | null = null
  const pieces = forecastInPieces(
    air,
    {
      settings: { day: rotation('day'), night: rotation('night') },
      *tracksOf(mode) {
        measured ??= yield* byTrack(measurements)
        return yield* trackRefs(tracks[mode], measured, config)
      },
      clips,
      seed,
      from,
      untilMs: nowMs + FORECAST_MS,
    },
    nowMs,
  )
  const expected = await withBreaks(pieces)
  const names = new Map(records.map(({ id, filename }) => [id, filename]))
  return expected.map((part) => forecastItem(part, names, aheadMs))
}

function* byTrack(
  measurements: readonly Readonly<MeasurementRecord>[],
): Pieces<Map<string, Readonly<MeasurementRecord>>> {
  const byId = new Map<string, Readonly<MeasurementRecord>>()
  for (const measurement of measurements) {
    byId.set(measurement.trackId, measurement)
    if (byId.size % PIECE === 0) yield
  }
  return byId
}

function forecastItem(part: Expected, names: ReadonlyMap<string, string>, aheadMs: number): ForecastItem {
  const startsAt = Math.round(part.atMs - aheadMs)
  const { mode } = part
  switch (part.is) {
    case 'preparing':
      return { type: 'preparing', startsAt, mode }
    case 'jingle': {
      const { id, durationMs } = part.clip
      return {
        type: 'jingle',
        startsAt,
        mode,
        id,
        filename: names.get(id) ?? '',
        duration: seconds(durationMs),
      }
    }
    case 'track': {
      const { track, orderType, tier } = part.entry
      const { phrase, isQueued } = part
      return {
        type: 'song',
        startsAt,
        mode,
        id: track.id,
        title: track.title,
        artist: track.artist,
        duration: seconds(track.durationMs),
        orderType: wireOrderType(orderType),
        tier,
        isQueued,
        phrase: phrase && {
          id: phrase.clip.id,
          filename: names.get(phrase.clip.id) ?? '',
          startsAt: Math.round(phrase.atMs - aheadMs),
        },
      }
    }
  }
}

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)
