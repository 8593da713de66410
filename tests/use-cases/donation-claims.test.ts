import { openData, openJsonData, readConfig } from '@solstice/adapters'
import type { DonationStatus } from '@solstice/contracts'
import {
  claimPayment,
  type DonationRecord,
  expireOrdersOf,
  failDonation,
  type PaymentProviderId,
  queueDonation,
  recordInLedger,
  UNKNOWN_ORDER,
} from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { ledgerOf, MATCHING, payment, pendingDonation } from '../harness/donations/orders.ts'
import { startProcess } from '../harness/donations/process.ts'
import { emptyStation, openFolder } from '../harness/donations/station.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { startPostgres } from '../harness/servers/postgres.ts'

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

    t.test('is settled by many processes at once with one line in the audit log', async (t) => {
      const station = emptyStation()
      const folder = await openFolder(t)
      const processes = stores.map((store) => startProcess(station, store, folder))
      const facts = { status: 'paid', queue: 'refusing', refusedWhy: 'song_gone', paidAt: 1 } as const
      for (let round = 0; round < 5; round++) {
        const id = `settled ${round}`
        await place(id, { ...facts, uid: id })
        const { signal } = new AbortController()
        await Promise.all(Array.from({ length: 6 }, (_, i) => queueDonation(processes[i % 2]!, id, signal)))
        t.match(await data.donations.get(id), { status: 'paid', queue: 'refused' })
        t.same(await events(id), ['refused'])
        const lines = await data.audit.find({ adminLogin: id })
        t.same(
          lines.map(({ operationType }) => operationType),
          ['donation_insert_failed'],
        )
      }
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
