import type { Config } from '@solstice/adapters'
import {
  type Capabilities,
  type LibraryItem,
  listening,
  type PublicConfig,
  privileges,
  type Track,
} from '@solstice/contracts'
import {
  type DataStore,
  dateNow,
  dayOf,
  Failure,
  historyBetween,
  keptSince,
  lastPlayedAt,
  libraryOf,
  memoizeLast,
  type Payments,
  readDonationSettings,
  recentHistory,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { modeOnAir } from '../../air/mode.ts'
import { implement } from '../../http/implement.ts'
import type { AirMirror } from '../../stream/mirror.ts'
import { streamPaths } from '../../stream/paths.ts'

export interface PublicConfigDeps {
  config: Config
  capabilities: Capabilities
  payments: Payments
  data: DataStore
}

/** For how long a day's history may be kept by a cache, seconds: about as long as a client needs to notice the next track. */
const CACHED_S = 10

export interface StationDeps extends PublicConfigDeps {
  clock: WallClock
  mirror: AirMirror
}

/** The station's configuration and capabilities, its history and its library. */
export function stationRoutes(app: FastifyInstance, deps: StationDeps): void {
  const { config, capabilities, data, clock, mirror } = deps

  implement(app, listening.getConfig, () => publicConfig(deps))

  implement(app, listening.getHistory, async () =>
    capabilities.history ? [...(await recentHistory(data, mirror.at(clock.nowMs())))] : [],
  )

  implement(app, listening.getHistoryOfDay, async ({ params, reply }) => {
    const { timeZone, logRetentionDays } = config
    const day = dayOf(params.date, timeZone)
    if (!day) throw new Failure('BAD_REQUEST', { field: 'date' })
    const since = keptSince(logRetentionDays, dateNow(clock))
    const entries = capabilities.history
      ? await historyBetween(data, { ...day, fromMs: Math.max(day.fromMs, since) }, mirror.at(clock.nowMs()))
      : []
    reply.header('cache-control', `public, max-age=${CACHED_S}`)
    return { timeZone, from: day.fromMs, until: day.untilMs, keptSince: since, entries }
  })

  implement(app, listening.getTrack, async ({ query }) => {
    const track = await data.tracks.get(query.track)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    const { id, title, artist, album, year, duration, mode } = track
    const since = keptSince(config.logRetentionDays, dateNow(clock))
    const played = capabilities.history ? await lastPlayedAt(data, id, since) : null
    return { id, title, artist, album, year, duration, mode, lastPlayedAt: played }
  })

  implement(app, listening.getLibrary, async ({ reply }) => {
    const tracks = await libraryOf(data, modeOnAir({ config, clock, mirror }))
    return reply.type('application/json; charset=utf-8').send(libraryAsJson(tracks))
  })
}

/** The configuration that every client may know. */
export async function publicConfig(deps: PublicConfigDeps): Promise<PublicConfig> {
  const { config, capabilities } = deps
  return {
    dataProvider: config.dataProvider,
    musicSource: config.mediaStorage,
    nightMode: config.nightMode,
    streamMode: config.streamMode,
    streams: streamPaths(config),
    radioHostsMode: config.radioHostsMode,
    allPrivileges: [...privileges],
    timeZone: config.timeZone,
    capabilities,
    limits: limitsOf(config),
    donationInfo: await donationInfo(deps),
  }
}

/** The waits that clients count down. */
function limitsOf(config: Config) {
  const {
    queueAddCooldownS,
    queueRemoveCooldownS,
    queueSkipCooldownS,
    groupInsertCooldownS,
    suggestExpiryS,
  } = config
  return { queueAddCooldownS, queueRemoveCooldownS, queueSkipCooldownS, groupInsertCooldownS, suggestExpiryS }
}

/** null where no tracks can be paid for. */
async function donationInfo({ config, capabilities, payments, data }: PublicConfigDeps) {
  const { active } = payments
  if (!capabilities.donations || !active) return null
  const { id: provider, displayName } = active
  const settings = await readDonationSettings(data, active)
  return { provider, displayName, ...settings, donationRetentionDays: config.donationRetentionDays }
}

/** All listeners ask for the library again when it changes, so it is serialized once per change. */
const libraryAsJson = memoizeLast((tracks: readonly Readonly<Track>[]) => {
  const items: LibraryItem[] = tracks.map(({ id, title, artist }) => ({ id, title, artist }))
  return Buffer.from(JSON.stringify(items))
})
