import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { dirname, join } from 'node:path'
import type { DonationRecord } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { pollDonations } from '../../../apps/jobs/src/processors/poll-donations.ts'
import { sweepDonations } from '../../../apps/jobs/src/processors/sweep-donations.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import {
  donatelloDonation,
  kofiDonation,
  kofiPosts,
  liqpayPayment,
  liqpayPosts,
  openPaymentServices,
  type PaymentServices,
  type Posted,
  stripeEvent,
  stripePosts,
} from '../../harness/servers/payment-services.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { refuseChanges } from '../../harness/stations/refuse-changes.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

useStores('sql+local')

/** Always day, without a cooldown between listeners' songs. */
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

async function replica(
  t: Test,
  services: PaymentServices,
  provider: string,
  beside?: OpenApp,
  more: Record<string, string> = {},
  log = pino({ level: 'silent' }),
) {
  const env = { ...ENV, ...services.env, DONATIONS_PROVIDER: provider, ...more }
  const open = await openApp(t, env, log, beside)
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
    /** The reply to a service; over a real connection, because the body is read raw. */
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
    /** Resolves with the order as soon as it matches. */
    async until(id: string, facts: { status?: string; queue?: string }) {
      let donation: DonationRecord
      await until(`an order is ${Object.values(facts)}`, async () => {
        donation = (await open.ports.data.donations.get(id))!
        const isLikeThis = Object.entries(facts).every(
          ([name, value]) => donation[name as 'status'] === value,
        )
        if (!isLikeThis && donation.queue === 'refused')
          throw new Error(`the order was refused: ${donation.refusedWhy}`)
        return isLikeThis
      })
      return donation!
    },
    events: async (donationId: string) =>
      (await open.ports.data.ledger.find({ donationId })).map(({ event }) => event),
  }
}

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

const kofiPays = (code: string, amount = '1.00', message = `for ${code.toLowerCase()}, please!`) =>
  kofiPosts(kofiDonation({ message, amount, currency: 'USD', atMs: Date.now() }))

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

t.test('an inauthentic or malformed delivery changes nothing and is answered all the same', async (t) => {
  const services = await openPaymentServices(t)
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const one = await replica(t, services, 'liqpay', undefined, {}, log)
  const { data } = one.ports
  await one.addTrack(WISH, null)
  const { donationId: byLiqpay } = await one.order()
  const nowMs = one.ports.clock.nowMs()
  const order = (await data.donations.get(byLiqpay))!
  const code = 'ABCDEF'
  const byStripe = randomUUID()
  const orders: Partial<DonationRecord>[] = [
    { id: byStripe, provider: 'checkout_provider_2', currency: 'USD', claimKey: byStripe },
    {
      id: randomUUID(),
      provider: KOFI,
      currency: 'USD',
      matchCode: code,
      claimKey: code,
      expiresAt: nowMs + 6e5,
    },
  ]
  for (const facts of orders) await data.donations.insert({ ...order, ...facts })
  const session = {
    id: 'cs_1',
    client_reference_id: byStripe,
    amount_total: 100,
    currency: 'usd',
    payment_intent: 'pi_1',
  }
  const atMs = nowMs
  const good = {
    checkout_provider_1: liqpayPosts(
      liqpayPayment({ donationId: byLiqpay, amount: 1, currency: 'UAH', atMs }),
    ),
    checkout_provider_2: stripePosts(stripeEvent(session, nowMs), nowMs),
    [KOFI]: kofiPays(code),
  }
  const before = JSON.stringify([
    await data.donations.find(),
    await data.ledger.find(),
    await data.inbox.find(),
  ])

  const ok = { status: 200, body: { ok: true } }
  const wrong: [provider: string, posted: Posted][] = []
  for (const [provider, { body, headers }] of Object.entries(good)) {
    const isForm = provider !== 'checkout_provider_2'
    // A message from Ko-fi is authenticated by its token alone.
    const token = services.env.KOFI_VERIFICATION_TOKEN
    const [from, until] =
      provider === KOFI ? [body.indexOf(token), body.indexOf(token) + token.length] : [0, body.length]
    const every = Math.ceil((until - from) / 150)
    for (let at = from; at < until; at += every) {
      const flipped = String.fromCharCode(body.charCodeAt(at) ^ 1)
      wrong.push([provider, { headers, body: body.slice(0, at) + flipped + body.slice(at + 1) }])
      wrong.push([provider, { headers, body: body.slice(0, at) }])
    }
    const type = headers['content-type']!
    wrong.push(
      [provider, { headers, body: body + body }],
      [provider, { headers, body: `\ufeff${body}\u0000💸` }],
      [provider, { headers, body: 'x'.repeat(256 * 1024 + 1) }],
      [provider, { headers, body: '['.repeat(60_000) }],
      [provider, { headers: {}, body: '' }],
    )
    if (isForm)
      wrong.push(
        [provider, { headers, body: `${body}&data=%7B%7D` }],
        [provider, { headers, body: `data=x&${body}` }],
        [provider, { headers: { 'content-type': `application/json;${type}` }, body }],
      )
  }
  const stripeSigned = good.checkout_provider_2
  const signature = stripeSigned.headers['stripe-signature']!
  for (let at = 0; at < signature.indexOf(',v0'); at += 3) {
    const flipped =
      signature.slice(0, at) + String.fromCharCode(signature.charCodeAt(at) ^ 1) + signature.slice(at + 1)
    const headers = { ...stripeSigned.headers, 'stripe-signature': flipped }
    wrong.push(['checkout_provider_2', { headers, body: stripeSigned.body }])
  }
  for (const shiftMs of [-302_000, 3_600_000])
    wrong.push(['checkout_provider_2', stripePosts(stripeEvent(session, nowMs), nowMs + shiftMs)])
  for (const header of [
    `${signature},t=1`,
    signature.replace(/^t=\d+/, 't=-1'),
    '',
    ',,,',
    `v1=${'a'.repeat(5000)}`,
  ])
    wrong.push([
      'checkout_provider_2',
      { body: stripeSigned.body, headers: { ...stripeSigned.headers, 'stripe-signature': header } },
    ])
  wrong.push(
    ['checkout_provider_2', stripePosts(stripeEvent(session, nowMs), nowMs, 'whsec_of somebody else')],
    ['checkout_provider_2', stripePosts(stripeEvent(session, nowMs, 'unpaid'), nowMs)],
    [
      'checkout_provider_2',
      stripePosts({ ...stripeEvent(session, nowMs), type: 'checkout.session.expired' }, nowMs),
    ],
    [
      'checkout_provider_1',
      liqpayPosts(liqpayPayment({ donationId: byLiqpay, amount: 1, currency: 'UAH', atMs }), 'guess'),
    ],
    ['checkout_provider_1', liqpayPosts(services.liqpayOrder((await one.order()).redirectUrl))],
    ['checkout_provider_1', good.checkout_provider_2],
    ['checkout_provider_2', good.checkout_provider_1],
    [KOFI, good.checkout_provider_1],
  )
  const expected = JSON.parse(before)
  expected[0].push(...(await data.donations.find()).slice(3))
  expected[1].push(...(await data.ledger.find()).slice(1))

  /** Sends requests that no client of ours would; resolves with the status, or null when the connection is cut first. */
  const raw = (headers: Record<string, string>, pieces: string[], isEnded = true) =>
    new Promise<number | null>((resolve) => {
      const sent = httpRequest(`${one.url}/webhooks/donations/${KOFI}`, { method: 'POST', headers })
      sent.on('response', (answer) => {
        resolve(answer.statusCode!)
        sent.destroy()
      })
      sent.on('error', () => resolve(null))
      for (const piece of pieces) sent.write(piece)
      if (isEnded) sent.end()
    })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const slow = raw({ ...form, 'content-length': '1000' }, ['data='], false)
  const statuses = new Set<string>()
  for (let i = 0; i < wrong.length; i += 8)
    for (const answer of await Promise.all(
      wrong.slice(i, i + 8).map(([to, posted]) => one.deliver(posted, to)),
    ))
      statuses.add(JSON.stringify(answer))
  t.same([...statuses], [JSON.stringify(ok)], `${wrong.length} deliveries`)
  t.equal(
    await raw({ ...form, 'transfer-encoding': 'chunked' }, Array(10).fill('x'.repeat(30_000))),
    200,
    'chunked',
  )
  t.equal(await raw({ 'content-length': '3' }, ['abc']), 200, 'of no type')
  const cut = httpRequest(`${one.url}/webhooks/donations/${KOFI}`, {
    method: 'POST',
    headers: { ...form, 'content-length': '99' },
  })
  cut.on('error', () => {})
  cut.write('data=', () => cut.destroy())
  t.equal((await fetch(`${one.url}/webhooks/donations/${'x'.repeat(200)}`, { method: 'POST' })).status, 404)
  t.equal(await slow, 200, 'a slow sender')
  t.same(
    JSON.parse(
      JSON.stringify([await data.donations.find(), await data.ledger.find(), await data.inbox.find()]),
    ),
    expected,
  )

  // All of those and the right ones count, whichever service orders go to now; fields may come in any order.
  const fields = good.checkout_provider_1.body.split('&')
  const reordered = { ...good.checkout_provider_1, body: [...fields.reverse(), 'more=1'].join('&') }
  t.same(await one.deliver(reordered, 'checkout_provider_1'), ok)
  t.same(await one.deliver(good.checkout_provider_2, 'checkout_provider_2'), ok)
  t.same(await one.deliver(good[KOFI]), ok)
  for (const { id } of [order, ...orders]) t.match(await one.until(id!, { status: 'paid' }), { queue: 'due' })
  for (let time = 0; time < 3; time++) t.same(await one.deliver(good[KOFI]), ok, 'a replay')
  await until('the inbox is empty', async () => (await data.inbox.find()).length === 0)
  t.equal((await data.ledger.find({ event: 'claimed' })).length, 3)

  const said = lines.join('')
  const secrets = Object.entries(services.env).flatMap(([name, value]) =>
    /KEY|SECRET|TOKEN/.test(name) ? value : [],
  )
  for (const secret of [...secrets, signature, 'jo@example.com', 'sender_card'])
    t.notOk(said.includes(secret), 'no secret is logged')
  t.notOk(
    lines.some((line) => JSON.parse(line).level >= 50),
    'and nothing of it is an error',
  )
})

t.test('a service without webhooks is polled by one process, and orders wait for its reply', async (t) => {
  const services = await openPaymentServices(t)
  const one = await replica(t, services, 'donatello')
  const two = await replica(t, services, 'donatello', one)
  const { data } = one.ports
  await one.addTrack(WISH, null)
  const DONATELLO = 'matching_provider_1'
  const asked = () => services.asked.filter(({ url }) => url.pathname.endsWith('/donates')).length
  await pollDonations(one.ports, 'a')
  t.equal(asked(), 0, 'while no order waits nobody is asked')

  const minute = 60_000
  const createdAt = Math.floor(one.ports.clock.nowMs()) - 30 * minute
  const place = async (matchCode: string) => {
    const { donationId } = await one.order()
    const facts = { matchCode, claimKey: matchCode, createdAt, expiresAt: createdAt + 20 * minute }
    await data.donations.update({ id: donationId }, facts)
    return donationId
  }
  const [late, early, other] = [await place('AAAAAA'), await place('BBBBBB'), await place('CCCCCC')]
  const status = async (id: string) => (await data.donations.get(id))!.status
  // They have expired, but the service has been away since.
  for (const [code, text] of [
    [500, '{}'],
    [200, '<html>'],
    [200, '{"content":7}'],
  ] as const) {
    services.answer = (_, response) => response.writeHead(code).end(text)
    await pollDonations(one.ports, 'b')
    await sweepDonations(one.ports)
    t.equal(await status(late), 'pending')
  }

  const time = (atMs: number) => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')
  const paidAt = time(createdAt + 10 * minute)
  const pays = (message: string, createdAt = paidAt) =>
    donatelloDonation({ message, amount: '1.00', createdAt })
  services.donatelloDonations.push(
    ...Array.from({ length: 18 }, () => pays('just so')),
    pays('BBBBBB', time(createdAt + 25 * minute)),
    pays('aaaaaa and CCCCCC'),
    pays('CCCCCC'),
  )
  // The service is slow: two processes try to poll, and one does.
  let goOn = () => {}
  const isAsked = new Promise<void>((resolve) => {
    services.answer = (_, response) => {
      resolve()
      goOn = () => {
        const content = services.donatelloDonations.slice(0, 20)
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ content }))
      }
    }
  })
  const before = asked()
  const polling = pollDonations(one.ports, 'c')
  await isAsked
  await pollDonations(two.ports, 'd')
  t.equal(asked(), before + 1)
  goOn()
  await polling
  services.answer = null
  t.match(
    await data.donations.get(late),
    { provider: DONATELLO, status: 'paid', queue: 'due' },
    'seen late, paid in time',
  )
  t.equal(await status(early), 'expired', 'an order paid too late')
  t.equal(await status(other), 'expired', 'one payment is for one order, and the 21st is not seen')
  t.match(await data.ledger.find({ donationId: early, event: 'refused' }), [
    { note: /^too_late/ },
    { note: 'expired' },
  ])
  t.same(await one.events(late), ['created', 'delivered', 'claimed'])
  const count = asked()
  await pollDonations(two.ports, 'e')
  t.equal(asked(), count, 'no order waits any more')
})
