import { createHmac } from 'node:crypto'
import { openJsonData, openPayments, readConfig } from '@solstice/adapters'
import {
  claimPayment,
  type DonationRecord,
  dateOfOrder,
  expireOrdersOf,
  type PaymentProvider,
  type PaymentProviderId,
  type PolledProvider,
  pollPayments,
  redateOrders,
  withStationTime,
} from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { inStationTime } from '../../packages/adapters/src/services/payments/index.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const LIFE_MS = 15 * MINUTE_MS
const NOON = Date.UTC(2026, 6, 1, 12)

/** The station's time runs evenly while the wall clock is set. */
function clocks() {
  let [stationMs, aheadMs] = [NOON, 0]
  return {
    clock: { nowMs: () => stationMs, aheadMs: () => aheadMs },
    wallMs: () => stationMs - aheadMs,
    pass: (ms: number) => (stationMs += ms),
    set: (byMs: number) => (aheadMs -= byMs),
  }
}

const order = (id: string, createdAt: number): DonationRecord => ({
  id,
  uid: 'u',
  songId: 'day/one.mp3',
  songTitle: 'One',
  songArtist: 'Ann',
  provider: 'matching_provider_1',
  currency: 'UAH',
  amountMinor: 5_000,
  tier: null,
  status: 'pending',
  queue: null,
  refusedWhy: null,
  airedAt: null,
  matchCode: id,
  claimKey: `code of ${id}`,
  expiresAt: createdAt + LIFE_MS,
  createdAt,
  paidAt: null,
  reference: null,
})

t.test('an order lasts its intended time, and its dates are right', async (t) => {
  for (const byMs of [-DAY_MS, -HOUR_MS, HOUR_MS, DAY_MS]) {
    const { clock, wallMs, pass, set } = clocks()
    const store = await openJsonData(await temporaryFolder(t))
    t.teardown(() => store.close())
    const data = withStationTime(store, clock)
    const settled = { ...order('OLD', clock.nowMs()), status: 'expired' as const, claimKey: 'OLD' }
    await data.donations.insert(settled)
    await data.donations.insert(order('PAID', clock.nowMs()))
    await data.donations.insert(order('LATE', clock.nowMs()))
    pass(5 * MINUTE_MS)
    set(byMs)
    pass(5 * MINUTE_MS)
    const expire = () =>
      expireOrdersOf(data, { providers: ['matching_provider_1'], graceMs: 0, nowMs: clock.nowMs() })
    t.equal(await expire(), 0, `set by ${byMs / HOUR_MS} h: none expires early`)
    const payment = {
      kind: 'paid',
      eventId: 'e',
      reference: 'r',
      amountMinor: 5_000,
      currency: 'UAH',
      paidAtMs: clock.nowMs(),
      comment: 'PAID',
    } as const
    t.equal(
      await claimPayment(data, {
        donationId: 'PAID',
        provider: 'matching_provider_1',
        payment,
        nowMs: clock.nowMs(),
      }),
      'claimed',
    )
    const paid = (await store.donations.get('PAID'))!
    t.equal(paid.paidAt, wallMs(), 'stored times are wall-clock dates')
    t.equal(paid.createdAt, wallMs() - 10 * MINUTE_MS)
    t.equal((await data.donations.get('PAID'))?.paidAt, clock.nowMs(), 'read times are station time')
    t.equal((await store.ledger.find({ donationId: 'PAID' })).at(-1)?.atMs, wallMs())

    await redateOrders(data, clock)
    t.equal((await store.donations.get('LATE'))?.expiresAt, wallMs() + 5 * MINUTE_MS)
    t.equal((await store.donations.get('OLD'))?.createdAt, NOON, 'a settled order keeps its date')
    t.equal(dateOfOrder((await data.donations.get('OLD'))!, 'createdAt'), NOON)
    pass(5 * MINUTE_MS)
    t.equal(await expire(), 1, 'and none late')
    t.equal(await data.donations.delete(({ createdAt }) => createdAt < NOON), 0)
  }
})

t.test('records written with a corrected wall clock are read as intended', async (t) => {
  const { clock, set, pass } = clocks()
  const store = await openJsonData(await temporaryFolder(t))
  t.teardown(() => store.close())
  const data = withStationTime(store, clock)
  set(8 * HOUR_MS)
  await data.donations.insert(order('ONE', clock.nowMs()))
  set(-8 * HOUR_MS)
  await redateOrders(data, clock)
  t.equal((await data.donations.get('ONE'))?.expiresAt, NOON + LIFE_MS)
  t.equal((await store.donations.get('ONE'))?.expiresAt, NOON + LIFE_MS)
  set(8 * HOUR_MS)
  await data.donations.put((await data.donations.get('ONE'))!)
  pass(HOUR_MS)
  set(-8 * HOUR_MS)
  await data.donations.put((await data.donations.get('ONE'))!)
  t.equal((await data.donations.get('ONE'))?.expiresAt, NOON + LIFE_MS)
})

t.test('redating an order keeps concurrent changes to it', async (t) => {
  const { clock, set } = clocks()
  const store = await openJsonData(await temporaryFolder(t))
  t.teardown(() => store.close())
  const data = withStationTime(store, clock)
  const paid = { status: 'paid', queue: 'queued', paidAt: NOON } as const
  await data.donations.insert({ ...order('ONE', clock.nowMs()), ...paid })
  set(HOUR_MS)
  const { donations } = store
  const update: typeof donations.update = async (where, change) => {
    await data.donations.update({ id: 'ONE' }, { queue: 'aired', airedAt: clock.nowMs() })
    return donations.update(where, change)
  }
  const interrupted: typeof donations = new Proxy(donations, {
    get: (target, name) => (name === 'update' ? update : Reflect.get(target, name).bind(target)),
  })
  await redateOrders(withStationTime({ ...store, donations: interrupted }, clock), clock)
  t.match(await data.donations.get('ONE'), { queue: 'aired', airedAt: clock.nowMs() })
})

t.test('a payment that names an open order pays for it, however wrong the wall clock is', async (t) => {
  for (const byMs of [-8 * HOUR_MS, 8 * HOUR_MS]) {
    const { clock, wallMs, pass, set } = clocks()
    const store = await openJsonData(await temporaryFolder(t))
    t.teardown(() => store.close())
    const data = withStationTime(store, clock)
    set(byMs)
    await data.donations.insert(order('ABCDEF', clock.nowMs()))
    pass(MINUTE_MS)
    const said = (reference: string, comment: string, paidAtMs: number) =>
      ({
        kind: 'paid',
        eventId: reference,
        reference,
        comment,
        amountMinor: 5_000,
        currency: 'UAH',
        paidAtMs: Math.min(paidAtMs, wallMs()),
      }) as const
    const service: PolledProvider = {
      id: 'matching_provider_1',
      displayName: 'It is asked',
      flow: 'matching',
      maxAmountMinor: {},
      pageUrl: 'https://pay.example',
      pollIntervalMs: 30_000,
      // It knows the true time, which the station's clock has shown from the beginning.
      recentPayments: async () => [
        said('new', 'for abcdef', clock.nowMs()),
        said('old', 'of a year ago', clock.nowMs() - 365 * DAY_MS),
      ],
    }
    const services = new Map<PaymentProviderId, PaymentProvider>([[service.id, service]])
    const payments = inStationTime({ active: null, configured: services }, clock)
    const others = { jobs: { add: async () => '' }, announcer: { tell() {} }, log: pino({ level: 'silent' }) }
    await pollPayments({ data, payments, ...others }, clock.nowMs())
    t.equal((await data.donations.get('ABCDEF'))?.status, 'paid', `set by ${byMs / HOUR_MS} h`)
    t.same(
      (await store.ledger.find()).filter(({ note }) => note.includes('old')),
      [],
      'those from before all orders are left alone',
    )
  }
})

t.test(
  'as long as the wall clock is never set, records stay readable for the previous version',
  async (t) => {
    const { clock } = clocks()
    const store = await openJsonData(await temporaryFolder(t))
    t.teardown(() => store.close())
    const data = withStationTime(store, clock)
    await data.donations.insert(order('ONE', clock.nowMs()))
    t.same(await store.donations.get('ONE'), order('ONE', clock.nowMs()))
    t.equal(
      await data.donations.find(),
      await store.donations.find(),
      'and the array of the store is handed on',
    )
  },
)

t.test('services are judged by the wall clock, and their timestamps become station time', async (t) => {
  const { clock, wallMs, set } = clocks()
  const { config } = readConfig({
    JWT_SECRET: 'a',
    ADMIN_LOGIN: 'c',
    ADMIN_PASS: 'd',
    DONATIONS_ENABLED: 'true',
    DONATIONS_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: 'sk',
    STRIPE_WEBHOOK_SECRET: 'whsec',
  })
  const payments = inStationTime(openPayments(config), clock)
  const stripe = payments.active as Extract<PaymentProvider, { flow: 'checkout' }>
  for (const byMs of [-DAY_MS, -6 * MINUTE_MS, 6 * MINUTE_MS, DAY_MS]) {
    set(byMs)
    const seconds = Math.floor(wallMs() / 1000)
    const session = {
      id: 'cs',
      client_reference_id: 'order',
      payment_intent: 'pi',
      currency: 'usd',
      amount_total: 100,
      payment_status: 'paid',
    }
    const type = 'checkout.session.completed'
    const body = JSON.stringify({ id: 'evt', type, created: seconds, data: { object: session } })
    const v1 = createHmac('sha256', 'whsec').update(`${seconds}.`).update(body).digest('hex')
    const headers = { 'stripe-signature': `t=${seconds},v1=${v1}` }
    const read = stripe.readDelivery({ rawBody: Buffer.from(body), headers, nowMs: clock.nowMs() })
    t.match(read, { kind: 'paid' }, `set by ${byMs / MINUTE_MS} min: accepted at once`)
    t.ok(Math.abs((read as { paidAtMs: number }).paidAtMs - clock.nowMs()) <= 1_000)
    const late = stripe.readDelivery({ rawBody: Buffer.from(body), headers, nowMs: clock.nowMs() + 301_000 })
    t.equal(late, null, 'and rejected after 300 s')
  }
})
