import { randomInt } from 'node:crypto'
import type { Config } from '@solstice/adapters'
import { administration, messages } from '@solstice/contracts'
import { groupInsertCooldownSecsLeft } from '@solstice/playout'
import {
  type Announcer,
  type Audit,
  type Bus,
  type DataStore,
  Failure,
  forecastProgramme,
  type Log,
  listGroups,
  previewBounds,
  readSettings,
  saveSettings,
  settingsBounds,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../http/implement.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { AirMirror } from '../stream/mirror.ts'

export interface SettingsDeps {
  config: Config
  log: Log
  data: DataStore
  bus: Bus
  clock: WallClock
  mirror: AirMirror
  announcer: Announcer
  audit: Audit
  limits: Pick<RequestLimits, 'forecast'>
}

const SEEDS = 2 ** 31

/** The settings: stored, checked before they are, and the programme that they would make. */
export function settingsRoutes(app: FastifyInstance, deps: SettingsDeps): void {
  const { config, data, clock, mirror, limits } = deps

  const airNow = () => mirror.at(clock.nowMs())

  const settingsNow = async () => {
    const [settings, bounds, songGroups] = await Promise.all([
      readSettings(data),
      settingsBounds(data),
      listGroups(data),
    ])
    const air = airNow()
    const insertCooldownSecsLeft = air ? groupInsertCooldownSecsLeft(air, clock.nowMs()) : 0
    return { settings: { ...settings, songGroups }, bounds, songGroups, insertCooldownSecsLeft }
  }

  implement(app, administration.getSettings, settingsNow)

  implement(app, administration.previewBounds, ({ body }) => previewBounds(data, body.generation ?? {}))

  implement(app, administration.forecastProgramme, async ({ caller, body, reply }) => {
    await limits.forecast(caller.adminId, reply)
    const air = airNow()
    if (!air) throw new Failure('AIR_UNAVAILABLE')
    const { generation = {}, seed = randomInt(SEEDS), from = 'queue' } = body
    const asked = { generation, seed, from }
    return { seed, items: await forecastProgramme(deps, air, asked, clock.nowMs(), clock.aheadMs()) }
  })

  implement(app, administration.saveSettings, async ({ caller, body }) => {
    const { songGroups: _, ...sent } = body
    const { saved, isOtherAlgorithm } = await saveSettings(
      { ...deps, nightMode: config.nightMode },
      caller,
      sent,
    )
    return {
      ...(await settingsNow()),
      algorithmNotice: isOtherAlgorithm ? messages.ALGORITHM_FROM_NEXT_LIST : null,
      message: saved.length > 0 ? messages.SETTINGS_SAVED : messages.SETTINGS_UNCHANGED,
    }
  })
}
