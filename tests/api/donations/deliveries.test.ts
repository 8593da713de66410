import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import type { DonationRecord } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { pollDonations } from '../../../apps/jobs/src/processors/poll-donations.ts'
import { sweepDonations } from '../../../apps/jobs/src/processors/sweep-donations.ts'
import {
  donatelloDonation,
  liqpayPayment,
  liqpayPosts,
  openPaymentServices,
  type Posted,
  stripeEvent,
  stripePosts,
} from '../../harness/servers/services/payment-services.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { until } from '../../harness/until.ts'
import { KOFI, kofiPays, replica, WISH } from './paying-station.ts'

useStores('sql+local')

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
