import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { sweepDonations } from '../../../apps/jobs/src/processors/sweep-donations.ts'
import { asAdmin } from '../../harness/people/admin.ts'
import {
  kofiDonation,
  kofiPosts,
  liqpayPayment,
  liqpayPosts,
  openPaymentServices,
  type Posted,
  stripeEvent,
  stripePosts,
} from '../../harness/servers/services/payment-services.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'
import { KOFI, kofiPays, replica, WISH } from './paying-station.ts'

useStores('sql+local')

async function station(t: Test, provider: string, more: Record<string, string> = {}) {
  const services = await openPaymentServices(t)
  const one = await replica(t, services, provider, undefined, more)
  const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
  await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
  const air = await startAir(t, one.ports)
  const wish = { artist: 'Hilda', title: 'Morning Tide', duration: 600 }
  for (const id of [WISH, 'day/other.mp3', 'night/owl.mp3']) await one.addTrack(id, null, wish)
  await startJobs(t, one.ports)
  const two = await replica(t, services, provider, one, more)
  return { services, one, two, air }
}

t.test('a paid song is queued, played and recorded once', async (t) => {
  const { one, two, air } = await station(t, 'kofi')
  const { data } = one.ports
  const { ask: boss } = await asAdmin(one)
  const place = () => air.state.playlist.entries.filter(({ orderId }) => orderId !== undefined)

  t.test('however often, and to however many replicas, its payment is reported', async (t) => {
    const clients = [await one.listen(), await two.listen(), await two.listen('203.0.113.8')]
    const { donationId, matchCode } = await one.order()
    t.equal((await two.ask(`${donationId}/status`)).body.status, 'pending')
    const posted = kofiPays(matchCode)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? one : two).deliver(posted)),
    )
    t.same(answers, Array(50).fill({ status: 200, body: { ok: true } }))
    await one.until(donationId, { queue: 'queued' })
    t.match(place(), [{ orderId: donationId, orderType: 'donated', track: { id: WISH } }])
    t.same(await one.events(donationId), ['created', 'delivered', 'claimed', 'queued'])
    const result = {
      donationId,
      accepted: true,
      tier: null,
      song: { title: 'Morning Tide', artist: 'Hilda' },
    }
    for (const client of clients.slice(0, 2)) t.same(await client.first('donation_result'), result)
    t.equal(clients[2]!.all('donation_result').length, 0, 'only the donor is told')
    const { airsAt, ...status } = (await two.ask(`${donationId}/status`)).body
    t.match(status, { status: 'paid', tier: null, matchCode })
    const { onAir } = air.state
    const endMs = onAir.phase === 'track' ? onAir.startedAtMs + 600_000 : 0
    // Taken from the wall clock, which is a fraction of a millisecond off the station's.
    t.ok(Math.abs(endMs - airsAt) <= 2, 'after this song')

    const audit = await data.audit.find({ operationType: 'donation_queue_add' })
    t.match(audit, { length: 1 })
    t.match(audit[0], {
      adminId: 'donation',
      adminLogin: clients[0]!.all('listener_uid').map((told) => (told as { uid: string }).uid)[0],
      data: { title: 'Morning Tide', artist: 'Hilda', amount: 1, currency: 'USD' },
    })
    for (const client of clients.slice(0, 2)) t.equal(client.all('donation_result').length, 1)
    t.same(await data.inbox.find(), [], 'applied deliveries are removed')

    await one.ports.bus.send({ type: 'skip' })
    await one.until(donationId, { queue: 'aired' })
    const aired = (await two.ask(`${donationId}/status`)).body.airsAt
    t.equal(aired, (await data.history.find()).at(-1)?.playedAt)
    await one.ports.bus.send({ type: 'skip' })
    await until('the song is over', async () => (await one.events(donationId)).length >= 6)
    t.same((await one.events(donationId)).slice(4).sort(), ['finished', 'on-air'])
    const { body } = await boss(`GET /api/admin/donations/${donationId}/ledger`)
    t.match(body.entries, [{ event: 'created' }, { note: /^matching_provider_2 / }, {}, {}, {}, {}])
    t.equal((await boss('GET /api/admin/donations/nothing/ledger')).status, 404)

    await sweepDonations(one.ports)
    t.same(place().slice(air.state.playlist.index + 1), [], 'it does not come back')
  })

  t.test('only by an authentic payment of enough money, whose code is a separate word', async (t) => {
    const [{ donationId, matchCode }] = [await one.order('day/other.mp3'), await one.order('day/other.mp3')]
    const good = kofiDonation({ message: matchCode, amount: '1.00', currency: 'USD', atMs: Date.now() })
    const rubbish: Posted[] = [
      kofiPosts({ ...good, verification_token: 'guessed' }),
      kofiPosts({ ...good, verification_token: null }),
      kofiPosts({ ...good, type: 'Shop Order' }),
      kofiPosts([]),
      { body: 'data=%7B', headers: {} },
      { body: '', headers: { 'content-type': 'text/plain' } },
      { body: JSON.stringify(good), headers: { 'content-type': 'application/json' } },
      { body: 'x'.repeat(300_000), headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      kofiPays(matchCode, '0.99'),
      kofiPays(matchCode, '1.00', `x${matchCode}`),
      kofiPosts({ ...good, currency: 'EUR' }),
    ]
    for (const [i, posted] of rubbish.entries())
      t.same(await one.deliver(posted), { status: 200, body: { ok: true } }, `delivery ${i}`)
    t.match(await data.donations.get(donationId), { status: 'pending' })
    for (const nobody of ['matching_provider_1', 'kofi', 'checkout_provider_3', '__proto__', 'toString'])
      t.match(await one.deliver(kofiPays(matchCode), nobody), {
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    t.equal((await one.app.inject({ url: `/webhooks/donations/${KOFI}` })).statusCode, 405)
    t.match(await one.deliver(kofiPays('', '1.00', `Дякую! код:${matchCode}.`)), { status: 200 })
    await one.until(donationId, { queue: 'queued' })
  })

  t.test('and a song that finds no place is reported', async (t) => {
    const client = await two.listen()
    const refused = async ({ donationId, matchCode }: { donationId: string; matchCode: string | null }) => {
      await one.deliver(kofiPays(matchCode!))
      const donation = await one.until(donationId, { queue: 'refused' })
      t.equal(donation.status, 'paid_unqueued')
      const told = await client.first<{ donationId: string }>(
        'donation_result',
        (told) => told.donationId === donationId,
      )
      t.same(told, { donationId, accepted: false, reason: 'no_slot' })
      return donation
    }
    const gone = await one.addTrack('day/gone.mp3', null)
    const ofGone = await one.order(gone.id)
    await data.tracks.delete({ id: gone.id })
    t.match(await refused(ofGone), { refusedWhy: 'song_gone' })
    const ofOtherMode = (await data.donations.find({ status: 'pending' }))[0]!
    await data.donations.update({ id: ofOtherMode.id }, { songId: 'night/owl.mp3' })
    t.match(await refused({ donationId: ofOtherMode.id, matchCode: ofOtherMode.matchCode }), {
      refusedWhy: 'wrong_mode',
    })
    const audit = await data.audit.find({ operationType: 'donation_insert_failed' })
    t.same(
      audit.map(({ data }) => data),
      [
        { title: 'gone', artist: 'Somebody' },
        { title: 'Morning Tide', artist: 'Hilda' },
      ],
    )
    // An admin removes the one that stands in the queue.
    const queued = (await data.donations.find({ queue: 'queued' }))[0]!.id
    const position =
      air.state.playlist.entries.findIndex(({ orderId }) => orderId === queued) - air.state.playlist.index
    await one.ports.bus.send({ type: 'remove-entry', position })
    t.match(await one.until(queued, { queue: 'refused' }), { status: 'paid_unqueued', refusedWhy: 'removed' })
    t.equal((await one.events(queued)).at(-1), 'refused')
  })

  t.test('even when Redis is emptied', async (t) => {
    const { donationId, matchCode } = await one.order()
    await one.deliver(kofiPays(matchCode))
    await one.until(donationId, { queue: 'queued' })
    await one.ports.redis.flushall()
    await until('the air is kept', async () => (await one.ports.redis.exists('solstice:air')) === 1)
    await air.until(({ orders }) => orders.includes(donationId))
    await one.until(donationId, { queue: 'queued' })
    t.equal(air.state.playlist.entries.filter(({ orderId }) => orderId === donationId).length, 1)
    t.same(
      (await one.events(donationId)).filter((event) => event === 'queued'),
      ['queued'],
    )
  })
})

t.test('a payment reported during an outage counts after recovery', async (t) => {
  const { services, one, air } = await station(t, 'stripe')
  const paid = async (songId: string) => {
    const { donationId } = await one.order(songId)
    const nowMs = one.ports.clock.nowMs()
    const posted = stripePosts(stripeEvent(services.stripeSessions.get(donationId)!, nowMs), nowMs)
    return { donationId, deliver: () => one.deliver(posted, 'checkout_provider_2') }
  }
  const queued = (donationId: string) =>
    air.until(({ playlist }) => playlist.entries.some(({ orderId }) => orderId === donationId))

  t.test('Redis', async (t) => {
    const { donationId, deliver } = await paid(WISH)
    await one.redis.process.end()
    t.match(await deliver(), { status: 200 })
    await one.redis.restart()
    await queued(donationId)
    t.match(await one.until(donationId, { queue: 'queued' }), { status: 'paid' })
  })

  t.test('store and disk: the delivery is not acknowledged, and the service retries', async (t) => {
    const { donationId, deliver } = await paid('day/other.mp3')
    const take = await refuseChanges(one.ports, 'inbox')
    // With a file in place of the spool folder nothing can be renamed into it.
    const spool = join(one.folder, 'data/deliveries')
    await rm(spool, { recursive: true, force: true })
    await mkdir(dirname(spool), { recursive: true })
    await writeFile(spool, 'in its place')
    await t.rejects(deliver(), { message: 'fetch failed' })
    await rm(spool)
    await take()
    t.match(await one.ports.data.donations.get(donationId), { status: 'pending' })
    t.match(await deliver(), { status: 200 })
    await queued(donationId)
  })
})

t.test('only signed checkout payments count, and several songs wait their turn', async (t) => {
  const { services, one, two, air } = await station(t, 'liqpay', { QUEUE_ADD_COOLDOWN_S: '3' })
  const LIQPAY = 'checkout_provider_1'
  const { data } = one.ports
  const about = (donationId: string, changes: object = {}) => {
    const paid = liqpayPayment({ donationId, amount: 1, currency: 'UAH', atMs: Date.now() })
    return liqpayPosts({ ...paid, payment_id: randomUUID(), ...changes })
  }
  // A song on air or next by chance cannot be ordered: these stand in no list.
  const placed = await Promise.all(
    [0, 1, 2].map(async (i) => {
      const { id } = await one.addTrack(`day/new ${i}.mp3`, null, { duration: 600 })
      const { donationId, redirectUrl } = await one.order(id, `203.0.113.${i}`)
      t.match(services.liqpayOrder(redirectUrl), { order_id: donationId, amount: 1, currency: 'UAH' })
      return donationId
    }),
  )
  const [first] = placed as [string]
  for (const changes of [
    { status: 'processing' },
    { status: 'reversed' },
    { status: 'toString' },
    { amount: 0.99 },
    { amount: '1e9' },
    { currency: 'USD' },
    { order_id: randomUUID() },
    { order_id: 'ї\u0000' },
  ])
    t.match(await one.deliver(about(first, changes), LIQPAY), { status: 200 }, JSON.stringify(changes))
  t.match(await data.donations.get(first), { status: 'pending' })

  await Promise.all(
    placed.map((donationId, i) => (i ? two : one).deliver(about(donationId, { status: 'sandbox' }), LIQPAY)),
  )
  await Promise.all(placed.map((donationId) => one.until(donationId, { queue: 'queued' })))
  t.equal(air.state.playlist.entries.filter(({ orderId }) => orderId !== undefined).length, 3)
  const queuedAt = (await data.ledger.find({ event: 'queued' })).map(({ atMs }) => atMs)
  t.ok(queuedAt.at(-1)! - queuedAt[0]! >= 6000, 'each had its turn')
  t.match(await one.deliver(about(first, { status: 'failure' }), LIQPAY), { status: 200 })

  const client = await two.listen()
  const { donationId } = await two.order()
  for (const deliver of [one.deliver, two.deliver])
    t.match(await deliver(about(donationId, { status: 'failure' }), LIQPAY), { status: 200 })
  t.same(await client.first('donation_result'), { donationId, accepted: false, reason: 'payment_failed' })
  t.equal((await one.ask(`${donationId}/status`)).body.status, 'failed')
  t.match(await one.deliver(about(donationId), LIQPAY), { status: 200 })
  await one.until(donationId, { queue: 'queued' })
  t.match(
    await client.first<{ accepted: boolean }>('donation_result', ({ accepted }) => accepted),
    { donationId },
    'a second card',
  )
  t.same(await one.events(donationId), ['created', 'refused', 'delivered', 'claimed', 'queued'])
  t.match(await data.donations.get(first), { status: 'paid', queue: 'queued' })
})
