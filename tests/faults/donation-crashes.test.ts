import { openJsonData } from '@solstice/adapters'
import { applyInbox, type MatchingPayment, pollPayments, storeDelivery } from '@solstice/station'
import t from 'tap'
import { sweepDonations } from '../../apps/jobs/src/processors/sweep-donations.ts'
import { NOON } from '../harness/air/programme.ts'
import { doJobs, goOnAir } from '../harness/donations/on-air.ts'
import { failed, ordered, paid, placeOrder } from '../harness/donations/placed-orders.ts'
import { type Process, startProcess } from '../harness/donations/process.ts'
import { assertSettled } from '../harness/donations/settled.ts'
import { CHECKOUT, emptyStation, MINUTE, openFolder, POLLED } from '../harness/donations/station.ts'

t.test('a process that crashes before or after any operation leaves nothing unfinished', async (t) => {
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
          // The service retries deliveries that were not acknowledged.
          if (!isKept && delivery)
            await storeDelivery(process, {
              provider: CHECKOUT,
              payment: delivery,
              nowMs: station.nowMs,
            })
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
        const audited = (await data.audit.find({ adminLogin: `donor of ${id}` })).length
        if (audited !== Number(end.startsWith('paid'))) t.fail(`${id}: ${audited} lines in the audit log`)
        await data.donations.update({ id, claimKey: `CODE ${id}` }, { claimKey: id })
        await data.donations.update({ id }, { matchCode: null })
      }
    }
    t.ok(breaks > 10, `${way}: ${breaks} breaks`)
  }
  t.same(await data.inbox.find(), [])
})
