import type { ForecastItem, Mode } from '@solstice/contracts'
import { type Expected, forecast, type PlayoutState, wireOrderType } from '@solstice/playout'
import { libraryOf, trackRef } from '../library/library.ts'
import { cuePointsByTrack, type LoudnessRules } from '../library/loudness.ts'
import type { DataStore } from '../ports/data-store.ts'
import type { Deployment } from '../settings/capabilities.ts'
import { rotationOf, unsavedGeneration } from '../settings/settings.ts'
import { clipsBy } from './clips.ts'

const FORECAST_MS = 3_600_000

/** What the next hour would be like with settings that are not saved. */
export interface ForecastAsked {
  /** Fields of the section `generation`. */
  generation: Record<string, unknown>
  seed: number
  from: 'queue' | 'list'
}

/**
 * Forecasts the programme of the next hour: a dry run of the engine, which changes nothing.
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
  const [day, night, cuePoints, clips, records] = await Promise.all([
    libraryOf(data, 'day'),
    libraryOf(data, 'night'),
    cuePointsByTrack(data, config),
    clipsBy(settings, data, config),
    data.clips.find(),
  ])
  const tracks = { day, night }
  const refs = (mode: Mode) => tracks[mode].map((track) => trackRef(track, cuePoints[track.id]))
  const rotation = (mode: Mode) => rotationOf(settings.generation, mode)
  const expected = forecast(
    air,
    {
      settings: { day: rotation('day'), night: rotation('night') },
      // A mode that is not reached costs nothing.
      library: {
        get day() {
          return refs('day')
        },
        get night() {
          return refs('night')
        },
      },
      clips,
      seed,
      from,
      untilMs: nowMs + FORECAST_MS,
    },
    nowMs,
  )
  const names = new Map(records.map(({ id, filename }) => [id, filename]))
  return expected.map((part) => forecastItem(part, names, aheadMs))
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
