import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '@solstice/playout'
import type {
  Asker,
  MatchingPayment,
  PaymentProvider,
  PaymentProviderId,
  PostingProvider,
  Saved,
} from '@solstice/station'
import type { Test } from 'tap'
import { inStationTime } from '../../../packages/adapters/src/services/payments/index.ts'
import { NOON } from '../air/programme.ts'

export const MINUTE = 60_000

export const CHECKOUT = 'checkout_provider_2'

export const POLLED = 'matching_provider_1'

export const POSTED = 'matching_provider_2'

/** Opened by several processes at once; in memory where possible, so that no process waits for a disk. */
export async function openFolder(t: Test): Promise<string> {
  const memory = '/dev/shm'
  const folder = await mkdtemp(join(existsSync(memory) ? memory : tmpdir(), 'solstice-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
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
export const statedBy = (payment: MatchingPayment, wallMs: number): MatchingPayment => ({
  ...payment,
  paidAtMs: Math.min(payment.paidAtMs, wallMs),
})
