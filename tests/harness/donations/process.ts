import { openSpools, readConfig } from '@solstice/adapters'
import {
  type Announcer,
  type Bus,
  createAudit,
  type DataStore,
  Failure,
  type PaymentProvider,
  type PaymentProviderId,
  type PolledProvider,
  withStationTime,
} from '@solstice/station'
import { pino } from 'pino'
import { inStationTime } from '../../../packages/adapters/src/services/payments/index.ts'
import { clockOf, POLLED, type Station, statedBy } from './station.ts'

const silent = pino({ level: 'silent' })

const { config } = readConfig({ JWT_SECRET: 'a secret that only this test knows' })

/** Names the step at which the process crashed; later steps have no effect. */
export class Broken extends Error {}

export interface Break {
  /** Number of the operation at which the process crashes, from 1. */
  at: number
  /** True when that operation has taken effect. */
  isDone: boolean
}

/** A process of the station, which may crash before or after any of its operations. */
export function startProcess(station: Station, stored: DataStore, folder: string, breaks?: Break) {
  const life = createLife(station, breaks)
  const { step } = life
  const clock = clockOf(station)
  const data = withStationTime(breakableData(stored, life), clock)
  const announcer = announcerOf(station, life)
  const { deliveries } = openSpools(folder)
  return {
    step,
    data,
    clock,
    announcer,
    bus: busOf(station, life),
    log: silent,
    config,
    audit: createAudit({ data, announcer, clock, isOn: true }),
    payments: inStationTime(
      {
        active: null,
        configured: new Map<PaymentProviderId, PaymentProvider>([[POLLED, polledService(station)]]),
      },
      clock,
    ),
    jobs: jobsOf(station, life) as never,
    spool: {
      ...deliveries,
      keep: (delivery: Parameters<typeof deliveries.keep>[0]) => step(() => deliveries.keep(delivery)),
    },
    life: life.signal,
    kill: life.end,
    get operations() {
      return life.operations
    },
  }
}

export type Process = ReturnType<typeof startProcess>

type Life = ReturnType<typeof createLife>

/** Counts operations, and ends at the one at which the process crashes. */
function createLife(station: Station, breaks: Break | undefined) {
  const life = new AbortController()
  let operations = 0
  const mustLive = () => {
    if (life.signal.aborted) throw new Broken()
  }
  /** Begins an operation; call the returned function when it has taken effect. */
  const begin = () => {
    mustLive()
    station.meanwhile()
    const isHere = ++operations === breaks?.at
    if (isHere && !breaks.isDone) life.abort()
    mustLive()
    return () => {
      if (isHere) life.abort()
      mustLive()
    }
  }
  return {
    begin,
    mustLive,
    async step<R>(work: () => R | Promise<R>): Promise<R> {
      const end = begin()
      const result = await work()
      end()
      return result
    },
    signal: life.signal,
    end: () => life.abort(),
    get operations() {
      return operations
    },
  }
}

const changes = ['insert', 'put', 'update', 'delete']

/** The store, with an operation for each change. */
function breakableData(stored: DataStore, { mustLive, step }: Life): DataStore {
  const breakable = <C extends object>(collection: C): C =>
    new Proxy(collection, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>
        if (changes.includes(String(name)))
          return (...given: unknown[]) => step(() => method.apply(target, given))
        return (...given: unknown[]) => {
          mustLive()
          return method.apply(target, given)
        }
      },
    })
  return {
    ...stored,
    donations: breakable(stored.donations),
    ledger: breakable(stored.ledger),
    inbox: breakable(stored.inbox),
    audit: breakable(stored.audit),
  }
}

/** Telling a donor the result is an operation. */
const announcerOf = (station: Station, { begin }: Life): Announcer => ({
  announce() {},
  accountChanged() {},
  settingsChanged() {},
  tell(_, event, ...payload) {
    if (event !== 'donation_result') return
    const end = begin()
    station.told.push(payload[0] as Station['told'][number])
    end()
  },
})

/** Sending a command is an operation; a station without a worker answers nothing. */
function busOf(station: Station, { step }: Life): Pick<Bus, 'send' | 'follow'> {
  let asked = 0
  const self = `${Math.random()}`
  return {
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
}

/** A service that is asked for the payments of the station. */
const polledService = (station: Station): PolledProvider => ({
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
})

/** Asking for a job is an operation. */
const jobsOf = (station: Station, { step }: Life) => ({
  async add(name: string, given: { donationId?: string }, options: { id?: string } = {}) {
    await step(() => {
      const id = options.id ?? name
      if (!station.jobs.has(id)) station.jobs.set(id, { name, ...given })
    })
    return name
  },
})
