import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSpools, readConfig } from '@solstice/adapters'
import {
  advance,
  apply,
  type Command,
  initialState,
  learn,
  nobodyLive,
  type PlayoutState,
  resume,
  type Step,
  upcoming,
} from '@solstice/playout'
import {
  type Announcer,
  type Asker,
  type Bus,
  createAudit,
  type DataStore,
  type DonationRecord,
  Failure,
  type MatchingPayment,
  type OutboxEntry,
  type Payment,
  type PaymentProvider,
  type PaymentProviderId,
  type PolledProvider,
  type PostingProvider,
  queueDonation,
  type Saved,
  withStationTime,
} from '@solstice/station'
import { pino } from 'pino'
import type { Test } from 'tap'
import { sweepDonations } from '../../../apps/jobs/src/processors/sweep-donations.ts'
import { createOutbox } from '../../../apps/stream-worker/src/air/outbox.ts'
import { createSaveLoop } from '../../../apps/stream-worker/src/air/save-loop.ts'
import { inStationTime } from '../../../packages/adapters/src/services/payments/index.ts'
import { alwaysDay, host, NOON, stationFact, track, tracks, withLists } from '../air/programme.ts'
import { pendingDonation } from './donations.ts'

export const MINUTE = 60_000
export const CHECKOUT = 'checkout_provider_2'
export const POLLED = 'matching_provider_1'
export const POSTED = 'matching_provider_2'
const silent = pino({ level: 'silent' })
const { config } = readConfig({ JWT_SECRET: 'a secret that only this test knows' })

/** Opened by several processes at once; in memory where possible, so that no process waits for a disk. */
export async function openFolder(t: Test): Promise<string> {
  const memory = '/dev/shm'
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'solstice-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Names the step at which the process crashed; later steps have no effect. */
export class Broken extends Error {}

export interface Break {
  /** Number of the operation at which the process crashes, from 1. */
  at: number
  /** True when that operation has taken effect. */
  isDone: boolean
}

/** Everything that outlives processes: the contents of Redis, the songs heard, and the messages to donors. */
export interface Station {
  /** The station's clock, which is also the true time: services use it. */
  nowMs: number
  /** How far the wall clock of its machine is behind. */
  aheadMs: number
  /** Called before each operation of any process. */
  meanwhile: () => void
  saved: Saved | null
  commands: { asker: Asker; command: Command }[]
  jobs: Map<string, { name: string; donationId?: string }>
  /** Moments at which the songs of orders began. */
  starts: Map<string, Set<number>>
  /** Songs on air: the start of the current stretch, and the time heard of each, ms. */
  sounding: Map<string, number>
  heardMs: Map<string, number>
  /** Orders whose songs were skipped by a person, or lost with the air in Redis. */
  cut: Set<string>
  /** The last worker to save. */
  worker: object | null
  told: { donationId: string; accepted: boolean }[]
  /** Payments known to the polled service, newest first; null while it is away. */
  payments: MatchingPayment[] | null
  /** The worker on air, as known to senders of commands. */
  obey: (() => Promise<void>) | null
  answers: Map<string, (outcome: unknown) => void>
}

export const emptyStation = (): Station => ({
  nowMs: NOON,
  aheadMs: 0,
  meanwhile() {},
  saved: null,
  commands: [],
  jobs: new Map(),
  starts: new Map(),
  sounding: new Map(),
  heardMs: new Map(),
  cut: new Set(),
  worker: null,
  told: [],
  payments: [],
  obey: null,
  answers: new Map(),
})

export const clockOf = (station: Station) => ({
  nowMs: () => station.nowMs,
  aheadMs: () => station.aheadMs,
})

/** The webhook service, as the station accepts its reports at the moment; no payment lies in the future. */
export function received(station: Station, payment: MatchingPayment): MatchingPayment {
  const posting: PostingProvider = {
    id: POSTED,
    displayName: 'It posts',
    flow: 'matching',
    maxAmountMinor: {},
    pageUrl: 'https://pay.example',
    readDelivery: ({ nowMs }) => statedBy(payment, nowMs),
  }
  const services = new Map<PaymentProviderId, PaymentProvider>([[POSTED, posting]])
  const { configured } = inStationTime({ active: null, configured: services }, clockOf(station))
  const provider = configured.get(POSTED) as PostingProvider
  return provider.readDelivery({ rawBody: Buffer.alloc(0), headers: {}, nowMs: station.nowMs })!
}

/** Services are read like this: a moment in the future becomes now. */
const statedBy = (payment: MatchingPayment, wallMs: number): MatchingPayment => ({
  ...payment,
  paidAtMs: Math.min(payment.paidAtMs, wallMs),
})

/** A process of the station, which may crash before or after any of its operations. */
export function startProcess(station: Station, stored: DataStore, folder: string, breaks?: Break) {
  const life = new AbortController()
  let count = 0
  const begin = () => {
    if (life.signal.aborted) throw new Broken()
    station.meanwhile()
    const isHere = ++count === breaks?.at
    if (isHere && !breaks.isDone) life.abort()
    if (life.signal.aborted) throw new Broken()
    return () => {
      if (isHere) life.abort()
      if (life.signal.aborted) throw new Broken()
    }
  }
  const step = async <R>(work: () => R | Promise<R>): Promise<R> => {
    const end = begin()
    const result = await work()
    end()
    return result
  }
  const changes = ['insert', 'put', 'update', 'delete']
  const breakable = <C extends object>(collection: C): C =>
    new Proxy(collection, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>
        if (changes.includes(String(name)))
          return (...given: unknown[]) => step(() => method.apply(target, given))
        return (...given: unknown[]) => {
          if (life.signal.aborted) throw new Broken()
          return method.apply(target, given)
        }
      },
    })
  const clock = clockOf(station)
  const kept: DataStore = {
    ...stored,
    donations: breakable(stored.donations),
    ledger: breakable(stored.ledger),
    inbox: breakable(stored.inbox),
    audit: breakable(stored.audit),
  }
  const data = withStationTime(kept, clock)
  const disk = openSpools(folder).deliveries
  const announcer: Announcer = {
    announce() {},
    accountChanged() {},
    settingsChanged() {},
    tell(_, event, ...payload) {
      if (event !== 'donation_result') return
      const end = begin()
      station.told.push(payload[0] as Station['told'][number])
      end()
    },
  }
  let asked = 0
  const self = `${Math.random()}`
  const bus: Pick<Bus, 'send' | 'follow'> = {
    async send(command) {
      const asker = { bus: self, token: `${self} ${++asked}` }
      const answer = await step(async () => {
        const outcome = new Promise((resolve) => station.answers.set(asker.token, resolve))
        station.commands.push({ asker, command })
        await station.obey?.()
        return Promise.race([outcome, Promise.resolve(null)])
      })
      if (answer === null) throw new Failure('AIR_UNAVAILABLE')
      return answer as Awaited<ReturnType<Bus['send']>> as never
    },
    async follow(onState) {
      if (station.saved) onState(station.saved.state)
      return () => {}
    },
  }
  const polled: PolledProvider = {
    id: POLLED,
    displayName: 'It is asked',
    flow: 'matching',
    maxAmountMinor: { UAH: 30_000_00 },
    pageUrl: 'https://pay.example',
    pollIntervalMs: 30_000,
    async recentPayments(wallMs) {
      if (!station.payments) throw new Error('the service is away')
      return station.payments.slice(0, 20).map((payment) => statedBy(payment, wallMs))
    },
  }
  return {
    step,
    data,
    clock,
    announcer,
    bus,
    log: silent,
    config,
    audit: createAudit({ data, announcer, clock, isOn: true }),
    payments: inStationTime(
      { active: null, configured: new Map<PaymentProviderId, PaymentProvider>([[POLLED, polled]]) },
      clock,
    ),
    jobs: {
      async add(name: string, given: { donationId?: string }, options: { id?: string } = {}) {
        await step(() => {
          const id = options.id ?? name
          if (!station.jobs.has(id)) station.jobs.set(id, { name, ...given })
        })
        return name
      },
    } as never,
    spool: {
      ...disk,
      keep: (delivery: Parameters<typeof disk.keep>[0]) => step(() => disk.keep(delivery)),
    },
    life: life.signal,
    kill: () => life.abort(),
    get operations() {
      return count
    },
  }
}

export type Process = ReturnType<typeof startProcess>

const songs = tracks(12)
export const songOf = (donationId: string) => track(`wish of ${donationId}`, 'Hilda', 3 * MINUTE)
const library = [...songs, ...tracks(12, 12, 'night')]

/** Records how much of the orders' songs this saved air plays; between two workers there is silence. */
function listen(station: Station, worker: object, state: PlayoutState, due: readonly OutboxEntry[]) {
  const { starts, sounding, heardMs, nowMs } = station
  const hear = (orderId: string, untilMs: number) => {
    const fromMs = sounding.get(orderId)
    if (fromMs === undefined) return
    heardMs.set(orderId, (heardMs.get(orderId) ?? 0) + Math.max(0, untilMs - fromMs))
    sounding.delete(orderId)
  }
  const isBack = station.worker !== worker
  if (isBack) for (const orderId of [...sounding.keys()]) hear(orderId, station.saved?.aliveAtMs ?? nowMs)
  station.worker = worker
  for (const one of due) {
    if (one.type !== 'played' || one.orderId === undefined) continue
    const times = starts.get(one.orderId) ?? new Set()
    if (times.size === 0) sounding.set(one.orderId, one.startedAtMs)
    starts.set(one.orderId, times.add(one.startedAtMs))
  }
  const { onAir } = state
  const orderId = onAir.phase === 'track' ? onAir.entry.orderId : undefined
  if (isBack && orderId !== undefined && !sounding.has(orderId)) sounding.set(orderId, nowMs)
  for (const one of due) if (one.type === 'order-ended') hear(one.orderId, one.atMs)
}

/** A worker on air: the real part that saves, replies and acts, without a clock of its own. */
export async function goOnAir(station: Station, process: Process, schedule = alwaysDay) {
  const { saved } = station
  const lease = {
    lost: process.life,
    async answer({ token }: Asker, outcome: unknown) {
      station.answers.get(token)?.(outcome)
    },
    save: (state: PlayoutState, due: readonly OutboxEntry[] = []) =>
      process.step(() => {
        listen(station, process, state, due)
        station.saved = { state, outbox: [...due], aliveAtMs: station.nowMs }
      }),
  }
  const outbox = createOutbox(process, lease, () => null)
  for (const entry of saved?.outbox ?? []) outbox.add(entry)
  const air = createSaveLoop(lease, outbox, process.clock)
  let state: PlayoutState
  let turn: Promise<unknown> = Promise.resolve()
  const take = async (before: PlayoutState, step: Step, answers: OutboxEntry[] = []) => {
    state = withLists(step.state, (mode) => library.filter(({ id }) => id.startsWith(mode)), station.nowMs)
    air.add(before, { ...step, state }, answers)
    await air.save()
  }
  const passTime = () => take(state, advance(state, station.nowMs))
  /** One command at a time, as in the shell. */
  const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  const fresh = {
    ...initialState(7, 'sound', schedule, station.nowMs),
    live: { ...nobodyLive, participants: [host('h')] },
  }
  const start = saved ? resume(saved.state, saved.aliveAtMs, station.nowMs) : { state: fresh, effects: [] }
  const informed = learn(start.state, stationFact(schedule, {}, 'sound'), station.nowMs)
  state = start.state
  await take(saved?.state ?? fresh, {
    state: informed.state,
    effects: [...start.effects, ...informed.effects],
  })
  await passTime()

  const obey = () =>
    inTurn(async () => {
      for (let id = Number(state.appliedThrough.split('-')[0]); id < station.commands.length; id++) {
        const { asker, command } = station.commands[id]!
        await passTime()
        const { outcome, ...step } = apply(state, command, station.nowMs)
        const { onAir } = state
        if (command.type === 'skip' && onAir.phase === 'track') station.cut.add(onAir.entry.orderId ?? '')
        const applied = { ...step, state: { ...step.state, appliedThrough: `${id + 1}-0` } }
        await take(state, applied, [{ type: 'answer', asker, outcome }])
      }
    }).catch(() => {})
  station.obey = obey
  process.life.addEventListener('abort', () => {
    if (station.obey === obey) station.obey = null
  })
  if (!saved) station.jobs.set('sweep-donations', { name: 'sweep-donations' })
  await obey()
  return {
    passTime: () => inTurn(passTime),
    done: () => outbox.drained(),
    get state() {
      return state
    },
  }
}

/** Runs all pending jobs, one after the other. */
export async function doJobs(station: Station, process: Process): Promise<void> {
  for (const [id, { name, donationId }] of [...station.jobs]) {
    try {
      if (name === 'sweep-donations') {
        station.jobs.delete(id)
        await sweepDonations(process as never)
      } else await queueDonation(process as never, donationId!, new AbortController().signal)
    } catch (error) {
      if (process.life.aborted) throw error
      continue // it is tried again
    }
    station.jobs.delete(id)
  }
}

export function ordered(id: string, facts: Partial<DonationRecord> = {}): DonationRecord {
  const song = { songId: songOf(id).id, songTitle: songOf(id).title, songArtist: 'Hilda' }
  return pendingDonation(id, {
    uid: `donor of ${id}`,
    ...song,
    provider: CHECKOUT,
    createdAt: NOON,
    ...facts,
  })
}

export const paid = (
  donationId: string,
  facts: { amountMinor?: number; reference?: string } = {},
): Payment => {
  const { amountMinor = 50_00, reference = `payment of ${donationId}` } = facts
  const money = { amountMinor, currency: 'UAH', paidAtMs: NOON }
  return { kind: 'paid', eventId: reference, reference, donationId, ...money }
}
export const failed = (donationId: string): Payment => {
  const reference = `failure of ${donationId}`
  return { kind: 'failed', eventId: reference, reference, donationId }
}

export async function placeOrder(data: DataStore, order: DonationRecord, hasSong = true): Promise<void> {
  await data.donations.insert(order)
  const { title, artist } = songOf(order.id)
  const about = { title, artist, album: '', year: null, duration: 180, mode: 'day' as const }
  const filename = `${title}.mp3`
  if (hasSong) await data.tracks.put({ id: order.songId, ...about, filename, storageKey: order.songId })
}

/** Fails unless each order ended in exactly one way and its song was heard accordingly. */
export async function assertSettled(
  t: Test,
  station: Station,
  data: DataStore,
  ids: string[],
): Promise<void> {
  const problems: string[] = []
  const entries = station.saved?.state.playlist.entries ?? []
  const waiting = station.saved ? upcoming(station.saved.state).map(({ orderId }) => orderId) : []
  for (const donation of (await data.donations.find()).filter(({ id }) => ids.includes(id))) {
    const { id, status, queue } = donation
    const starts = station.starts.get(id)?.size ?? 0
    const places = waiting.filter((orderId) => orderId === id).length
    const end = `${status} ${queue}`
    const isOver = starts > 0 && !station.sounding.has(id) && !station.cut.has(id)
    const heardMs = station.heardMs.get(id) ?? 0
    // The last 10 s may be cut by silence trimming; the clock gives the sound 30 s more than it has.
    if (isOver && (heardMs < 170_000 || heardMs > 300_000)) problems.push(`${id}: ${heardMs} ms were heard`)
    const isRight =
      end === 'paid aired'
        ? starts === 1 && places === 0
        : end === 'paid queued'
          ? starts === 0 && places === 1
          : ['paid_unqueued refused', 'pending null', 'failed null', 'expired null'].includes(end) &&
            starts + places === 0
    if (!isRight) problems.push(`${id}: ${end}, ${starts} starts, ${places} places`)
    if ((queue === 'aired') !== (donation.airedAt !== null))
      problems.push(`${id}: ${end} at ${donation.airedAt}`)
    if (entries.filter(({ orderId }) => orderId === id).length > 1) problems.push(`${id} stands there twice`)
    const events = (await data.ledger.find({ donationId: id })).filter(
      // A payment may arrive after the order was closed.
      ({ onceKey }) =>
        !/^refused \w+_provider/.test(onceKey) && !(donation.paidAt && onceKey === `refused ${id}`),
    )
    const names = events.map(({ event }) => event)
    // A second payment is delivered as well.
    const once = names.filter((name) => name !== 'delivered')
    if (new Set(once).size < once.length) problems.push(`${id}: ${names}`)
    const needed = {
      'paid aired': ['delivered', 'claimed', 'queued', 'on-air'],
      'paid queued': ['delivered', 'claimed', 'queued'],
      'paid_unqueued refused': ['delivered', 'claimed', 'refused'],
      'failed null': ['refused'],
      'expired null': ['refused'],
    }[end]
    if (needed?.some((event) => !names.includes(event as 'claimed'))) problems.push(`${id}, ${end}: ${names}`)
    const told = station.told.filter(({ donationId }) => donationId === id)
    const isAccepted = status === 'paid'
    const isTold =
      status === 'pending' || status === 'expired' || told.some(({ accepted }) => accepted === isAccepted)
    if (!isTold) problems.push(`the donor of ${id} was not told`)
  }
  t.same(problems, [])
}
