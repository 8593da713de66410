import { randomUUID } from 'node:crypto'
import type { Ports } from '@solstice/adapters'
import { type AlarmCause, alarmCauses } from '@solstice/contracts'
import { type Audit, beginAlarm, Deferred, endAlarm, type Fault, openFaults, sleep } from '@solstice/station'
import { type Findings, judgeSound, judgeState, type Plan, THRESHOLDS } from './judge.ts'
import { type Listener, listen } from './listen.ts'
import { PATIENCE, type Persistence, persist, WELL } from './persistence.ts'
import { planOf } from './plan.ts'

const LOOK_EVERY_MS = 500
/** Looks further apart than this mean that this process did not run: what it missed is no fault of the station. */
const MISSED_MS = 2_000
const STANDBY_RETRY_MS = 5_000

type MonitorPorts = Pick<Ports, 'bus' | 'clock' | 'config' | 'data' | 'leases' | 'log' | 'metrics'>
type MonitorDeps = MonitorPorts & { audit: Audit }

/**
 * Listens to the station at the addresses of `MONITOR_URLS`, in one process of all; the others stand by.
 *
 * @returns a function that stops it.
 */
export function startMonitor(deps: MonitorDeps): () => Promise<void> {
  const { config, leases, log, metrics, data } = deps
  if (config.monitorUrls.length === 0) return async () => {}
  metrics.gauge(
    { name: 'solstice_alarm', help: 'Alarms of the monitor that have not ended', labels: ['cause'] },
    async () => {
      const open = await openFaults(data)
      return alarmCauses.map((cause) => ({
        labels: { cause },
        value: open.filter((fault) => fault.cause === cause).length,
      }))
    },
  )
  const stopping = new AbortController()
  const { signal } = stopping
  const holder = `monitor:${randomUUID()}`
  const watch = async () => {
    while (!signal.aborted) {
      await leases
        .hold(holder, ['monitor'], signal, () => monitor(deps, signal))
        .catch((error) => {
          if (!signal.aborted && !(error instanceof Deferred))
            log.warn({ err: error }, 'monitor failed; retrying')
        })
      await sleep(STANDBY_RETRY_MS, { signal }).catch(() => {})
    }
  }
  const watching = watch()
  return async () => {
    stopping.abort()
    await watching
  }
}

async function monitor(deps: MonitorDeps, signal: AbortSignal): Promise<void> {
  const { bus, clock, config, data, log } = deps
  const now = () => performance.now()
  const loudness = new Map((await data.measurements.find()).map(({ trackId, lufs }) => [trackId, lufs]))
  let plan: Plan | null = null
  const unfollow = await bus.follow((state) => {
    plan = planOf(state, plan, (trackId) => loudness.get(trackId) ?? null, clock.nowMs())
  })
  const listeners = config.monitorUrls.map((source) => ({
    source,
    ear: listen(source, config.ffmpegPath, now),
  }))
  const register = await openRegister(deps)
  log.info({ addresses: config.monitorUrls }, 'monitor listening')
  try {
    let lookedMs = now()
    while (!signal.aborted) {
      await sleep(LOOK_EVERY_MS, { signal })
      const nowMs = now()
      if (nowMs - lookedMs > MISSED_MS) for (const { ear } of listeners) ear.forgive()
      lookedMs = nowMs
      const stationMs = clock.nowMs()
      for (const { source, ear } of listeners)
        await register.note(source, findingsOf(ear, plan, nowMs, stationMs), nowMs)
      await register.note('station', judgeState(plan, THRESHOLDS, stationMs), nowMs)
    }
  } finally {
    unfollow()
    for (const { ear } of listeners) ear.stop()
  }
}

/** The plan is told in station time, what is heard in the time of this process. */
function findingsOf(ear: Listener, plan: Plan | null, nowMs: number, stationMs: number): Findings {
  const toOwn = nowMs - stationMs
  const own = plan && {
    ...plan,
    soundSinceMs: plan.soundSinceMs === null ? null : plan.soundSinceMs + toOwn,
    titleSinceMs: plan.titleSinceMs + toOwn,
  }
  return judgeSound(ear.heard(), own, THRESHOLDS, nowMs)
}

/** Begins and ends alarms as findings come and go; those that a process before this one began go on. */
async function openRegister(deps: MonitorDeps) {
  const keyOf = ({ cause, source }: Fault) => `${cause} ${source}`
  const known = new Map<string, Persistence>()
  for (const fault of await openFaults(deps.data))
    if (fault.source === 'station' || deps.config.monitorUrls.includes(fault.source))
      known.set(keyOf(fault), { state: 'faulty', changingSinceMs: null })
    else await endAlarm(deps, fault)

  const noteOne = async (fault: Fault, evidence: string | undefined, nowMs: number) => {
    const before = known.get(keyOf(fault)) ?? WELL
    const after = persist(before, evidence !== undefined, PATIENCE, nowMs)
    if (after.state !== before.state) {
      const isNew = after.state === 'faulty'
      if (isNew) await beginAlarm(deps, { ...fault, evidence: evidence ?? '' })
      else await endAlarm(deps, fault)
      deps.log.warn({ ...fault, evidence }, isNew ? 'alarm began' : 'alarm ended')
    }
    known.set(keyOf(fault), after)
  }
  return {
    async note(source: string, findings: Findings, nowMs: number) {
      for (const cause of alarmCauses as readonly AlarmCause[])
        await noteOne({ cause, source }, findings.get(cause), nowMs)
    },
  }
}
