import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openJobQueue, openJsonData, type Processors, type Recurrence, workJobs } from '@solstice/adapters'
import { orderAirsAtMs } from '@solstice/playout'
import {
  applyInbox,
  applyPayment,
  defaultDonationSettings,
  drainDeliverySpool,
  sleep,
  storeDelivery,
} from '@solstice/station'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { NOON } from '../harness/air/programme.ts'
import { doJobs, goOnAir } from '../harness/donations/on-air.ts'
import { ordered, paid, placeOrder } from '../harness/donations/placed-orders.ts'
import { startProcess } from '../harness/donations/process.ts'
import { CHECKOUT, emptyStation, MINUTE, openFolder, POLLED } from '../harness/donations/station.ts'
import { startRedis } from '../harness/processes/processes.ts'
import { inTime, until } from '../harness/until.ts'

const silent = pino({ level: 'silent' })

t.test('songs wait their turn, and repeats wait too, even when Redis was emptied', async (t) => {
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
      await sleep(40)
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
  await inTime('a sweep after Redis was emptied', isSweptAgain)
  await until(
    'the queue has its limit again',
    async () => (await client.hget('solstice:donations:meta', 'concurrency')) !== null,
  )
  for (let i = 0; i < 8; i++) {
    const options = { id: `${i}` }
    await Promise.all([0, 1].map(() => jobs.add('queue-donation', { donationId: `${i}` }, options)))
  }
  await inTime('all songs', areAllDone)
  t.equal(most, 1)
})

t.test('an unreadable file in the spool delays no other delivery', async (t) => {
  const folder = await openFolder(t)
  const data = await openJsonData(join(folder, 'data'))
  t.teardown(() => data.close())
  const station = emptyStation()
  const process = startProcess(station, data, folder)
  for (const id of ['a', 'b'])
    await process.spool.keep({ id, provider: CHECKOUT, payment: paid(id), receivedAt: NOON })
  await writeFile(join(folder, 'deliveries', `${'0'.repeat(64)}.json`), '{"id": "half')
  t.equal(await drainDeliverySpool(process), 2)
  t.same((await data.inbox.find()).map(({ id }) => id).sort(), ['a', 'b'])
  t.equal(await drainDeliverySpool(process), 0)
})

t.test('a donation that names hundreds of orders costs no more than one that names a few', async (t) => {
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
  for (let time = 0; time < 2; time++)
    await applyPayment({ ...process, log }, { provider: POLLED, payment, nowMs: NOON })
  const named = codes.slice(150, 155)
  t.same(
    (await data.ledger.find()).map(({ donationId }) => donationId),
    named,
  )
  t.same(
    warnings,
    named.map((donationId) => ({ donationId, reason: 'too_little', provider: POLLED })),
    "the operator is warned once, without the donor's data",
  )

  await data.donations.insert(ordered('whole', { provider: POLLED, matchCode: 'WHOLE9', amountMinor: 1 }))
  await applyPayment(
    { ...process, log },
    {
      provider: POLLED,
      payment: { ...payment, eventId: 'e', reference: 'r', comment: 'MANY160 WHOLE9' },
      nowMs: NOON,
    },
  )
  t.match(await data.donations.get('whole'), { status: 'paid' })
  t.equal(warnings.length, named.length, 'a payment for another order causes no warning')
})

t.test('a paid song ends a talk, unless donations wait for it; then its time is unknown', async (t) => {
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
    await storeDelivery(process, { provider: CHECKOUT, payment: paid(id), nowMs: station.nowMs })
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
})
