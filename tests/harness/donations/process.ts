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
