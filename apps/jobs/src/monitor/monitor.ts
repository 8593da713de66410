import { randomUUID } from 'node:crypto'
import type { Ports } from '@solstice/adapters'
import { alarmCauses } from '@solstice/contracts'
import {
  type Audit,
  capabilitiesOf,
  chunkEndMs,
  createSpooledMail,
  Deferred,
  dateNow,
  forgetEvidence,
  mountId,
  noteWatch,
  openFaults,
  sleep,
} from '@solstice/station'
import { lookForEvents } from '../watch-air.ts'
import { type AlarmBook, openAlarmBook } from './book.ts'
import { type Broadcast, followBroadcast } from './broadcast.ts'
import { listen } from './ear/listen.ts'
import { createEvidenceKeeper, type EvidenceKeeper } from './evidence.ts'
import { createInspector, placeAt } from './inspect.ts'
import {
  type Findings,
  judgeBroadcast,
  judgeNumbers,
  judgePlaylist,
  judgeSound,
  THRESHOLDS,
} from './judge.ts'
import { followPlan } from './plan.ts'
import { openRegister, type Register } from './register.ts'
import { createSoundThen, sentIn, titlesAt } from './sent.ts'
import { playlistsOf, STATION, type StreamSource, streamsOf } from './sources.ts'
import { createStepFilter, SEGMENTS_SETTLED_MS } from './told/clock-steps.ts'
import { followTold } from './told/follow-told.ts'
import { pollPlaylist } from './told/poll.ts'

const LOOK_EVERY_MS = 500
/** Looks further apart than this mean that this process did not run: what it missed is no fault of the station. */
const MISSED_MS = 2_000
/** Limits how long nobody listens after a monitor died; one that stands still for longer stops for the next. */
const LEASE_MS = 6_000
const STANDBY_RETRY_MS = 1_000
const WATCH_EVERY_MS = 60_000

type MonitorPorts = Pick<
  Ports,
  'bus' | 'clock' | 'config' | 'data' | 'jobs' | 'leases' | 'log' | 'mailer' | 'media' | 'metrics' | 'spools'
>
type MonitorDeps = MonitorPorts & { audit: Audit }

/**
 * Listens to the station at the addresses of `MONITOR_URLS`, in one process of all; the others stand by.
 *
 * @returns a function that stops it.
 */
export function startMonitor(deps: MonitorDeps): () => Promise<void> {
  const { config, leases, log, metrics, data } = deps
  if (config.monitorUrls.length === 0) return async () => {}
  let register: Register | null = null
  metrics.gauge(
    { name: 'solstice_alarm', help: 'Alarms of the monitor that have not ended', labels: ['cause'] },
    async () => {
      const open = register?.open ?? (await openFaults(data))
      return alarmCauses.map((cause) => ({
        labels: { cause },
        value: open.filter((fault) => fault.cause === cause).length,
      }))
    },
  )
  const stopping = new AbortController()
  const { signal } = stopping
  const holder = `monitor:${randomUUID()}`
  const listenUntil = (ended: AbortSignal) =>
    monitor(deps, ended, (opened) => {
      register = opened
    }).finally(() => {
      register = null
    })
  const watch = async () => {
    while (!signal.aborted) {
      await leases
        .hold(holder, ['monitor'], signal, (lost) => listenUntil(AbortSignal.any([signal, lost])), LEASE_MS)
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

/** @param onOpen called when it begins to listen. */
async function monitor(
  deps: MonitorDeps,
  stopping: AbortSignal,
  onOpen: (register: Register) => void,
): Promise<void> {
  const { clock, config, log, mailer, spools } = deps
  const ending = new AbortController()
  const signal = AbortSignal.any([stopping, ending.signal])
  const senses = await openSenses(deps, signal)
  const evidence = createEvidenceKeeper(deps)
  let book: AlarmBook | null = null
  try {
    const mail = mailer && createSpooledMail({ ...deps, mailer, station: config })
    const tellsEvents = capabilitiesOf(config).editSettings
    const onWritten = tellsEvents ? () => lookForEvents(deps) : () => {}
    book = await openAlarmBook({ ...deps, spool: spools.alarms, mail, onWritten })
    const register = await openRegister(
      { ...deps, book },
      {
        sources: senses.sources,
        onBegan: (fault, beganAt) => evidence.record(fault, beganAt, senses.soundAt(fault.source)),
        retry: (again) => void sleep(STANDBY_RETRY_MS, { signal }).then(again, () => {}),
      },
    )
    onOpen(register)
    const sinceMs = dateNow(clock)
    log.info({ addresses: config.monitorUrls }, 'monitor listening')
    let lookedMs = performance.now()
    let watchedMs = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      const nowMs = performance.now()
      if (nowMs - lookedMs > MISSED_MS) senses.forgive()
      lookedMs = nowMs
      for (const [source, findings] of senses.look(nowMs)) register.note(source, findings, nowMs)
      if (nowMs - watchedMs >= WATCH_EVERY_MS) {
        watchedMs = nowMs
        void keepRecords(deps, sinceMs, evidence)
      }
      await sleep(LOOK_EVERY_MS, { signal })
    }
  } finally {
    ending.abort()
    await senses.close()
    await book?.close()
    await evidence.close()
  }
}

/** Notes that the station is listened to, stores what is left of the sound of alarms, and deletes that of those that are forgotten. While the store is away the next note tells it. */
async function keepRecords(
  { data, clock, config, media, log }: MonitorDeps,
  sinceMs: number,
  evidence: EvidenceKeeper,
): Promise<void> {
  const watch = { nowMs: dateNow(clock), addresses: config.monitorUrls.length, sinceMs }
  await noteWatch(data, watch).catch((error) => log.warn({ err: error }, 'watch not noted'))
  await evidence.fileLeft().catch((error) => log.warn({ err: error }, 'evidence on disk not stored'))
  await forgetEvidence({ data, media }).catch((error) =>
    log.warn({ err: error }, 'old evidence of alarms not deleted'),
  )
}

/** All that the monitor hears and reads. Ends with `signal`. */
async function openSenses(deps: MonitorDeps, signal: AbortSignal) {
  const { clock, config } = deps
  const now = () => performance.now()
  const plan = await followPlan(deps, signal)
  const streams = streamsOf(config)
  const broadcasts = followAll(deps, streams, signal)
  const ears = streams.map((stream) => {
    const broadcast = broadcasts.of(stream)
    const { url, mount } = stream
    const ear = listen({ url, codec: mount.codec, broadcast, ffmpegPath: config.ffmpegPath, now })
    const soundThen = createSoundThen(broadcast)
    const soundAt = (stationMs: number) => (ear.frame === null ? null : soundThen(ear.frame, stationMs))
    const told = stream.id === undefined ? followTold(stream.address, { clock, config, now }, soundAt) : null
    return { ...stream, broadcast, ear, told }
  })
  const sentUntil = () => {
    const { chunk } = broadcasts.first
    return chunk && chunkEndMs(chunk) - clock.aheadMs()
  }
  const playlists = playlistsOf(config).map((one) => ({
    ...one,
    poll: pollPlaylist(one.url, now, sentUntil),
    steady: createStepFilter<number>(now, SEGMENTS_SETTLED_MS),
  }))
  const inspector = createInspector(deps)
  const [first] = ears

  const atStream = (
    { ear, broadcast, mount, source, told }: (typeof ears)[number],
    nowMs: number,
  ): Findings => {
    const heard = ear.heard()
    const { frame } = heard
    const own = plan.inTimeOf(nowMs)
    const titles = frame === null ? null : titlesAt(broadcast, mount, frame)
    const findings = judgeSound(heard, own, titles, THRESHOLDS, nowMs)
    if (findings.has('no_bytes')) return findings
    const place = frame === null ? null : placeAt(broadcast, frame)
    if (source === first?.source) add(findings, inspector.look(heard, ear.sound, place, plan.now, nowMs))
    if (told) add(findings, told.judge(plan.now))
    return findings
  }

  return {
    sources: new Set([...streams.map(({ source }) => source), ...playlists.map(({ url }) => url), STATION]),
    /** The sound at a source, or where none is heard of its own that of its address. */
    soundAt: (source: string) =>
      (ears.find((one) => one.source === source) ??
        ears.find(({ address }) => source.startsWith(`${address}/`)) ??
        first)!.ear.sound,
    look(nowMs: number): [string, Findings][] {
      const heard = ears.map((one): [string, Findings] => [one.source, atStream(one, nowMs)])
      const silent = new Set(heard.flatMap(([source, found]) => (found.has('no_bytes') ? [source] : [])))
      const listed = playlists.map(({ url, address, poll, steady }): [string, Findings] => {
        const followed = steady(poll.now(), (lateMs) => lateMs, THRESHOLDS.playlistMs)
        return [url, silent.has(address) ? new Map() : judgePlaylist(followed, THRESHOLDS)]
      })
      const sent = sentIn(broadcasts.first)
      const ofStation = judgeBroadcast(sent, plan.now, THRESHOLDS, clock.nowMs())
      add(ofStation, numbersOf(broadcasts.all, nowMs))
      return [...heard, ...listed, [STATION, ofStation]]
    },
    forgive() {
      for (const { ear, told } of ears) {
        ear.forgive()
        told?.forgive()
      }
    },
    async close() {
      for (const { ear, told } of ears) {
        ear.stop()
        told?.stop()
      }
      for (const { poll } of playlists) poll.stop()
      await broadcasts.ended
    },
  }
}

/** Follows each mount that is listened to. */
function followAll(deps: MonitorDeps, streams: readonly StreamSource[], signal: AbortSignal) {
  const followed = new Map<StreamSource['id'], ReturnType<typeof followBroadcast> & { name: string }>()
  for (const { id, mount } of streams)
    if (!followed.has(id))
      followed.set(id, { ...followBroadcast(deps, mount.codec, id, signal), name: mountId(mount) })
  return {
    first: followed.get(undefined)!.broadcast,
    of: ({ id }: StreamSource): Broadcast => followed.get(id)!.broadcast,
    all: [...followed.values()],
    ended: Promise.all([...followed.values()].map((one) => one.followed)),
  }
}

/** Holes in the numbers of the broadcast, each with the name of its mount. */
function numbersOf(mounts: readonly { name: string; broadcast: Broadcast }[], nowMs: number): Findings {
  const found = mounts.flatMap(({ name, broadcast }) =>
    [...judgeNumbers(broadcast.leftOut, THRESHOLDS, nowMs).values()].map(
      (evidence) => `${name}: ${evidence}`,
    ),
  )
  return new Map(found.length > 0 ? [['missing_frames', found.join('; ')]] : [])
}

function add(findings: Findings, more: Findings): void {
  for (const [cause, evidence] of more) if (!findings.has(cause)) findings.set(cause, evidence)
}
