import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openJsonData, openSpools } from '@solstice/adapters'
import type { DonationStatus } from '@solstice/contracts'
import {
  applyInbox,
  applyPayment,
  type DataStore,
  type DonationRecord,
  drainDeliverySpool,
  makeRoomForOrder,
  purgeDonations,
  recordInLedger,
  storeDelivery,
  UNKNOWN_ORDER,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { sweepDonations } from '../../apps/jobs/src/processors/sweep-donations.ts'
import { ledgerOf, MATCHING, payment, pendingDonation } from '../harness/donations/orders.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'

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
