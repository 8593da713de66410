import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import {
  openJobQueue,
  openJsonData,
  openSpools,
  type Processors,
  type Recurrence,
  readConfig,
  workJobs,
} from '@solstice/adapters'
import {
  advance,
  apply,
  type Command,
  initialState,
  learn,
  nobodyLive,
  orderAirsAtMs,
  orderEffects,
  type PlayoutState,
  resume,
  type Step,
  upcoming,
} from '@solstice/playout'
import {
  type Announcer,
  type Asker,
  applyInbox,
  applyPayment,
  type Bus,
  type Consequence,
  createAudit,
  type DataStore,
  type DonationRecord,
  defaultDonationSettings,
  emptySpool,
  Failure,
  keepDelivery,
  type MatchingPayment,
  type Payment,
  type PaymentProvider,
  type PaymentProviderId,
  type PolledProvider,
  pollPayments,
  queueDonation,
  type Saved,
} from '@solstice/station'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { sweepDonations } from '../apps/jobs/src/processors/sweep-donations.ts'
import { createConsequences } from '../apps/stream-worker/src/consequences.ts'
import { startRedis } from './harness/processes.ts'
import {
  alwaysDay,
  host,
  NOON,
  randomFrom,
  stationFact,
  track,
  tracks,
  withLists,
} from './harness/programme.ts'

const MINUTE = 60_000
const CHECKOUT = 'checkout_provider_2'
const POLLED = 'matching_provider_1'
const silent = pino({ level: 'silent' })
const { config } = readConfig({ JWT_SECRET: 'a secret that only this test knows' })

/** Several processes open it at once, and none of them is waited for by a disk where there is memory. */
async function openFolder(t: Test): Promise<string> {
  const memory = '/dev/shm'
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'solstice-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** What the process was doing when it broke off; nothing that it does afterwards has an effect. */
class Broken extends Error {}

interface Break {
  /** The number of the operation at which the process breaks off, from 1. */
  at: number
  /** It has taken effect. */
  isDone: boolean
}

/** What outlives processes: all that Redis holds, what was heard, and what donors were told. */
interface Station {
  nowMs: number
  saved: Saved | null
  commands: { asker: Asker; command: Command }[]
  jobs: Map<string, { name: string; donationId?: string }>
  /** When the songs of orders began. */
  starts: Map<string, Set<number>>
  told: { donationId: string; accepted: boolean }[]
  /** What the service that is asked knows, newest first; null while it is away. */
  payments: MatchingPayment[] | null
  /** The worker that is on air, as whoever has sent a command knows it. */
  obey: (() => Promise<void>) | null
  answers: Map<string, (outcome: unknown) => void>
}

const emptyStation = (): Station => ({
  nowMs: NOON,
  saved: null,
  commands: [],
  jobs: new Map(),
  starts: new Map(),
  told: [],
  payments: [],
  obey: null,
  answers: new Map(),
})

/** A process of the station, which may break off before or after any of its operations. */
function startProcess(station: Station, stored: DataStore, folder: string, breaks?: Break) {
  const life = new AbortController()
  let count = 0
  const begin = () => {
    if (life.signal.aborted) throw new Broken()
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
  const data: DataStore = {
    ...stored,
    donations: breakable(stored.donations),
    ledger: breakable(stored.ledger),
    inbox: breakable(stored.inbox),
    audit: breakable(stored.audit),
  }
  const disk = openSpools(folder).deliveries
  const clock = { nowMs: () => station.nowMs, aheadMs: () => 0 }
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
    async recentPayments() {
      if (!station.payments) throw new Error('the service is away')
      return station.payments.slice(0, 20)
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
    payments: { active: null, configured: new Map<PaymentProviderId, PaymentProvider>([[POLLED, polled]]) },
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

type Process = ReturnType<typeof startProcess>

const songs = tracks(12)
const songOf = (donationId: string) => track(`wish of ${donationId}`, 'Hilda', 3 * MINUTE)
const library = [...songs, ...tracks(12, 12, 'night')]

/** The desk: what `on-air` does with states and commands, without a clock of its own. */
async function goOnAir(station: Station, process: Process, schedule = alwaysDay) {
  const { saved } = station
  const desk = {
    lost: process.life,
    async answer({ token }: Asker, outcome: unknown) {
      station.answers.get(token)?.(outcome)
    },
  }
  const consequences = createConsequences(process, desk, () => null)
  for (const consequence of saved?.due ?? []) consequences.carryOut(consequence)
  let state: PlayoutState
  let turn: Promise<unknown> = Promise.resolve()
  const take = async (before: PlayoutState, step: Step, answers: Consequence[] = []) => {
    const news: Consequence[] = [...answers, ...step.effects, ...orderEffects(before, step)]
    state = withLists(step.state, (mode) => library.filter(({ id }) => id.startsWith(mode)), station.nowMs)
    await process.step(() => {
      station.saved = { state, due: [...consequences.unfinished, ...news], aliveAtMs: station.nowMs }
      for (const one of news)
        if (one.type === 'played' && one.orderId !== undefined) {
          const starts = station.starts.get(one.orderId) ?? new Set()
          station.starts.set(one.orderId, starts.add(one.startedAtMs))
        }
    })
    for (const consequence of news) consequences.carryOut(consequence)
  }
  const passTime = () => take(state, advance(state, station.nowMs))
  /** One thing after the other, as in the shell. */
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
    done: () => consequences.done(),
    get state() {
      return state
    },
  }
}

/** Whatever jobs there are, one after the other. */
async function doJobs(station: Station, process: Process): Promise<void> {
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

function ordered(id: string, facts: Partial<DonationRecord> = {}): DonationRecord {
  return {
    id,
    uid: `donor of ${id}`,
    songId: songOf(id).id,
    songTitle: songOf(id).title,
    songArtist: 'Hilda',
    provider: CHECKOUT,
    amountMinor: 50_00,
    currency: 'UAH',
    tier: null,
    status: 'pending',
    queue: null,
    refusedWhy: null,
    airedAt: null,
    matchCode: null,
    claimKey: id,
    expiresAt: null,
    createdAt: NOON,
    paidAt: null,
    reference: null,
    ...facts,
  }
}

const paid = (donationId: string, facts: { amountMinor?: number; reference?: string } = {}): Payment => {
  const { amountMinor = 50_00, reference = `payment of ${donationId}` } = facts
  const money = { amountMinor, currency: 'UAH', paidAtMs: NOON }
  return { kind: 'paid', eventId: reference, reference, donationId, ...money }
}
const failed = (donationId: string): Payment => {
  const reference = `failure of ${donationId}`
  return { kind: 'failed', eventId: reference, reference, donationId }
}

async function placeOrder(data: DataStore, order: DonationRecord, hasSong = true): Promise<void> {
  await data.donations.insert(order)
  const { title, artist } = songOf(order.id)
  const about = { title, artist, album: '', year: null, duration: 180, mode: 'day' as const }
  const filename = `${title}.mp3`
  if (hasSong) await data.tracks.put({ id: order.songId, ...about, filename, storageKey: order.songId })
}

/** Fails unless each order ended in one way, and its song was heard as that says. */
async function assertSettled(t: Test, station: Station, data: DataStore, ids: string[]): Promise<void> {
  const problems: string[] = []
  const entries = station.saved?.state.list.entries ?? []
  const waiting = station.saved ? upcoming(station.saved.state).map(({ orderId }) => orderId) : []
  for (const donation of (await data.donations.find()).filter(({ id }) => ids.includes(id))) {
    const { id, status, queue } = donation
    const starts = station.starts.get(id)?.size ?? 0
    const places = waiting.filter((orderId) => orderId === id).length
    const end = `${status} ${queue}`
    const isRight =
      end === 'paid aired'
        ? starts === 1 && places === 0
        : end === 'paid queued'
          ? starts === 0 && places === 1
          : ['paid_unqueued refused', 'pending null', 'failed null', 'expired null'].includes(end) &&
            starts + places === 0
    if (!isRight) problems.push(`${id}: ${end}, ${starts} starts, ${places} places`)
    if (entries.filter(({ orderId }) => orderId === id).length > 1) problems.push(`${id} stands there twice`)
    const events = (await data.ledger.find({ donationId: id })).filter(
      // A payment may have come when the order was closed already.
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

t.test(
  'a process that breaks off before or after any operation leaves nothing that is not finished',
  async (t) => {
    const folder = await openFolder(t)
    const data = await openJsonData(folder)
    t.teardown(() => data.close())
    const ways = {
      heard: (id: string) => ({ order: ordered(id), delivery: paid(id), end: 'paid aired' }),
      refused: (id: string) => ({ order: ordered(id), delivery: paid(id), end: 'paid_unqueued refused' }),
      failed: (id: string) => ({ order: ordered(id), delivery: failed(id), end: 'failed null' }),
      expired: (id: string) => ({
        order: ordered(id, { matchCode: id, claimKey: `CODE ${id}`, expiresAt: NOON, provider: POLLED }),
        delivery: null,
        end: 'expired null',
      }),
      polled: (id: string) => ({
        order: ordered(id, {
          matchCode: 'AAAAAA',
          claimKey: `CODE ${id}`,
          expiresAt: NOON,
          provider: POLLED,
        }),
        delivery: null,
        end: 'paid aired',
      }),
    }
    for (const [way, begin] of Object.entries(ways)) {
      let breaks = 0
      for (let at = 1, isOver = false; !isOver; at++) {
        for (const isDone of [false, true]) {
          const id = `${way} ${at} ${isDone}`
          const { order, delivery, end } = begin(id)
          await placeOrder(data, order, way !== 'refused')
          const station = emptyStation()
          if (way === 'polled') {
            const { eventId, reference } = paid(id) as MatchingPayment
            const money = { amountMinor: 60_00, currency: 'UAH', paidAtMs: NOON }
            station.payments = [{ kind: 'paid', eventId, reference, comment: 'for aaaaaa', ...money }]
          }
          let isKept = delivery === null
          const go = async (process: Process) => {
            const worker = await goOnAir(station, process)
            // The service delivers again what was not answered.
            if (!isKept && delivery) await keepDelivery(process, CHECKOUT, delivery, station.nowMs)
            isKept = true
            await applyInbox(process, station.nowMs)
            for (let time = 0; time < 2; time++) {
              await pollPayments(process, station.nowMs)
              if (time > 0) await sweepDonations(process as never)
              await doJobs(station, process)
              for (let song = 0; song < 4; song++) {
                station.nowMs += 4 * MINUTE
                await worker.passTime()
              }
              await worker.done()
            }
          }
          const broken = startProcess(station, data, folder, { at, isDone })
          await go(broken).catch((error) => {
            if (!broken.life.aborted) throw error
          })
          isOver = !broken.life.aborted
          if (!isOver) {
            breaks++
            await go(startProcess(station, data, folder))
          }
          const { status, queue } = (await data.donations.get(id))!
          if (`${status} ${queue}` !== end) t.fail(`${id}: ${status} ${queue}`)
          await assertSettled(t, station, data, [id])
          await data.donations.update({ id, claimKey: `CODE ${id}` }, { claimKey: id })
          await data.donations.update({ id }, { matchCode: null })
        }
      }
      t.ok(breaks > 10, `${way}: ${breaks} breaks`)
    }
    t.same(await data.inbox.find(), [])
  },
)

t.test(
  'whatever happens in whatever order: who has paid is heard, waits, or is told that there is no place; nobody else is heard',
  async (t) => {
    const folder = await openFolder(t)
    let orders = 0
    const tally = new Map<string, number>()
    for (let seed = 1; orders < 1000; seed++) {
      const stores = [
        await openJsonData(join(folder, `${seed}`)),
        await openJsonData(join(folder, `${seed}`)),
      ]
      for (const store of stores) t.teardown(() => store.close())
      const [data] = stores as [DataStore]
      const random = randomFrom(seed)
      const ids = Array.from({ length: 100 }, (_, i) => `${seed} ${i}`)
      orders += ids.length
      const station = emptyStation()
      const open = () => {
        // Every third process breaks off somewhere.
        const breaks = random(3) ? undefined : { at: 1 + random(60), isDone: random(2) === 1 }
        return startProcess(station, stores[random(stores.length)]!, folder, breaks)
      }
      await Promise.all(
        ids.map((id, i) => {
          const code = `CODE${seed}X${i}`
          const expiresAt = NOON + random(200) * MINUTE
          return placeOrder(
            data,
            ordered(id, i % 2 ? { provider: POLLED, matchCode: code, claimKey: code, expiresAt } : {}),
          )
        }),
      )
      const codeOf = (id: string) => `code${id.replace(' ', 'x')}`
      const some = () => ids[random(ids.length)]!
      /** Orders that were paid for as they should, and that it was answered. */
      const rightly = new Set<string>()
      const statuses = new Map<string, string>()

      let desk = startProcess(station, data, folder)
      let worker = await goOnAir(station, desk)
      const restart = async () => {
        desk.kill()
        for (;;) {
          desk = open()
          const next = await goOnAir(station, desk).catch(() => null)
          if (next) worker = next
          if (next) return
        }
      }
      const ask = (process: Process, command: Command) => process.bus.send(command)
      const deliver = async (process: Process, id: string) => {
        const status = (await data.donations.get(id))!.status
        if (Number(id.split(' ')[1]) % 2) return
        const right = paid(id)
        const payment = [
          right,
          right,
          right,
          failed(id),
          paid(id, { amountMinor: 1, reference: `less for ${id}` }),
        ][random(5)]!
        await keepDelivery(process, CHECKOUT, payment, station.nowMs)
        if (payment === right && status === 'pending') rightly.add(id)
        if (random(3)) await applyInbox(process, station.nowMs)
      }
      const happenings: ((process: Process) => Promise<unknown>)[] = [
        ...Array(12).fill((process: Process) => deliver(process, some())),
        ...Array(3).fill((process: Process) => doJobs(station, process)),
        (process) => applyInbox(process, station.nowMs),
        ...Array(2).fill((process: Process) => pollPayments(process, station.nowMs)),
        (process) => sweepDonations(process as never),
        (process) => ask(process, { type: 'skip' }),
        (process) => ask(process, { type: 'remove-entry', position: 1 + random(6) }),
        (process) =>
          ask(process, { type: 'pause-queue', socketId: 'h', when: random(2) ? 'now' : 'afterTrack' }),
        (process) => ask(process, { type: 'resume-queue', socketId: 'h' }),
        (process) => ask(process, { type: 'switch-mode', target: random(3) ? 'day' : 'night', atMs: null }),
        async (process) => {
          const trackId = songOf(some()).id
          const { ok } = await ask(process, { type: 'release-track', trackId, purpose: 'remove' })
          if (ok && random(2)) await data.tracks.delete({ id: trackId })
          const settled = [{ trackId, track: null }]
          if (ok) await ask(process, { type: 'library-changed', settled })
        },
        ...Array(4).fill(async () => {
          // Two may name the same order, and one may name two.
          const named = [some(), some()].slice(0, 1 + random(2)).filter((id) => Number(id.split(' ')[1]) % 2)
          const reference = `donation ${station.payments?.length} ${random(1e6)}`
          const money = { amountMinor: random(4) ? 50_00 : 49_99, currency: 'UAH', paidAtMs: station.nowMs }
          const comment = named.map(codeOf).join(' and ')
          station.payments?.unshift({ kind: 'paid', eventId: reference, reference, comment, ...money })
        }),
      ]
      for (let round = 0; round < 26; round++) {
        station.nowMs += random(3) * random(2 * MINUTE)
        const away = random(12) === 0
        if (away) station.nowMs += random(30) * MINUTE
        switch (random(10)) {
          case 0:
            await restart()
            break
          case 1: {
            // What is being written of it is written, then Redis is emptied.
            await restart()
            await worker.done()
            if (desk.life.aborted) break
            desk.kill()
            station.saved = null
            station.commands = []
            station.jobs.clear()
            await restart()
            break
          }
          case 2: {
            const kept = station.payments ?? []
            station.payments = null
            await pollPayments(startProcess(station, data, folder), station.nowMs).catch(() => {})
            station.payments = kept
            break
          }
        }
        if (random(60) === 0) {
          // Nobody is on the air for longer than a day: what was asked of the air in that time is read afterwards.
          desk.kill()
          await doJobs(station, startProcess(station, data, folder)).catch(() => {})
          station.nowMs += 25 * 60 * MINUTE
        }
        if (desk.life.aborted) await restart()
        await worker.passTime().catch(() => {})
        await Promise.all(
          Array.from({ length: 8 }, async () => {
            const process = open()
            await happenings[random(happenings.length)]!(process).catch((error) => {
              if (error instanceof Broken || process.life.aborted) return
              if (!(error instanceof Failure)) throw error
            })
          }),
        )
        const problems: string[] = []
        for (const { id, status } of await data.donations.find()) {
          const before = statuses.get(id) ?? 'pending'
          const isFinal = before === 'paid_unqueued' || (before === 'paid' && status !== 'paid_unqueued')
          if (before !== status && (isFinal || status === 'pending'))
            problems.push(`${id}: ${before} → ${status}`)
          statuses.set(id, status)
        }
        if (problems.length > 0) t.fail(problems.join('; '))
      }
      // From now on nothing breaks off.
      desk.kill()
      desk = startProcess(station, data, folder)
      worker = await goOnAir(station, desk)
      const calm = startProcess(station, data, folder)
      for (let time = 0; time < 3; time++) {
        await worker.done()
        await pollPayments(calm, station.nowMs)
        await sweepDonations(calm as never)
        await doJobs(station, calm)
      }
      await worker.done()
      await assertSettled(t, station, data, ids)
      await ask(calm, { type: 'resume-queue', socketId: 'h' })
      for (let song = 0; song < 60; song++) {
        station.nowMs += 4 * MINUTE
        await worker.passTime()
      }
      await worker.done()
      await pollPayments(calm, station.nowMs)
      await sweepDonations(calm as never)
      await assertSettled(t, station, data, ids)
      const all = await data.donations.find()
      const lost = all.filter(({ id, status }) => status === 'pending' && rightly.has(id))
      t.same(
        lost.map(({ id }) => id),
        [],
        'no payment is lost',
      )
      t.same(
        all.filter(({ queue }) => queue === 'queued'),
        [],
        'what is queued is heard',
      )
      t.same(await data.inbox.find(), [])
      const ends = all.map(({ status, queue }) => `${status} ${queue}`)
      for (const end of ['paid aired', 'paid_unqueued refused', 'failed null', 'expired null'])
        tally.set(end, (tally.get(end) ?? 0) + ends.filter((one) => one === end).length)
    }
    for (const end of ['paid aired', 'paid_unqueued refused', 'failed null', 'expired null'])
      t.ok((tally.get(end) ?? 0) >= 20, `${tally.get(end)} are ${end}`)
  },
)

t.test('songs wait for each other, and what comes again does, also when Redis was emptied', async (t) => {
  const redis = await startRedis(t)
  const jobs = openJobQueue(redis.url, silent)
  t.teardown(() => jobs.close())
  let isEmptied = false
  let sweep = () => {}
  const isSweptAgain = new Promise<void>((resolve) => {
    sweep = () => {
      if (isEmptied) resolve()
    }
  })
  let now = 0
  let most = 0
  const done = new Set<string>()
  let end = () => {}
  const areAllDone = new Promise<void>((resolve) => {
    end = resolve
  })
  const processors = {
    'sweep-donations': async () => sweep(),
    'queue-donation': async ({ donationId }: { donationId: string }) => {
      most = Math.max(most, ++now)
      await setTimeout(40)
      now--
      if (done.add(donationId).size === 8) end()
    },
  } as unknown as Processors
  for (let process = 0; process < 2; process++) {
    const planned: Recurrence[] = [{ name: 'sweep-donations', everyMs: 60_000 }]
    const worker = await workJobs(redis.url, processors, planned, silent)
    t.teardown(() => worker.close())
  }
  const client = new Redis(redis.url)
  t.teardown(() => client.disconnect())
  await client.flushall()
  isEmptied = true
  await isSweptAgain
  while ((await client.hget('solstice:donations:meta', 'concurrency')) === null) await setTimeout(20)
  for (let i = 0; i < 8; i++) {
    const options = { id: `${i}` }
    await Promise.all([0, 1].map(() => jobs.add('queue-donation', { donationId: `${i}` }, options)))
  }
  await areAllDone
  t.equal(most, 1)
})

t.test('a file of the spool that cannot be read keeps no other delivery back', async (t) => {
  const folder = await openFolder(t)
  const data = await openJsonData(join(folder, 'data'))
  t.teardown(() => data.close())
  const station = emptyStation()
  const process = startProcess(station, data, folder)
  for (const id of ['a', 'b'])
    await process.spool.keep({ id, provider: CHECKOUT, payment: paid(id), receivedAt: NOON })
  await writeFile(join(folder, 'deliveries', `${'0'.repeat(64)}.json`), '{"id": "half')
  t.equal(await emptySpool(process), 2)
  t.same((await data.inbox.find()).map(({ id }) => id).sort(), ['a', 'b'])
  t.equal(await emptySpool(process), 0)
})

t.test('a donation that names hundreds of orders costs no more than a few', async (t) => {
  const data = await openJsonData(await openFolder(t))
  t.teardown(() => data.close())
  const process = startProcess(emptyStation(), data, '')
  const codes = Array.from({ length: 200 }, (_, i) => `MANY${i}`)
  await Promise.all(
    codes.map((code, i) =>
      data.donations.insert(
        ordered(code, { provider: POLLED, matchCode: code, ...(i < 150 && { status: 'expired' }) }),
      ),
    ),
  )
  const { eventId, reference } = paid('many')
  const money = { amountMinor: 1, currency: 'UAH', paidAtMs: NOON }
  const payment = { kind: 'paid', eventId, reference, comment: codes.join(' '), ...money } as const
  const warnings: object[] = []
  const log = { info() {}, warn: (details: object) => void warnings.push(details) }
  for (let time = 0; time < 2; time++) await applyPayment({ ...process, log }, POLLED, payment, NOON)
  const named = codes.slice(150, 155)
  t.same(
    (await data.ledger.find()).map(({ donationId }) => donationId),
    named,
  )
  t.same(
    warnings,
    named.map((donationId) => ({ donationId, reason: 'too_little', provider: POLLED })),
    'the operator hears of it once, and of nobody who paid',
  )

  await data.donations.insert(ordered('whole', { provider: POLLED, matchCode: 'WHOLE9', amountMinor: 1 }))
  await applyPayment(
    { ...process, log },
    POLLED,
    { ...payment, eventId: 'e', reference: 'r', comment: 'MANY160 WHOLE9' },
    NOON,
  )
  t.match(await data.donations.get('whole'), { status: 'paid' })
  t.equal(warnings.length, named.length, 'what pays for another order is no matter')
})

t.test(
  'a paid song ends a talk, unless donations are to wait for it; then nobody knows when it is heard',
  async (t) => {
    const folder = await openFolder(t)
    const data = await openJsonData(folder)
    t.teardown(() => data.close())
    for (const isBlocking of [false, true]) {
      const value = { ...defaultDonationSettings, blockDonationsWhileChatting: isBlocking }
      await data.settings.put({ section: 'donations', value, revision: 1 })
      const id = `while blocking is ${isBlocking}`
      await placeOrder(data, ordered(id))
      const station = emptyStation()
      const process = startProcess(station, data, folder)
      const worker = await goOnAir(station, process)
      const airsAtMs = () => orderAirsAtMs(worker.state, id, station.nowMs)
      station.nowMs += 20_000
      await process.bus.send({ type: 'pause-queue', socketId: 'h', when: 'now' })
      await keepDelivery(process, CHECKOUT, paid(id), station.nowMs)
      await applyInbox(process, station.nowMs)
      await doJobs(station, process)
      t.equal(worker.state.isPaused, isBlocking)
      t.match(await data.donations.get(id), { status: 'paid', queue: 'queued' })
      if (isBlocking) {
        t.equal(airsAtMs(), null)
        station.nowMs += 5 * MINUTE
        await process.bus.send({ type: 'resume-queue', socketId: 'h' })
      }
      const { onAir } = worker.state
      const dueMs = onAir.phase === 'track' ? onAir.startedAtMs + onAir.entry.track.durationMs! : null
      t.equal(airsAtMs(), dueMs, 'after the song that goes on')
      station.nowMs += 2 * MINUTE
      await worker.passTime()
      await worker.done()
      const { queue, airedAt } = (await data.donations.get(id))!
      t.equal(queue, 'aired')
      t.equal(airsAtMs(), airedAt, 'while it is heard')
      station.nowMs += 10 * MINUTE
      await worker.passTime()
      t.equal(airsAtMs(), null)
    }
  },
)
