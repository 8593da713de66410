import type { Config } from '@solstice/adapters'
import { administration } from '@solstice/contracts'
import {
  type Audit,
  type Bus,
  type DataStore,
  dateNow,
  evidenceOf,
  Failure,
  keptSince,
  type MediaStorage,
  memoizeLast,
  nextMomentOf,
  readAlarms,
  readAudit,
  readStats,
  type Stats,
  sendCommand,
  type WallClock,
  wholeHistory,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { sendFile } from '../files/send-file.ts'
import { implement } from '../http/implement.ts'
import type { AirMirror } from '../stream/mirror.ts'

export interface AdministrationDeps {
  config: Config
  data: DataStore
  bus: Bus
  clock: WallClock
  mirror: AirMirror
  audit: Audit
  media: Pick<MediaStorage, 'stat' | 'open'>
}

const MAX_AUDIT_PAGE = 200
const MAX_ALARMS_PAGE = 200
const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/

/** The audit log, history, statistics, and the mode on air. */
export function administrationRoutes(app: FastifyInstance, deps: AdministrationDeps): void {
  const { config, data, bus, clock, mirror, audit } = deps

  implement(app, administration.getAudit, async ({ query: { window, category, offset, limit: wanted } }) => {
    const limit = Math.min(wanted, MAX_AUDIT_PAGE)
    const today = dateNow(clock)
    const keptSinceMs = keptSince(config.logRetentionDays, today)
    const page = await readAudit(
      data,
      config.superAdmin,
      { window, category, offset, limit },
      today,
      keptSinceMs,
    )
    return { ok: true as const, ...page, offset, limit }
  })

  implement(app, administration.getPlayHistory, async ({ query: { offset, limit, ...filter } }) => {
    const found = await wholeHistory(data, keptSince(config.logRetentionDays, dateNow(clock)), filter)
    const entries = found.slice(offset, limit && offset + limit)
    return { ok: true as const, entries, total: found.length }
  })

  implement(app, administration.getStats, async ({ reply }) =>
    reply.type('application/json; charset=utf-8').send(statsAsJson(await readStats(data))),
  )

  implement(app, administration.getAlarms, async ({ query }) => ({
    ok: true as const,
    ...(await readAlarms(data, { ...query, limit: Math.min(query.limit, MAX_ALARMS_PAGE) })),
  }))

  implement(app, administration.getAlarmEvidence, async ({ query, request, reply }) =>
    sendFile(request, reply, deps.media, await evidenceOf(deps, query.alarmId)),
  )

  implement(app, administration.switchMode, async ({ caller, body }) => {
    const { targetMode, scheduledTime } = body
    if (targetMode !== 'day' && targetMode !== 'night')
      throw new Failure('BAD_REQUEST', { field: 'targetMode' })
    const isScheduled = scheduledTime !== undefined
    const atMs = isScheduled ? nextTimeOfDay(deps, scheduledTime) : null
    const before = mirror.at(clock.nowMs())?.mode ?? null
    await sendCommand(bus, { type: 'switch-mode', target: targetMode, atMs })
    await audit.record(
      caller,
      'mode_switch',
      { targetMode, ...(isScheduled && { scheduledTime }) },
      { changes: [{ field: 'mode', before, after: targetMode }] },
    )
    return { ok: true as const }
  })

  implement(app, administration.cancelSwitch, async ({ caller }) => {
    const before = mirror.at(clock.nowMs())?.pendingSwitch?.target ?? null
    await sendCommand(bus, { type: 'cancel-switch' })
    if (before === null) return { ok: true as const }
    const changes = [{ field: 'pendingModeSwitch', before, after: null }]
    await audit.record(caller, 'mode_switch', { targetMode: null }, { changes })
    return { ok: true as const }
  })
}

/**
 * The next moment at which the clocks of the station show this time of day, epoch ms.
 *
 * @throws Failure BAD_REQUEST when the text is not a time of day.
 */
function nextTimeOfDay({ config, clock }: AdministrationDeps, time: string): number {
  const [, hour, minute] = TIME_OF_DAY.exec(time) ?? []
  if (!hour || !minute) throw new Failure('BAD_REQUEST', { field: 'scheduledTime' })
  const aheadMs = clock.aheadMs()
  return nextMomentOf(Number(hour), Number(minute), config.timeZone, clock.nowMs() - aheadMs) + aheadMs
}

/** Statistics grow with the library, so they are serialized once per change. */
const statsAsJson = memoizeLast((stats: Stats) => Buffer.from(JSON.stringify(stats)))
