import { createHmac } from 'node:crypto'
import type { CheckoutProvider, Delivery } from '@solstice/station'
import { areSecretsEqual } from '../../auth/equal-secrets.ts'
import type { AnswerLimits } from '../bounded-fetch.ts'
import type { Circuit } from '../circuit.ts'
import { objectOf, readObject } from '../json-object.ts'
import { currencyOf, idOf, MAX_DELIVERY_BYTES, pastOf } from './wire-values.ts'

export interface StripeAccount {
  secretKey: string
  webhookSecret: string
  /** Scheme, host and port; the client adds the paths. */
  apiUrl: string
}

/** Allows for clock difference and delivery time; Stripe's libraries use the same. */
const TOLERANCE_S = 300
/** Stripe's limit for a product name. */
const MAX_DESCRIPTION = 250

/**
 * Stripe Checkout. Offers only cards, and wallets that charge them: other methods confirm days later, and the listener
 * wants the track now.
 */
export function openStripe(account: StripeAccount, limits: AnswerLimits, circuit: Circuit): CheckoutProvider {
  return {
    id: 'checkout_provider_2',
    displayName: 'Stripe',
    flow: 'checkout',
    maxAmountMinor: {
      USD: 10_000_00,
      EUR: 10_000_00,
      GBP: 10_000_00,
      PLN: 40_000_00,
      CAD: 14_000_00,
      AUD: 15_000_00,
    },

    async createCheckout({ donationId, amountMinor, currency, description, returnUrl }) {
      const { client, whyNot } = await openClient(account, limits, circuit)
      const product_data = { name: description.slice(0, MAX_DESCRIPTION) }
      const price_data = { currency: currency.toLowerCase(), unit_amount: amountMinor, product_data }
      const { url } = await client.checkout.sessions
        .create(
          {
            mode: 'payment',
            allowed_payment_method_types: ['card'],
            client_reference_id: donationId,
            line_items: [{ quantity: 1, price_data }],
            success_url: returnUrl,
            cancel_url: returnUrl,
          },
          { idempotencyKey: donationId },
        )
        .catch((error) => {
          throw new Error(`Stripe opened no checkout: ${whyNot(error)}`)
        })
      if (typeof url !== 'string' || !/^https?:\/\//.test(url) || !URL.canParse(url))
        throw new Error('Stripe opened no checkout: it returned no page')
      return { redirectUrl: url }
    },

    readDelivery(delivery) {
      if (!isSigned(delivery, account.webhookSecret)) return null
      const event = readObject(Buffer.from(delivery.rawBody).toString('utf8'))
      if (event?.type !== 'checkout.session.completed') return null
      const session = objectOf(objectOf(event.data)?.object)
      // A session can be completed while its payment is outstanding.
      if (!session || (session.payment_status ?? 'paid') !== 'paid') return null
      const eventId = idOf(event.id)
      const donationId = idOf(session.client_reference_id)
      const reference = idOf(session.payment_intent) ?? idOf(session.id)
      const currency = currencyOf(session.currency)
      const amountMinor = session.amount_total
      if (!eventId || !donationId || !reference || !currency) return null
      if (typeof amountMinor !== 'number' || !Number.isSafeInteger(amountMinor) || amountMinor < 0)
        return null
      const paidAtMs = pastOf(event.created, 1000, delivery.nowMs)
      return { kind: 'paid', eventId, donationId, reference, currency, amountMinor, paidAtMs }
    },
  }
}

/** `stripe-signature: t=<seconds>,v1=<digest>[,v1=<digest>…]`; several digests while the secret is rotated. */
function isSigned({ rawBody, headers, nowMs }: Delivery, secret: string): boolean {
  const header = headers['stripe-signature']
  if (typeof header !== 'string' || header.length > 2000) return false
  if (rawBody.byteLength > MAX_DELIVERY_BYTES) return false
  const valuesOf = (key: string) =>
    header
      .split(',')
      .filter((pair) => pair.startsWith(`${key}=`))
      .map((pair) => pair.slice(key.length + 1))
  const [time, ...moreTimes] = valuesOf('t')
  if (time === undefined || moreTimes.length > 0 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(Math.floor(nowMs / 1000) - Number(time)) > TOLERANCE_S) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest('hex')
  return valuesOf('v1').some((signature) => areSecretsEqual(signature, expected))
}

/** Loaded on demand: the client is large, and most processes never need it. */
async function openClient({ secretKey, apiUrl }: StripeAccount, limits: AnswerLimits, circuit: Circuit) {
  const { default: Stripe } = await import('stripe')
  const { protocol, hostname, port } = new URL(apiUrl)
  const isSecure = protocol === 'https:'
  const client = new Stripe(secretKey, {
    host: hostname,
    port: port || (isSecure ? 443 : 80),
    protocol: isSecure ? 'https' : 'http',
    maxNetworkRetries: 0,
    timeout: limits.timeMs,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(async (url, { method, headers, body } = {}) => {
      const answer = await circuit.fetch(String(url), { method, headers, body }, limits)
      return new Response(await answer.text(), answer)
    }),
  })
  /** Describes an error without its message, which may quote the key. */
  const whyNot = (error: unknown) => {
    if (!(error instanceof Stripe.errors.StripeError)) return 'something unexpected'
    const { type, code, statusCode, requestId } = error
    return [type, code, statusCode, requestId].filter(Boolean).join(' ')
  }
  return { client, whyNot }
}
