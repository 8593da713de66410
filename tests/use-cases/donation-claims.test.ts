import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openData, openJsonData, openSpools, readConfig } from '@solstice/adapters'
import type { DonationStatus } from '@solstice/contracts'
import {
  applyInbox,
  applyPayment,
  claimPayment,
  type DataStore,
  type DonationRecord,
  drainDeliverySpool,
  expireOrdersOf,
  failDonation,
  makeRoomForOrder,
  type PaymentProviderId,
  purgeDonations,
  recordInLedger,
  storeDelivery,
  UNKNOWN_ORDER,
} from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { sweepDonations } from '../../apps/jobs/src/processors/sweep-donations.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { ledgerOf, MATCHING, payment, pendingDonation } from '../harness/stations/donations.ts'

const silent = pino({ level: 'silent' })

/** Two processes with the same data. */
const open = {
  async json(t: Test) {
    const folder = await temporaryFolder(t)
    return [await openJsonData(folder), await openJsonData(folder)] as const
  },
  async sql(t: Test) {
    const { url: DATABASE_URL } = await startPostgres(t)
    const { config } = readConfig({ JWT_SECRET: 'of this test', DATA_PROVIDER: 'sql', DATABASE_URL })
    return [await openData(config, silent), await openData(config, silent)] as const
  },
}

for (const kind of ['json', 'sql'] as const)
  t.test(`an order in ${kind}`, async (t) => {
    const stores = await open[kind](t)
    for (const store of stores) t.teardown(() => store.close())
    const [data] = stores
    const events = async (id: string) => (await ledgerOf(data, id)).map(({ event }) => event)
    const place = (id: string, facts: Partial<DonationRecord> = {}) =>
      data.donations.insert(pendingDonation(id, facts))
    const refusals: string[] = []
    const claim = (id: string, paid = payment(`for ${id}`), provider: PaymentProviderId = MATCHING) =>
      claimPayment(data, {
        donationId: id,
        provider,
        payment: paid,
        nowMs: 5000,
        onRefused: (why) => refusals.push(why),
      })
    const fail = (donationId: string, provider: PaymentProviderId = MATCHING) =>
      failDonation(data, {
        provider,
        payment: { kind: 'failed', eventId: 'e', reference: 'r', donationId },
        nowMs: 5000,
      })

    t.test('is claimed once by many concurrent reports of its payment', async (t) => {
      await place('raced', { matchCode: 'AAAAAA', claimKey: 'AAAAAA' })
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          claimPayment(stores[i % 2]!, {
            donationId: 'raced',
            provider: MATCHING,
            payment: payment('p'),
            nowMs: 5000.5,
          }),
        ),
      )
      t.same(claims.toSorted(), ['claimed', ...Array(19).fill('known')])
      t.match(await data.donations.get('raced'), {
        status: 'paid',
        queue: 'due',
        paidAt: 5000,
        reference: 'p',
        matchCode: 'AAAAAA',
        claimKey: 'raced',
      })
      t.same(await events('raced'), ['delivered', 'claimed'])
    })

    t.test('is not paid by an unsuitable payment, and the ledger gives the reason', async (t) => {
      await place('misfit', { expiresAt: 2000 })
      for (const [why, paid, provider] of [
        ['other_provider', payment('1'), 'matching_provider_2'],
        ['other_currency', payment('2', { currency: 'USD' }), MATCHING],
        ['too_little', payment('3', { amountMinor: 49_99 }), MATCHING],
        ['too_late', payment('4', { paidAtMs: 2001 }), MATCHING],
      ] as const) {
        for (let time = 0; time < 2; time++) t.equal(await claim('misfit', paid, provider), 'refused', why)
        t.match((await ledgerOf(data, 'misfit')).at(-1), { event: 'refused', note: new RegExp(`^${why}: `) })
      }
      t.equal((await ledgerOf(data, 'misfit')).length, 4, 'once for each payment')
      t.same(
        refusals,
        ['other_provider', 'other_currency', 'too_little', 'too_late'],
        'and it is reported as often',
      )
      t.match(await data.donations.get('misfit'), { status: 'pending', queue: null })
      for (let time = 0; time < 2; time++) t.equal(await claim('nothing'), 'refused')
      t.same(refusals.slice(4), ['unknown_order'], 'once')
      t.match(await ledgerOf(data, UNKNOWN_ORDER), [
        { event: 'refused', note: 'unknown_order nothing: matching_provider_1 for nothing, 50.00 UAH' },
      ])
      t.equal(
        await claim('misfit', payment('5', { paidAtMs: 2000, amountMinor: 60_00 })),
        'claimed',
        'more is enough',
      )
    })

    t.test('has its payment to itself', async (t) => {
      await place('first')
      await place('second')
      const both = payment('names both')
      t.equal(await claim('first', both), 'claimed')
      t.equal(await claim('second', both), 'refused')
      t.equal(await claim('first', both), 'known')
      t.match(await data.donations.get('second'), { status: 'pending' })
      t.equal(await claim('first', payment('another')), 'refused', 'it is paid already')
      t.match((await ledgerOf(data, 'first')).at(-1), { event: 'refused', note: /^not_pending/ })
    })

    t.test('continues where a crash stopped it when its payment is reported again', async (t) => {
      await place('crashed')
      const onceKey = `delivered ${MATCHING} for crashed`
      await recordInLedger(data, { donationId: 'crashed', event: 'delivered', onceKey, atMs: 1, note: '' })
      t.equal(await claim('crashed'), 'claimed')
      await data.ledger.delete({ donationId: 'crashed', event: 'claimed' })
      t.equal(await claim('crashed'), 'known')
      t.same(await events('crashed'), ['delivered', 'claimed'])
    })

    t.test('fails or expires once', async (t) => {
      await place('failed', { provider: 'checkout_provider_1' })
      t.equal(await fail('failed'), false, 'another service has no say')
      t.equal(await fail('failed', 'checkout_provider_1'), true)
      t.equal(await fail('failed', 'checkout_provider_1'), false)
      t.match(await data.donations.get('failed'), { status: 'failed', paidAt: null })

      await place('soon', { expiresAt: 10_000, matchCode: 'BBBBBB', claimKey: 'BBBBBB' })
      await place('never', { expiresAt: null })
      t.equal(
        await expireOrdersOf(data, { providers: [MATCHING], graceMs: 1000, nowMs: 10_999 }),
        0,
        'a payment in time may be on its way',
      )
      t.equal(await data.donations.insert(pendingDonation('taken', { claimKey: 'BBBBBB' })), null)
      const swept = await Promise.all(
        stores.map((store) => expireOrdersOf(store, { providers: [MATCHING], graceMs: 1000, nowMs: 11_000 })),
      )
      t.same(swept.toSorted(), [0, 1])
      t.match(await data.donations.get('soon'), { status: 'expired', matchCode: 'BBBBBB' })
      t.match(await data.donations.get('never'), { status: 'pending' })
      t.ok(await data.donations.insert(pendingDonation('free', { claimKey: 'BBBBBB' })), 'its code is free')
    })

    t.test('is judged by the time of its payment, not of the report', async (t) => {
      for (const at of ['in time', 'late']) await place(at, { expiresAt: 10_000, claimKey: `code of ${at}` })
      await expireOrdersOf(data, { providers: [MATCHING], graceMs: 0, nowMs: 20_000 })
      t.equal(await claim('late', payment('late', { paidAtMs: 10_001 })), 'refused')
      t.match(await data.donations.get('late'), { status: 'expired' })
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          claimPayment(stores[i % 2]!, {
            donationId: 'in time',
            provider: MATCHING,
            payment: payment('in time', { paidAtMs: 10_000 }),
            nowMs: 30_000,
          }),
        ),
      )
      t.same(claims.toSorted(), ['claimed', ...Array(9).fill('known')])
      t.match(await data.donations.get('in time'), { status: 'paid', queue: 'due', paidAt: 30_000 })
      t.same(await events('in time'), ['refused', 'delivered', 'claimed'])
      t.equal(
        await expireOrdersOf(data, { providers: [MATCHING], graceMs: 0, nowMs: 40_000 }),
        0,
        'and is not closed again',
      )
    })

    t.test('that failed is paid by a later success, and a late failure changes nothing', async (t) => {
      await place('second card')
      t.equal(await fail('second card'), true)
      t.equal(await claim('second card'), 'claimed')
      t.equal(await fail('second card'), false)
      t.match(await data.donations.get('second card'), { status: 'paid', queue: 'due' })
      t.same(await events('second card'), ['refused', 'delivered', 'claimed'])
      t.equal(await claim('second card', payment('a third card')), 'refused', 'it is paid already')
    })

    t.test('keeps these rules in any order of events', async (t) => {
      let seed = 20
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
        return Math.floor((seed / 2 ** 31) * below)
      }
      const ids = Array.from({ length: 12 }, (_, i) => `any ${i}`)
      await Promise.all(ids.map((id) => place(id, { expiresAt: random(2) ? 2000 : null })))
      const status = new Map<string, DonationStatus>()
      const paidBy = new Map<string, string[]>()
      for (let round = 0; round < 8; round++) {
        await Promise.all(
          Array.from({ length: 12 }, async () => {
            const store = stores[random(2)]!
            const id = ids[random(ids.length)]!
            const reference = `any payment ${random(8)}`
            const paid = payment(reference, { paidAtMs: random(2) ? 1000 : 3000 })
            switch (random(4)) {
              case 0:
                await failDonation(store, {
                  provider: MATCHING,
                  payment: { kind: 'failed', eventId: 'e', reference, donationId: id },
                  nowMs: 1,
                })
                break
              case 1:
                if (round > 4) await expireOrdersOf(store, { providers: [MATCHING], graceMs: 0, nowMs: 2500 })
                break
              default:
                if (
                  (await claimPayment(store, {
                    donationId: id,
                    provider: MATCHING,
                    payment: paid,
                    nowMs: 1,
                  })) === 'claimed'
                )
                  paidBy.set(reference, [...(paidBy.get(reference) ?? []), id])
            }
          }),
        )
        for (const id of ids) {
          const now = (await data.donations.get(id))!
          const before = status.get(id) ?? 'pending'
          t.ok(before !== 'paid' || now.status === 'paid', `${id}: ${before} → ${now.status}`)
          t.ok(now.status !== 'pending' || before === 'pending', `${id}: ${before} → ${now.status}`)
          t.equal(now.queue, now.status === 'paid' ? 'due' : null)
          status.set(id, now.status)
        }
      }
      for (const [reference, orders] of paidBy) t.equal(orders.length, 1, reference)
      t.ok(paidBy.size > 0)
      for (const id of ids) {
        const claimed = (await events(id)).filter((event) => event === 'claimed')
        t.equal(claimed.length, status.get(id) === 'paid' ? 1 : 0)
      }
    })
  })

const DAY = 24 * 3_600_000
const NOW = 100 * DAY

/** A store filled before it is opened: adding records one by one would take minutes. */
async function filled(t: Test, records: DonationRecord[]): Promise<DataStore> {
  const folder = join(await temporaryFolder(t), 'data')
  await mkdir(folder)
  await writeFile(join(folder, 'donations.json'), `${JSON.stringify({ version: 1, serial: 0, records })}\n`)
  const data = await openJsonData(folder)
  t.teardown(() => data.close())
  return data
}

const many = (count: number, name: string, facts: (i: number) => Partial<DonationRecord>) =>
  Array.from({ length: count }, (_, i) => pendingDonation(`${name} ${i}`, facts(i)))

const idsOf = async (data: DataStore) => (await data.donations.find()).map(({ id }) => id)

t.test('donations are purged by age', async (t) => {
  const data = await filled(
    t,
    many(4, 'd', (i) => ({ createdAt: NOW - i * DAY, status: i % 2 ? 'paid' : 'pending' })),
  )
  const note = (donationId: string, atMs: number) =>
    recordInLedger(data, { donationId, event: 'created', onceKey: donationId, atMs, note: '' })
  await note('d 3', 1)
  await note(UNKNOWN_ORDER, 2)
  await note(`${UNKNOWN_ORDER} later`, NOW)
  t.equal(await purgeDonations(data, NOW - 1.5 * DAY, NOW), 2)
  t.same(await idsOf(data), ['d 0', 'd 1'])
  t.same(
    (await data.ledger.find()).map(({ donationId }) => donationId),
    [`${UNKNOWN_ORDER} later`],
  )
})

t.test('beyond 20 000 the oldest that were unpaid for a day go, however many were paid', async (t) => {
  const closed: DonationStatus[] = ['pending', 'failed', 'expired']
  const data = await filled(t, [
    ...many(5_000, 'new', (i) => ({ createdAt: NOW - i - 1 })),
    ...many(25_000, 'paid', (i) => ({ createdAt: i, status: i % 2 ? 'paid' : 'paid_unqueued' })),
    // Inserted newest first, so that the order in the store says nothing.
    ...many(15_003, 'old', (i) => ({ createdAt: NOW - DAY - i, status: closed[i % 3]! })),
    pendingDonation('old, with time', { createdAt: 0, expiresAt: NOW }),
  ])
  for (const donationId of ['old 15002', 'old 0'])
    for (const event of ['created', 'refused'] as const)
      await recordInLedger(data, { donationId, event, onceKey: `${event} ${donationId}`, atMs: 1, note: '' })
  const onceKey = 'refused for too little money'
  await recordInLedger(data, { donationId: 'old 15002', event: 'refused', onceKey, atMs: 1, note: '' })
  t.equal(await purgeDonations(data, 0, NOW), 4)
  const kept = new Set(await idsOf(data))
  t.equal(kept.size, 45_000)
  for (const id of ['old 14998', 'old, with time', 'new 4999', 'paid 0', 'paid 1']) t.ok(kept.has(id), id)
  t.same(
    (await data.ledger.find()).map((entry) => entry.onceKey),
    ['created old 0', 'refused old 0', onceKey],
    'a paid order leaves its record',
  )
  t.equal(await purgeDonations(data, 0, NOW), 0)
})

t.test('a new order replaces an old one, but none that may still be paid', async (t) => {
  const young = many(21_000, 'young', () => ({ createdAt: NOW - DAY + 1 }))
  const data = await filled(t, [...young.slice(0, -1), pendingDonation('old', { createdAt: NOW - DAY })])
  await makeRoomForOrder(data, NOW)
  t.same(
    await idsOf(data),
    young.slice(0, -1).map(({ id }) => id),
  )
  await data.donations.insert(pendingDonation('one more', { createdAt: NOW }))
  await t.rejects(makeRoomForOrder(data, NOW), { code: 'DONATIONS_FULL' })
  t.ok(await data.donations.get('young 0'))
})

t.test('a delivery from a store outage counts, even when its order expired first', async (t) => {
  const folder = await temporaryFolder(t)
  const data = await openJsonData(folder)
  t.teardown(() => data.close())
  const spool = openSpools(folder).deliveries
  const away = { inbox: { insert: () => Promise.reject(new Error('away')) } } as never
  const warnings: object[] = []
  const handed: string[] = []
  const deps = {
    data,
    jobs: { add: async (_: string, given: { donationId: string }) => handed.push(given.donationId) },
    announcer: { tell() {} },
    clock: { nowMs: () => NOW, aheadMs: () => 0 },
    log: { info() {}, warn: (details: object) => void warnings.push(details) },
    payments: { active: null, configured: new Map() },
    bus: { follow: async () => () => {} },
  } as never
  const order = {
    createdAt: NOW - 3_600_000,
    expiresAt: NOW - 600_000,
    claimKey: 'ABCDEF',
    matchCode: 'ABCDEF',
  }
  const paidAtMs = order.expiresAt - 1
  const tell = (donation: ReturnType<typeof payment>, from: object = { data, spool }) =>
    storeDelivery(from as never, { provider: MATCHING, payment: donation, nowMs: NOW })

  await data.donations.insert(pendingDonation('spooled', order))
  await tell(payment('spooled', { comment: 'for abcdef', paidAtMs }), { data: away, spool })
  await sweepDonations(deps)
  t.match(await data.donations.get('spooled'), { status: 'expired' })
  await drainDeliverySpool({ data, spool })
  await applyInbox(deps, NOW)
  t.match(await data.donations.get('spooled'), { status: 'paid', queue: 'due' })

  await data.donations.insert(pendingDonation('kept', { ...order, claimKey: 'KLMNPQ', matchCode: 'KLMNPQ' }))
  await tell(payment('kept', { comment: 'KLMNPQ', paidAtMs }))
  await sweepDonations(deps)
  t.match(await data.donations.get('kept'), { status: 'paid' })
  t.same(await ledgerOf(data, 'kept').then((all) => all.map(({ event }) => event)), ['delivered', 'claimed'])
  t.same([...new Set(handed)].toSorted(), ['kept', 'spooled'])

  t.same(warnings, [])
  for (let time = 0; time < 2; time++)
    await applyPayment(deps, {
      provider: MATCHING,
      payment: payment('tip', { comment: 'for ABCDEG' }),
      nowMs: NOW,
    })
  t.match(warnings, [{ provider: MATCHING, reference: 'tip' }], 'it is logged once')
  t.match(await ledgerOf(data, UNKNOWN_ORDER), [
    { note: 'names_no_order: matching_provider_1 tip, 50.00 UAH' },
  ])
})
