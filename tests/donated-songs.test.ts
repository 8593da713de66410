import { rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DonationRecord } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { sweepDonations } from '../apps/jobs/src/processors/sweep-donations.ts'
import { asAdmin, SUPER_ADMIN } from './harness/admin.ts'
import { type OpenApp, openApp } from './harness/app.ts'
import {
  kofiDonation,
  kofiPosts,
  openPaymentServices,
  type PaymentServices,
  type Posted,
  stripeEvent,
  stripePosts,
} from './harness/payment-services.ts'
import { openSocket } from './harness/socket-client.ts'
import { startAir, startJobs } from './harness/workers.ts'

/** Always day, and nobody waits for the song of somebody else. */
const ENV = {
  ...SUPER_ADMIN,
  DAY_START_HOUR: '6',
  NIGHT_START_HOUR: '6',
  TRUST_PROXY_HOPS: '1',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
}
const KOFI = 'matching_provider_2'
const DONOR = '203.0.113.7'
const WISH = 'day/wish.mp3'

async function replica(t: Test, services: PaymentServices, provider: string, beside?: OpenApp) {
  const env = { ...ENV, ...services.env, DONATIONS_PROVIDER: provider }
  const open = await openApp(t, env, pino({ level: 'silent' }), beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (path: string, payload?: object, from = DONOR) => {
    const answer = await open.app.inject({
      method: payload ? 'POST' : 'GET',
      url: `/api/public/donations/${path}`,
      headers: { 'x-forwarded-for': from },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  return {
    ...open,
    url,
    ask,
    async order(songId = WISH, from = DONOR) {
      const { status, body } = await ask('create', { songId }, from)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as { donationId: string; matchCode: string; redirectUrl: string }
    },
    /** What a service gets for an answer; over a real connection, as the body is read raw. */
    async deliver(posted: Posted, to: string = KOFI) {
      const { body, headers } = posted
      const answer = await fetch(`${url}/webhooks/donations/${to}`, { method: 'POST', headers, body })
      return { status: answer.status, body: (await answer.json()) as object }
    },
    async listen(from = DONOR) {
      const client = openSocket(t, url, { headers: { 'x-forwarded-for': from } })
      client.socket.emit('listener_init')
      await client.first('listener_uid')
      return client
    },
    /** Resolves with the order as soon as it is like this. */
    async until(id: string, facts: { status?: string; queue?: string }) {
      for (;;) {
        const donation = (await open.ports.data.donations.get(id))!
        const isLikeThis = Object.entries(facts).every(
          ([name, value]) => donation[name as 'status'] === value,
        )
        if (isLikeThis) return donation
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    events: async (donationId: string) =>
      (await open.ports.data.ledger.find({ donationId })).map(({ event }) => event),
  }
}

async function station(t: Test, provider: string) {
  const services = await openPaymentServices(t)
  const one = await replica(t, services, provider)
  const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
  await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
  const air = await startAir(t, one.ports)
  const wish = { artist: 'Hilda', title: 'Morning Tide', duration: 600 }
  for (const id of [WISH, 'day/other.mp3', 'night/owl.mp3']) await one.addTrack(id, null, wish)
  await startJobs(t, one.ports)
  const two = await replica(t, services, provider, one)
  return { services, one, two, air }
}

const kofiPays = (code: string, amount = '1.00', message = `for ${code.toLowerCase()}, please!`) =>
  kofiPosts(kofiDonation({ message, amount, currency: 'USD', atMs: Date.now() }))

t.test('a song that is paid for is queued, played and remembered, once', async (t) => {
  const { one, two, air } = await station(t, 'kofi')
  const { data } = one.ports
  const { ask: boss } = await asAdmin(one)
  const place = () => air.state.list.entries.filter(({ orderId }) => orderId !== undefined)

  t.test('however often, and to how many, its payment is told', async (t) => {
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
    t.equal(clients[2]!.all('donation_result').length, 0, 'nobody else is told')
    const { airsAt, ...status } = (await two.ask(`${donationId}/status`)).body
    t.match(status, { status: 'paid', tier: null, matchCode })
    const { onAir } = air.state
    t.equal(onAir.phase === 'track' && Math.floor(onAir.startedAtMs + 600_000), airsAt, 'after this song')

    const audit = await data.audit.find({ operationType: 'donation_queue_add' })
    t.match(audit, { length: 1 })
    t.match(audit[0], {
      adminId: 'donation',
      adminLogin: clients[0]!.all('listener_uid').map((told) => (told as { uid: string }).uid)[0],
      data: { title: 'Morning Tide', artist: 'Hilda', amount: 1, currency: 'USD' },
    })
    for (const client of clients.slice(0, 2)) t.equal(client.all('donation_result').length, 1)
    t.same(await data.inbox.find(), [], 'what was applied is forgotten')

    await one.ports.bus.send({ type: 'skip' })
    await one.until(donationId, { queue: 'aired' })
    const aired = (await two.ask(`${donationId}/status`)).body.airsAt
    t.equal(aired, (await data.history.find()).at(-1)?.playedAt)
    await one.ports.bus.send({ type: 'skip' })
    while ((await one.events(donationId)).length < 6) await new Promise((resolve) => setTimeout(resolve, 20))
    t.same((await one.events(donationId)).slice(4).sort(), ['finished', 'on-air'])
    const { body } = await boss(`GET /api/admin/donations/${donationId}/ledger`)
    t.match(body.entries, [{ event: 'created' }, { note: /^matching_provider_2 / }, {}, {}, {}, {}])
    t.equal((await boss('GET /api/admin/donations/nothing/ledger')).status, 404)

    await sweepDonations(one.ports)
    t.same(place().slice(air.state.list.index + 1), [], 'it does not come back')
  })

  t.test('only by an authentic payment of enough money, with a code that is a word', async (t) => {
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

  t.test('and where there is no place for it, that is said', async (t) => {
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
    const [{ id: donationId, matchCode }] = (await data.donations.find({ status: 'pending' })) as [
      DonationRecord,
    ]
    t.match(await refused({ donationId, matchCode }), { refusedWhy: 'duplicate_nearby' })
    const audit = await data.audit.find({ operationType: 'donation_insert_failed' })
    t.same(
      audit.map(({ data }) => data),
      [
        { title: 'gone', artist: 'Somebody' },
        { title: 'Morning Tide', artist: 'Hilda' },
      ],
    )
    // An admin takes the one away that stands in the queue.
    const queued = (await data.donations.find({ queue: 'queued' }))[0]!.id
    const position =
      air.state.list.entries.findIndex(({ orderId }) => orderId === queued) - air.state.list.index
    await one.ports.bus.send({ type: 'remove-entry', position })
    t.match(await one.until(queued, { queue: 'refused' }), { status: 'paid_unqueued', refusedWhy: 'removed' })
    t.equal((await one.events(queued)).at(-1), 'refused')
  })

  t.test('also when the queue is lost', async (t) => {
    const { donationId, matchCode } = await one.order()
    await one.deliver(kofiPays(matchCode))
    await one.until(donationId, { queue: 'queued' })
    await one.ports.redis.flushall()
    await air.until(({ orders }) => orders.length === 1 && orders[0] === donationId)
    await one.until(donationId, { queue: 'queued' })
    t.equal(place().length, 1)
    t.same(
      (await one.events(donationId)).filter((event) => event === 'queued'),
      ['queued'],
    )
  })
})

t.test('a payment that is told of while something is away counts when it is back', async (t) => {
  const { services, one, air } = await station(t, 'stripe')
  const paid = async (songId: string) => {
    const { donationId } = await one.order(songId)
    const nowMs = one.ports.clock.nowMs()
    const posted = stripePosts(stripeEvent(services.stripeSessions.get(donationId)!, nowMs), nowMs)
    return { donationId, deliver: () => one.deliver(posted, 'checkout_provider_2') }
  }
  const queued = (donationId: string) =>
    air.until(({ list }) => list.entries.some(({ orderId }) => orderId === donationId))

  t.test('Redis', async (t) => {
    const { donationId, deliver } = await paid(WISH)
    await one.redis.process.end()
    t.match(await deliver(), { status: 200 })
    await one.redis.restart()
    await queued(donationId)
    t.match(await one.until(donationId, { queue: 'queued' }), { status: 'paid' })
  })

  t.test('the disk: then there is no answer, and the service delivers again', async (t) => {
    const { donationId, deliver } = await paid('day/other.mp3')
    const folder = join(one.folder, 'data')
    const away = join(one.folder, 'away')
    await rename(folder, away)
    await writeFile(folder, 'in its place')
    await t.rejects(deliver(), { message: 'fetch failed' })
    await unlink(folder)
    await rename(away, folder)
    t.match(await one.ports.data.donations.get(donationId), { status: 'pending' })
    t.match(await deliver(), { status: 200 })
    await queued(donationId)
  })
})
