import type { Config } from '@solstice/adapters'
import type { Status } from '@solstice/contracts'
import { type DataStore, dateNow, type Reliability, readReliability, type WallClock } from '@solstice/station'
import type { Logger } from 'pino'
import { type AirMirror, mountsOf } from '../stream/mirror.ts'
import { streamPaths } from '../stream/paths.ts'

/** How old the part of it may be that is read from the records, and how long caches may keep it. */
export const STATUS_AGE_S = 10
const UNKNOWN: Reliability = { onAirSince: null, incident: null, uptime: null }

export interface StationStatus {
  now(): Promise<Status>
}

export function createStationStatus(deps: {
  config: Pick<Config, 'streamMode' | 'streamBitrate' | 'otherMounts' | 'timeZone'>
  data: Pick<DataStore, 'alarms' | 'watches'>
  mirror: AirMirror
  clock: WallClock
  log: Logger
}): StationStatus {
  const { config, data, mirror, clock, log } = deps
  let known = Promise.resolve(UNKNOWN)
  let readAtMs = Number.NEGATIVE_INFINITY

  const reliability = () => {
    if (performance.now() - readAtMs < STATUS_AGE_S * 1000) return known
    readAtMs = performance.now()
    const before = known
    known = readReliability(data, config.timeZone, dateNow(clock)).catch((error) => {
      log.warn({ err: error }, 'status told without new records')
      return before
    })
    return known
  }

  return {
    async now() {
      const nowMs = clock.nowMs()
      const own = mountsOf(mirror, config)
      const mounts = streamPaths(config).map((one, i) => ({ ...one, isOnAir: own[i]!.mirror.isFresh(nowMs) }))
      const phase = mirror.at(nowMs)?.onAir.phase ?? 'preparing'
      const isOnAir = mounts[0]?.isOnAir ?? phase !== 'preparing'
      const { onAirSince, ...rest } = await reliability()
      const at = dateNow(clock)
      return {
        ...{ isOnAir, mounts, ...rest, at },
        onAirSince: isOnAir ? onAirSince : null,
        timeZone: config.timeZone,
      }
    },
  }
}
