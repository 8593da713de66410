import type {
  CheckoutProvider,
  Delivery,
  Payment,
  PaymentProviderId,
  PostingProvider,
} from '@solstice/station'
import t from 'tap'
import {
  delivery,
  NOW,
  ORDER,
  open,
  SESSION,
} from '../../../../../tests/harness/servers/services/open-payments.ts'
import {
  kofiDonation,
  kofiPosts,
  liqpayPayment,
  liqpayPosts,
  type Posted,
  stripeEvent,
  stripePosts,
} from '../../../../../tests/harness/servers/services/payment-services.ts'

const strange = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  '',
  ' ',
  '0x10',
  'NaN',
  'é'.repeat(5000),
  [],
  {},
  [[]],
  ['USD'],
]

/** JSON of other shapes than the service's: on its own, and in place of each value at any depth. */
function* strangeShapes(said: unknown): Generator<unknown> {
  yield* strange
  if (typeof said !== 'object' || said === null) return
  yield JSON.parse('{"__proto__":{"status":"success","verification_token":"x"}}')
  for (const [name, value] of Object.entries(said)) {
    for (const other of value && typeof value === 'object' ? strangeShapes(value) : strange)
      yield { ...said, [name]: other }
    yield { ...said, [name]: undefined }
  }
}

function isSound(payment: Payment): boolean {
  const isId = (id: string) => typeof id === 'string' && id.length > 0 && id.length < 300
  if (!isId(payment.eventId) || !isId(payment.reference)) return false
  if (payment.kind === 'failed') return isId(payment.donationId)
  const { amountMinor, currency, paidAtMs } = payment
  if (!('comment' in payment ? payment.comment.length <= 2000 : isId(payment.donationId))) return false
  return (
    Number.isSafeInteger(amountMinor) && amountMinor >= 0 && /^[A-Z]{3}$/.test(currency) && paidAtMs <= NOW
  )
}

t.test('configured providers are found by id, and the selected one is active', async (t) => {
  const { payments } = await open(t, { DONATIONS_PROVIDER: 'kofi' })
  t.equal(payments.active, payments.configured.get('matching_provider_2'))
  t.same(
    [...payments.configured.values()].map(({ id, displayName, flow, maxAmountMinor }) => [
      id,
      displayName,
      flow,
      maxAmountMinor,
    ]),
    [
      ['checkout_provider_1', 'LiqPay', 'checkout', { UAH: 10_000_000, USD: 500_000, EUR: 500_000 }],
      [
        'checkout_provider_2',
        'Stripe',
        'checkout',
        { USD: 1_000_000, EUR: 1_000_000, GBP: 1_000_000, PLN: 4_000_000, CAD: 1_400_000, AUD: 1_500_000 },
      ],
      ['matching_provider_1', 'Donatello', 'matching', { UAH: 3_000_000 }],
      ['matching_provider_2', 'Ko-fi', 'matching', { USD: 50_000, EUR: 50_000, GBP: 50_000 }],
    ] satisfies [PaymentProviderId, ...unknown[]][],
  )
  const late = await open(t, { DONATIONS_PROVIDER: 'stripe', STRIPE_SECRET_KEY: '' })
  t.equal(late.payments.active, null, 'the wanted one is not complete')
  t.same(
    [...late.payments.configured.keys()],
    ['checkout_provider_1', 'matching_provider_1', 'matching_provider_2'],
  )
  t.equal((await open(t, { DONATIONS_ENABLED: 'false' })).payments.configured.size, 0)
})

t.test(
  'whatever is posted, nothing throws, and nothing but what the service said is a payment',
  async (t) => {
    const { liqpay, stripe, kofi } = await open(t)
    const said = {
      liqpay: liqpayPayment({ ...ORDER, amount: 29.95, atMs: NOW }),
      stripe: stripeEvent(SESSION, NOW),
      kofi: kofiDonation({ message: 'K7RW2P', amount: '3.00', currency: 'USD', atMs: NOW }),
    }
    const token = said.kofi.verification_token
    const posters: {
      name: string
      provider: CheckoutProvider | PostingProvider
      post: (said: unknown) => Posted
      said: object
      /** The part of the body in which every byte matters. */
      sealed: (body: string) => [from: number, to: number]
      /** A signature made without the secret. */
      forged: Posted
    }[] = [
      {
        name: 'LiqPay',
        provider: liqpay,
        post: liqpayPosts,
        said: said.liqpay,
        sealed: (body) => [0, body.length],
        forged: liqpayPosts(said.liqpay, 'another key'),
      },
      {
        name: 'Stripe',
        provider: stripe,
        post: (said) => stripePosts(said, NOW),
        said: said.stripe,
        sealed: (body) => [0, body.length],
        forged: stripePosts(said.stripe, NOW, 'whsec_another'),
      },
      {
        name: 'Ko-fi',
        provider: kofi,
        post: kofiPosts,
        said: said.kofi,
        sealed: (body) => [body.indexOf(token), body.indexOf(token) + token.length],
        forged: kofiPosts({ ...said.kofi, verification_token: token.replace('8', '9') }),
      },
    ]

    for (const { name, provider, post, said, sealed, forged } of posters) {
      const posted = post(said)
      const rawBody = Buffer.from(posted.body)
      const read = (rawBody: Uint8Array, headers: Delivery['headers'] = posted.headers) =>
        provider.readDelivery({ rawBody, headers, nowMs: NOW })
      const truth = read(rawBody)
      t.ok(truth, `${name} is heard`)
      const accepted: string[] = []
      const expectNothing = (payment: Payment | null, what: string) => {
        // Some changes have no meaning: %2b is %2B.
        if (payment && JSON.stringify(payment) !== JSON.stringify(truth)) accepted.push(what)
      }

      const [from, to] = sealed(posted.body)
      for (let at = from; at < to; at++) {
        const changed = Buffer.from(rawBody)
        for (let bit = 0; bit < 8; bit++) {
          changed[at] = rawBody[at]! ^ (1 << bit)
          expectNothing(read(changed), `bit ${bit} of byte ${at}`)
        }
      }
      for (let length = 0; length < rawBody.length; length++)
        if (read(rawBody.subarray(0, length))) accepted.push(`the first ${length} bytes`)
      for (const [header, value] of Object.entries(posted.headers))
        for (const other of [undefined, '', [value], 'text/plain', 'multipart/form-data', `x${value}`])
          if (name !== 'Stripe' || header !== 'content-type')
            if (read(rawBody, { ...posted.headers, [header]: other })) accepted.push(`${header}: ${other}`)
      if (provider.readDelivery(delivery(forged))) accepted.push('another key')
      for (const suffix of [`&${posted.body}`, `&data=x`, '&data='])
        if (read(Buffer.from(posted.body + suffix))) accepted.push(`… ${suffix.slice(0, 10)}`)
      if (read(Buffer.alloc(1024 * 1024, 'data=a&'))) accepted.push('a huge body')
      if (read(Buffer.from(post({ ...said, padding: 'x'.repeat(64 * 1024) }).body)))
        accepted.push('a long text')
      t.same(accepted, [], `${name}: nothing else is`)

      for (const shape of strangeShapes(said)) {
        const payment = provider.readDelivery(delivery(post(shape)))
        if (payment && !isSound(payment))
          t.fail(`${name}: ${JSON.stringify(payment)} for ${JSON.stringify(shape)}`)
      }
    }
  },
)

t.test('a service that is down is left alone: orders are refused at once, without a secret', async (t) => {
  const { services, stripe, donatello } = await open(t)
  services.answer = (_, response) => response.writeHead(503).end()
  for (let i = 0; i < 5; i++) {
    await t.rejects(stripe.createCheckout(ORDER))
    await t.rejects(donatello.recentPayments(NOW))
  }
  services.answer = null
  const asked = services.asked.length
  await t.rejects(stripe.createCheckout(ORDER), { message: /^Stripe opened no checkout: / })
  await t.rejects(donatello.recentPayments(NOW), { message: /^Donatello does not answer/ })
  t.equal(services.asked.length, asked, 'neither is asked')
})
