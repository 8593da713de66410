import { join } from 'node:path'
import { openJsonData } from '@solstice/adapters'
import type { Command } from '@solstice/playout'
import {
  applyInbox,
  type DataStore,
  Failure,
  type MatchingPayment,
  makeRoomForOrder,
  pollPayments,
  purgeDonations,
  storeDelivery,
  withStationTime,
} from '@solstice/station'
import t from 'tap'
import { sweepDonations } from '../../apps/jobs/src/processors/sweep-donations.ts'
import { NOON, randomFrom } from '../harness/air/programme.ts'
import { doJobs, goOnAir, songOf } from '../harness/donations/on-air.ts'
import { failed, ordered, paid, placeOrder } from '../harness/donations/placed-orders.ts'
import { Broken, type Process, startProcess } from '../harness/donations/process.ts'
import { assertSettled } from '../harness/donations/settled.ts'
import {
  CHECKOUT,
  clockOf,
  emptyStation,
  MINUTE,
  openFolder,
  POLLED,
  POSTED,
  received,
} from '../harness/donations/station.ts'
import { inForm } from '../harness/long-form.ts'

const HOUR = 60 * MINUTE

const DAY = 24 * HOUR

/** More unpaid orders than are kept. */
const PAST_ORDERS = 25_000

const RUNS = inForm({ short: 60, long: 10_000 })
/** In most runs few orders meet much; in every so many of them many orders meet each other. */
const CROWDED_EVERY = inForm({ short: 20, long: 50 })
const CROWDED = { orders: 100, rounds: 26, atOnce: 8 }
const CALM = { orders: 6, rounds: 10, atOnce: 4 }

const isPast = (id: string) => id.startsWith('past ')

/** Orders of some months that were paid for and played. */
async function rememberPaidOrders(data: DataStore): Promise<void> {
  const records = Array.from({ length: PAST_ORDERS }, (_, i) => {
    const atMs = NOON - 90 * DAY + i * 5 * MINUTE
    const facts = { status: 'paid', queue: 'aired', createdAt: atMs, paidAt: atMs, airedAt: atMs } as const
    return ordered(`past ${i}`, { ...facts, reference: `payment of past ${i}` })
  })
  await data.donations.replaceAll({ records, serial: records.length })
}

t.test(
  'in any course of events a paid song is heard, waits, or is reported as unplayable; no unpaid song is heard',
  async (t) => {
    const folder = await openFolder(t)
    const steps = new Set<number>()
    const tally = new Map<string, number>()
    for (let seed = 1; seed <= RUNS; seed++) {
      const { orders: count, rounds, atOnce } = seed % CROWDED_EVERY === 1 ? CROWDED : CALM
      const stores = [
        await openJsonData(join(folder, `${seed}`)),
        await openJsonData(join(folder, `${seed}`)),
      ]
      for (const store of stores) t.teardown(() => store.close())
      const [data] = stores as [DataStore]
      const random = randomFrom(seed)
      if (seed === 1) await rememberPaidOrders(data)
      const ids = Array.from({ length: count }, (_, i) => `${seed} ${i}`)
      const station = emptyStation()
      const orders = withStationTime(data, clockOf(station))
      station.meanwhile = () => {
        // Somebody sets the wall clock, or corrects it.
        if (random(300) === 0) station.aheadMs = [0, 0, 8 * HOUR, -8 * HOUR][random(4)]!
        steps.add(station.aheadMs)
      }
      const open = () => {
        // Every third process crashes somewhere.
        const breaks = random(3) ? undefined : { at: 1 + random(60), isDone: random(2) === 1 }
        return startProcess(station, stores[random(stores.length)]!, folder, breaks)
      }
      await makeRoomForOrder(data, station.nowMs)
      await Promise.all(
        ids.map((id, i) => {
          const code = `CODE${seed}X${i}`
          const expiresAt = NOON + random(200) * MINUTE
          const coded = { matchCode: code, claimKey: code, expiresAt }
          const facts = [{}, { provider: POLLED, ...coded }, { provider: POSTED, ...coded }] as const
          return placeOrder(data, ordered(id, facts[i % 3]))
        }),
      )
      const codeOf = (id: string) => `code${id.replace(' ', 'x')}`
      const some = () => ids[random(ids.length)]!
      const isOf = (provider: string, id: string) =>
        [CHECKOUT, POLLED, POSTED][Number(id.split(' ')[1]) % 3] === provider
      /** Payments whose notification is delayed: the store, or all replicas, are away. */
      let late: { id: string; payment: MatchingPayment; toldAtMs: number; endsAtMs: number }[] = []
      /** Orders that were paid for correctly, with an acknowledged notification. */
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
        if (!isOf(CHECKOUT, id)) return
        const right = paid(id)
        const payment = [
          right,
          right,
          right,
          failed(id),
          paid(id, { amountMinor: 1, reference: `less for ${id}` }),
        ][random(5)]!
        await storeDelivery(process, { provider: CHECKOUT, payment, nowMs: station.nowMs })
        if (payment === right) rightly.add(id)
        if (random(3)) await applyInbox(process, station.nowMs)
      }
      /** The payments of the service, once for each order; they may be reported again. */
      const taken = new Map<string, MatchingPayment>()
      const pay = async (id: string) => {
        const { expiresAt } = (await orders.donations.get(id))!
        if (!isOf(POSTED, id)) return
        const { eventId, reference } = paid(id) as MatchingPayment
        const money = { amountMinor: 50_00, currency: 'UAH', paidAtMs: station.nowMs }
        const first = { kind: 'paid', eventId, reference, comment: `for ${codeOf(id)}`, ...money } as const
        const payment = taken.get(id) ?? first
        taken.set(id, payment)
        const toldAtMs = station.nowMs + random(2) * random(3 * HOUR)
        late.push({ id, payment, toldAtMs, endsAtMs: expiresAt! })
      }
      const tellLate = async (process: Process, untilMs: number) => {
        for (const { id, payment, toldAtMs, endsAtMs } of late) {
          if (toldAtMs > untilMs) continue
          // The first report counts while it waits to be applied, even if the wall clock was behind when it was read.
          const isRead = (await data.inbox.get(`${POSTED} ${payment.eventId}`)) === null
          // While the wall clock is behind, the age of a payment is unknown.
          const isDated = station.aheadMs <= 0 || station.nowMs <= endsAtMs
          if (payment.paidAtMs <= endsAtMs && isDated && isRead) rightly.add(id)
          await storeDelivery(process, {
            provider: POSTED,
            payment: received(station, payment),
            nowMs: station.nowMs,
          })
        }
        late = late.filter(({ toldAtMs }) => toldAtMs > untilMs)
      }
      const happenings: ((process: Process) => Promise<unknown>)[] = [
        ...Array(12).fill((process: Process) => deliver(process, some())),
        ...Array(3).fill((process: Process) => doJobs(station, process)),
        ...Array(8).fill(() => pay(some())),
        (process) => applyInbox(process, station.nowMs),
        ...Array(2).fill((process: Process) => pollPayments(process, station.nowMs)),
        (process) => sweepDonations(process as never),
        (process) => makeRoomForOrder(process.data, station.nowMs),
        (process) => purgeDonations(process.data, station.nowMs - 365 * DAY, station.nowMs),
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
          // Two payments may name the same order, and one may name two.
          const named = [some(), some()].slice(0, 1 + random(2)).filter((id) => isOf(POLLED, id))
          const reference = `donation ${station.payments?.length} ${random(1e6)}`
          const money = { amountMinor: random(4) ? 50_00 : 49_99, currency: 'UAH', paidAtMs: station.nowMs }
          const comment = named.map(codeOf).join(' and ')
          station.payments?.unshift({ kind: 'paid', eventId: reference, reference, comment, ...money })
        }),
      ]
      for (let round = 0; round < rounds; round++) {
        station.nowMs += random(3) * random(2 * MINUTE)
        const away = random(12) === 0
        if (away) station.nowMs += random(30) * MINUTE
        switch (random(10)) {
          case 0:
            await restart()
            break
          case 1: {
            // Finishes the pending writes, then empties Redis.
            await restart()
            await worker.done()
            if (desk.life.aborted) break
            desk.kill()
            for (const orderId of station.sounding.keys()) station.cut.add(orderId)
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
          case 3:
            // No worker is running, even if a paid song is on air.
            desk.kill()
            station.nowMs += 15_000 + random(15 * MINUTE)
            break
        }
        if (random(60) === 0) {
          // Off air for more than a day: commands sent in that time are read afterwards.
          desk.kill()
          await doJobs(station, startProcess(station, data, folder)).catch(() => {})
          station.nowMs += 25 * HOUR
        }
        if (desk.life.aborted) await restart()
        await worker.passTime().catch(() => {})
        await tellLate(startProcess(station, data, folder), station.nowMs)
        await Promise.all(
          Array.from({ length: atOnce }, async () => {
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
          // The air may refuse a track to one process, and take it from another one.
          const isHeard = status === 'paid' && (station.starts.get(id)?.size ?? 0) > 0
          const isFinal =
            (before === 'paid_unqueued' && !isHeard) || (before === 'paid' && status !== 'paid_unqueued')
          if (before !== status && (isFinal || status === 'pending'))
            problems.push(`${id}: ${before} → ${status}`)
          statuses.set(id, status)
        }
        if (problems.length > 0) t.fail(problems.join('; '))
      }
      // From now on nothing crashes, and the clock is right.
      station.meanwhile = () => {}
      station.aheadMs = 0
      desk.kill()
      desk = startProcess(station, data, folder)
      worker = await goOnAir(station, desk)
      const calm = startProcess(station, data, folder)
      await tellLate(calm, Number.POSITIVE_INFINITY)
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
      const all = (await data.donations.find()).filter(({ id }) => statuses.has(id) && !isPast(id))
      t.same(
        ids.filter((id) => !all.some((order) => order.id === id)),
        [],
        'no order is forgotten',
      )
      const lost = all.filter(({ id, status }) => !status.startsWith('paid') && rightly.has(id))
      t.same(
        lost.map(({ id }) => id),
        [],
        'no payment is lost',
      )
      t.same(
        all.filter(({ queue }) => queue === 'queued'),
        [],
        'queued songs are heard',
      )
      t.same(await data.inbox.find(), [])
      const ends = all.map(({ status, queue }) => `${status} ${queue}`)
      for (const end of ['paid aired', 'paid_unqueued refused', 'failed null', 'expired null'])
        tally.set(end, (tally.get(end) ?? 0) + ends.filter((one) => one === end).length)
      await Promise.all(stores.map((store) => store.close()))
    }
    for (const end of ['paid aired', 'paid_unqueued refused', 'failed null', 'expired null'])
      t.ok((tally.get(end) ?? 0) >= RUNS / 10, `${tally.get(end)} are ${end}`)
  },
)
