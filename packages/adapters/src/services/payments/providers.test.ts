import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import {
  delivery,
  NOW,
  ORDER,
  open,
  openAt,
  PATIENT,
  SESSION,
} from '../../../../../tests/harness/servers/services/open-payments.ts'
import {
  donatelloDonation,
  kofiDonation,
  kofiPosts,
  liqpayPayment,
  liqpayPosts,
  openPaymentServices,
  type PaymentServices,
  stripeEvent,
  stripePosts,
  stripeSignature,
} from '../../../../../tests/harness/servers/services/payment-services.ts'

const HASTY = { ...PATIENT, timeMs: 300 }

/** Requests that get a wrong answer are sent once and fail. */
async function faults<Provider>(
  t: Test,
  services: PaymentServices,
  [patient, hasty]: [Provider, Provider],
  ask: (provider: Provider) => Promise<unknown>,
  more: [string, RequestListener][],
) {
  const elsewhere = await openPaymentServices(t)
  const wrong: [string, RequestListener][] = [
    ...more,
    ['status 500', (_, response) => response.writeHead(500).end('{"error":{"message":"oops"}}')],
    ['status 429', (_, response) => response.writeHead(429, { 'retry-after': '1' }).end('{}')],
    ['garbage', (_, response) => response.end('<html>')],
    ['nothing', (_, response) => response.end()],
    [
      'a redirect',
      (request, response) =>
        response.writeHead(307, { location: `${elsewhere.env.STRIPE_API_URL}${request.url}` }).end(),
    ],
    ['a broken connection', (_, response) => response.destroy()],
    ['too much', (_, response) => response.end(`{"content":[],"x":"${'x'.repeat(PATIENT.maxBytes)}"}`)],
  ]
  const late: [string, RequestListener][] = [
    ['no answer', () => {}],
    ['an answer that stops', (_, response) => void response.write('{')],
  ]
  for (const [provider, answers] of [
    [patient, wrong],
    [hasty, late],
  ] as const) {
    for (const [what, answer] of answers) {
      services.answer = answer
      services.asked.splice(0)
      await t.rejects(ask(provider), what)
      if (provider === patient) t.equal(services.asked.length, 1, `${what}: asked once`)
    }
  }
  services.answer = null
  t.equal(elsewhere.asked.length, 0, 'nobody is asked but the service itself')
  await t.resolves(ask(patient), 'and it is asked again')
}

t.test('LiqPay: the signed page address contains the order', async (t) => {
  const { services, liqpay } = await open(t)
  const { redirectUrl } = await liqpay.createCheckout(ORDER)
  t.ok(redirectUrl.startsWith(`${services.env.LIQPAY_API_URL}?data=`))
  t.same(services.liqpayOrder(redirectUrl), {
    version: 3,
    public_key: services.env.LIQPAY_PUBLIC_KEY,
    action: 'pay',
    amount: 29.95,
    currency: 'USD',
    description: ORDER.description,
    order_id: ORDER.donationId,
    result_url: ORDER.returnUrl,
    server_url: 'https://radio.example/webhooks/donations/checkout_provider_1',
  })
  t.equal(services.asked.length, 0)

  const { data, signature } = Object.fromEntries(new URL(redirectUrl).searchParams)
  const body = new URLSearchParams({ data: data!, signature: signature! }).toString()
  t.equal(
    liqpay.readDelivery(delivery({ ...liqpayPosts({}), body })),
    null,
    'the signed order, posted by the donor, is no payment',
  )
})

t.test('LiqPay: paid, failed, and deliveries without effect', async (t) => {
  const { liqpay } = await open(t)
  const said = liqpayPayment({ ...ORDER, amount: 29.95, atMs: NOW - 1000 })
  const read = (changes: object) => liqpay.readDelivery(delivery(liqpayPosts({ ...said, ...changes })))
  const event = { reference: '1234567890', donationId: ORDER.donationId }
  const paid = {
    ...event,
    kind: 'paid',
    eventId: '1234567890:paid',
    amountMinor: 2995,
    currency: 'USD',
    paidAtMs: NOW - 1000,
  }
  t.same(read({}), paid)
  t.same(read({ status: 'sandbox' }), paid)
  t.same(read({ end_date: NOW + 5 }), { ...paid, paidAtMs: NOW }, 'nothing is paid in the future')
  t.same(read({ end_date: undefined }), { ...paid, paidAtMs: NOW })
  for (const status of ['failure', 'error'])
    t.same(read({ status }), { ...event, kind: 'failed', eventId: '1234567890:failed' })
  t.same(read({ status: 'error', payment_id: undefined, amount: undefined }), {
    kind: 'failed',
    donationId: ORDER.donationId,
    reference: ORDER.donationId,
    eventId: `${ORDER.donationId}:failed`,
  })
  for (const status of ['reversed', 'processing', 'wait_accept', '3ds_verify', 'constructor', '', null, 1])
    t.equal(read({ status }), null, String(status))
  for (const changes of [{ order_id: '' }, { amount: '1e3' }, { amount: -1 }, { currency: 'dollars' }])
    t.equal(read(changes), null, JSON.stringify(changes))
  const amounts: [unknown, number][] = [
    [10, 1000],
    [10.1, 1010],
    [0.29, 29],
    [1.005, 100],
    ['19.999', 1999],
    ['7,5', 750],
    [100_000, 10_000_000],
  ]
  for (const [amount, amountMinor] of amounts) t.match(read({ amount }), { amountMinor }, String(amount))
})

t.test('Stripe: a checkout is opened once per order, in minor units', async (t) => {
  const { services, stripe } = await open(t)
  const { redirectUrl } = await stripe.createCheckout(ORDER)
  const again = await stripe.createCheckout(ORDER)
  const session = services.stripeSessions.get(ORDER.donationId)
  t.equal(redirectUrl, session?.url)
  t.equal(again.redirectUrl, redirectUrl, 'asking again is safe')
  t.same(session?.asked, {
    mode: 'payment',
    'allowed_payment_method_types[0]': 'card',
    client_reference_id: ORDER.donationId,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': '2995',
    'line_items[0][price_data][product_data][name]': ORDER.description,
    success_url: ORDER.returnUrl,
    cancel_url: ORDER.returnUrl,
  })
  t.notOk(services.asked[0]?.headers['x-stripe-client-telemetry'])
  await t.resolves(stripe.createCheckout({ ...ORDER, donationId: 'b', description: 'x'.repeat(10_000) }))
})

t.test('Stripe: a failed checkout gives the reason without secrets', async (t) => {
  const { stripe } = await open(t, { STRIPE_SECRET_KEY: 'sk_test_another-key' })
  const refused = await stripe.createCheckout(ORDER).catch((error) => error)
  t.match(refused, { message: /^Stripe opened no checkout: StripeAuthenticationError.* 401/ })
  t.notMatch(`${refused.stack} ${JSON.stringify(refused)}`, /another-key/)

  const { services, stripe: right } = await open(t)
  const { stripe: hasty } = openAt(services, {}, HASTY)
  await faults(t, services, [right, hasty], (stripe) => stripe.createCheckout(ORDER), [
    [
      'another page',
      (_, response) => response.end('{"object":"checkout.session","url":"javascript:alert(1)"}'),
    ],
    ['no page', (_, response) => response.end('{"object":"checkout.session","url":null}')],
  ])
})

t.test('Stripe: only a completed and paid session counts', async (t) => {
  const { stripe } = await open(t)
  const event = stripeEvent(SESSION, NOW - 4000)
  const read = (said: unknown, atMs = NOW) => stripe.readDelivery(delivery(stripePosts(said, atMs)))
  const paid = {
    kind: 'paid',
    eventId: 'evt_cs_test_1',
    donationId: ORDER.donationId,
    reference: 'pi_1',
    currency: 'USD',
    amountMinor: 2995,
    paidAtMs: Math.floor((NOW - 4000) / 1000) * 1000,
  }
  t.same(read(event), paid)
  t.same(read({ ...event, created: NOW }), { ...paid, paidAtMs: NOW })
  t.equal(read(stripeEvent(SESSION, NOW, 'unpaid')), null, 'a promise is no payment')
  for (const type of ['checkout.session.expired', 'checkout.session.async_payment_failed', 'charge.refunded'])
    t.equal(read({ ...event, type }), null, type)
  t.equal(read(stripeEvent({ ...SESSION, client_reference_id: '' }, NOW)), null, 'of another shop')

  t.same(read(event, NOW - 300_000), paid)
  t.same(read(event, NOW + 300_000), paid)
  t.equal(read(event, NOW - 301_000), null, 'too old')
  t.equal(read(event, NOW + 301_000), null, 'from too far ahead')
})

t.test('Stripe: one of several signatures must be valid', async (t) => {
  const { stripe } = await open(t)
  const body = JSON.stringify(stripeEvent(SESSION, NOW))
  const time = Math.floor(NOW / 1000)
  const right = stripeSignature(body, time)
  const wrong = stripeSignature(body, time, 'whsec_former')
  const isRead = (header: string | string[] | undefined) =>
    stripe.readDelivery({
      rawBody: Buffer.from(body),
      headers: { 'stripe-signature': header },
      nowMs: NOW,
    }) !== null
  for (const header of [`t=${time},v1=${wrong},v1=${right}`, `t=${time},v1=${right},v1=${wrong}`])
    t.ok(isRead(header), header)
  const refused: (string | string[] | undefined)[] = [
    undefined,
    '',
    [`t=${time},v1=${right}`],
    `t=${time},v1=${wrong}`,
    `t=${time},v0=${right}`,
    `t=${time}`,
    `v1=${right}`,
    `t=,v1=${right}`,
    `t=NaN,v1=${stripeSignature(body, Number.NaN)}`,
    `t=-1,v1=${stripeSignature(body, -1)}`,
    `t=${time},t=${time},v1=${right}`,
    `t=${time - 1},v1=${right}`,
    `t=${time},v1=${right.toUpperCase()}`,
    `t=${time},v1=${right.slice(0, -2)}`,
    `t=${time},v1=${right}00`,
    `t=${time},v1=${right}${',v1=0'.repeat(1000)}`,
  ]
  for (const header of refused) t.notOk(isRead(header), String(header).slice(0, 100))
})

t.test('Donatello: the latest donations, whatever the time zone', async (t) => {
  const { services, donatello } = await open(t)
  const made = [
    { message: 'Грайте! k7rw2p', amount: '100', createdAt: '2026-07-01 15:30:00' },
    { message: 'A', amount: '99.99', createdAt: '2026-07-01 12:29:00' },
    { message: 'B', amount: '99.999', createdAt: '2026-07-01 15:31:00', isPublished: false },
    { message: 'C', amount: '1', createdAt: '2026-07-01T12:29:00Z' },
    { message: 'D', amount: '1', createdAt: '2026-07-01T15:29:00.500+03:00' },
    { message: 'E', amount: '1', createdAt: '2026-06-30 12:00:00' },
  ].map(donatelloDonation)
  const nonsense = [null, 5, [], {}, { ...made[0], pubId: null }, { ...made[0], amount: '1e9' }]
  const timeless = [
    { ...made[0], createdAt: 'yesterday' },
    { ...made[0], createdAt: '2026-13-01 10:00:00' },
  ]
  services.donatelloDonations.push(...made, ...([...nonsense, ...timeless] as typeof made))
  const payments = await donatello.recentPayments(NOW)
  t.same(
    payments.map(({ comment, amountMinor, paidAtMs }) => [comment, amountMinor, (NOW - paidAtMs) / 1000]),
    [
      ['Грайте! k7rw2p', 10_000, 15],
      ['A', 9999, 75],
      ['B', 9999, 0],
      ['C', 100, 75],
      ['D', 100, 74.5],
      ['E', 100, 24.5 * 3600 + 15],
    ],
  )
  t.match(payments[0], { kind: 'paid', eventId: made[0]!.pubId, reference: made[0]!.pubId, currency: 'UAH' })
  const [request] = services.asked
  t.same(Object.fromEntries(request!.url.searchParams), { page: '0', size: '20' })
  t.equal(donatello.pageUrl, 'https://donatello.example/solstice')
  t.equal(donatello.pollIntervalMs, 30_000)
  t.equal(donatello.readDelivery, undefined, 'it never posts')

  const winter = Date.UTC(2026, 0, 1, 12)
  services.donatelloDonations.splice(0)
  t.same(await donatello.recentPayments(winter), [])
  services.donatelloDonations.push(
    ...Array.from({ length: 30 }, (_, i) =>
      donatelloDonation({ message: `${i}`, amount: '1', createdAt: '2026-01-01 13:59:30' }),
    ),
  )
  const latest = await donatello.recentPayments(winter)
  t.equal(latest.length, 20)
  t.equal(latest[0]?.paidAtMs, winter - 30_000)
})

t.test(
  'Donatello: an answer that is late, too large, redirected or of another kind is rejected',
  async (t) => {
    const { services, donatello } = await open(t)
    const { donatello: hasty } = openAt(services, {}, HASTY)
    await faults(t, services, [donatello, hasty], (donatello) => donatello.recentPayments(NOW), [
      ['a list', (_, response) => response.end('[]')],
      ['donations of another form', (_, response) => response.end('{"content":{}}')],
    ])
    const stranger = await open(t, { DONATELLO_API_TOKEN: 'another-token' })
    const refused = await stranger.donatello.recentPayments(NOW).catch((error) => error)
    t.match(refused, { message: 'Donatello answered 401' })
    t.notMatch(`${refused.stack} ${JSON.stringify(refused)}`, /another-token/)
  },
)

t.test('Ko-fi: a donation with the right token', async (t) => {
  const { kofi } = await open(t)
  const said = kofiDonation({ message: 'For K7RW2P!', amount: '3.00', currency: 'USD', atMs: NOW - 2000 })
  const read = (changes: object) => kofi.readDelivery(delivery(kofiPosts({ ...said, ...changes })))
  const paid = {
    kind: 'paid',
    eventId: said.kofi_transaction_id,
    reference: said.kofi_transaction_id,
    comment: 'For K7RW2P!',
    amountMinor: 300,
    currency: 'USD',
    paidAtMs: Math.floor((NOW - 2000) / 1000) * 1000,
  }
  t.same(read({}), paid)
  t.same(read({ message: null }), { ...paid, comment: '' })
  t.same(read({ timestamp: 'soon' }), { ...paid, paidAtMs: NOW })
  for (const type of ['Subscription', 'Shop Order', 'Commission', 'donation', null])
    t.equal(read({ type }), null, String(type))
  const token = said.verification_token
  for (const other of ['', null, 0, [token], token.slice(1), `${token}0`, token.toUpperCase(), undefined])
    t.equal(read({ verification_token: other }), null, String(other))
  t.equal(kofi.pageUrl, 'https://ko-fi.example/solstice')
})
