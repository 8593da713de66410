import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Teardown } from '../../processes/processes.ts'
import { serve } from '../serve.ts'

/** A webhook request of a service. */
export interface Posted {
  body: string
  headers: Record<string, string>
}

export interface StripeSession {
  id: string
  client_reference_id: string
  amount_total: number
  currency: string
  payment_intent: string
  url: string
  /** The order as it was posted. */
  asked: Record<string, string>
}

export interface DonatelloDonation {
  pubId: string
  clientName: string
  message: string
  amount: string
  currency: string
  goal: string
  isPublished: boolean
  createdAt: string
}

const PUBLIC_KEY = 'sandbox_i00000000001'
const PRIVATE_KEY = 'sandbox_private-key-of-the-shop'
const SECRET_KEY = 'sk_test_51SecretKeyOfTheShop'
const WEBHOOK_SECRET = 'whsec_secret-of-the-webhook'
const API_TOKEN = '0123456789abcdef0123456789abcdef'
const VERIFICATION_TOKEN = '8d1f5e0c-3a52-4a8e-9a43-1f3b2c4d5e6f'

/**
 * LiqPay, Stripe, Donatello and Ko-fi as one server: it answers the station's requests and makes their webhook posts, in
 * the form that the services document.
 */
export async function openPaymentServices(t: Teardown) {
  const sessions = new Map<string, StripeSession>()
  const donations: DonatelloDonation[] = []
  const asked: { method: string; url: URL; headers: IncomingMessage['headers'] }[] = []
  const services = {
    /** When set, the answer to every request. */
    answer: null as RequestListener | null,
  }

  const base: string = await serve(t, (request, response) => {
    const url = new URL(request.url!, base)
    asked.push({ method: request.method!, url, headers: request.headers })
    if (services.answer) return services.answer(request, response)
    const say = (...[status, answer]: Answer) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    if (request.method === 'POST' && url.pathname === '/v1/checkout/sessions') {
      void readBody(request).then((body) => say(...openSession(sessions, request.headers, body)))
    } else if (request.method === 'GET' && url.pathname === '/api/v1/donates') {
      say(...listDonations(donations, request.headers, url.searchParams))
    } else say(404, { message: 'Not found' })
  })

  return Object.assign(services, {
    /** The station's requests, in order. */
    asked,
    /** The environment of a station with an account at every service. */
    env: accountsAt(base),
    /** The order in the URL of LiqPay's page, or null when the shop's signature is wrong. */
    liqpayOrder(redirectUrl: string): Record<string, unknown> | null {
      const { data, signature } = Object.fromEntries(new URL(redirectUrl).searchParams)
      if (!data || signature !== liqpaySignature(data)) return null
      return JSON.parse(Buffer.from(data, 'base64').toString('utf8'))
    },
    /** Orders that Stripe has a page for, by idempotency key. */
    stripeSessions: sessions,
    /** Donatello's list, newest first. */
    donatelloDonations: donations,
  })
}

export type PaymentServices = Awaited<ReturnType<typeof openPaymentServices>>

/** Status and body. */
type Answer = [status: number, body: object]

/** Stripe's answer to an order for a page to pay on; the same key gets the same page. */
function openSession(
  sessions: Map<string, StripeSession>,
  headers: IncomingMessage['headers'],
  body: string,
): Answer {
  const refuse = (status: number, type: string, message: string): Answer => [
    status,
    { error: { type, message } },
  ]
  if (headers.authorization !== `Bearer ${SECRET_KEY}`)
    return refuse(401, 'invalid_request_error', `Invalid API Key provided: ${headers.authorization}`)
  const order = Object.fromEntries(new URLSearchParams(body))
  const amount = order['line_items[0][price_data][unit_amount]'] ?? ''
  const needed = ['mode', 'success_url', 'line_items[0][price_data][product_data][name]']
  const missing = needed.find((name) => !order[name])
  if (missing) return refuse(400, 'invalid_request_error', `Missing required param: ${missing}.`)
  if (!/^\d+$/.test(amount)) return refuse(400, 'invalid_request_error', `Invalid integer: ${amount}`)
  const key = String(headers['idempotency-key'])
  const id = `cs_test_${randomUUID()}`
  const session = sessions.get(key) ?? {
    id,
    client_reference_id: order.client_reference_id!,
    amount_total: Number(amount) * Number(order['line_items[0][quantity]']),
    currency: order['line_items[0][price_data][currency]']!,
    payment_intent: `pi_${randomUUID()}`,
    url: `https://checkout.stripe.example/c/pay/${id}`,
    asked: order,
  }
  sessions.set(key, session)
  return [200, stripeObject(session, 'open', 'unpaid')]
}

/** A page of Donatello's list. */
function listDonations(
  donations: readonly DonatelloDonation[],
  headers: IncomingMessage['headers'],
  query: URLSearchParams,
): Answer {
  if (headers['x-token'] !== API_TOKEN) return [401, { success: false, message: 'Token is wrong' }]
  const [page, size] = [Number(query.get('page')), Number(query.get('size'))]
  const content = donations.slice(page * size, (page + 1) * size)
  const pages = Math.ceil(donations.length / size)
  const [first, last] = [page === 0, page >= pages - 1]
  return [200, { content, page, size, pages, first, last, total: donations.length }]
}

const accountsAt = (base: string) => ({
  DONATIONS_ENABLED: 'true',
  PUBLIC_SERVER_URL: 'https://radio.example',
  LIQPAY_PUBLIC_KEY: PUBLIC_KEY,
  LIQPAY_PRIVATE_KEY: PRIVATE_KEY,
  LIQPAY_API_URL: `${base}/api/3/checkout`,
  STRIPE_SECRET_KEY: SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  STRIPE_API_URL: base,
  DONATELLO_API_TOKEN: API_TOKEN,
  DONATELLO_PAGE_URL: 'https://donatello.example/solstice',
  DONATELLO_API_URL: `${base}/api/v1`,
  KOFI_VERIFICATION_TOKEN: VERIFICATION_TOKEN,
  KOFI_PAGE_URL: 'https://ko-fi.example/solstice',
})

/** LiqPay's webhook post for an order; `said` may be any JSON. */
export function liqpayPosts(said: unknown, key = PRIVATE_KEY): Posted {
  const data = Buffer.from(JSON.stringify(said)).toString('base64')
  return formOf({ data, signature: liqpaySignature(data, key) })
}

/** LiqPay's report of a paid order. */
export function liqpayPayment(order: { donationId: string; amount: number; currency: string; atMs: number }) {
  return {
    action: 'pay',
    payment_id: 1_234_567_890,
    status: 'success',
    version: 3,
    type: 'buy',
    paytype: 'card',
    public_key: PUBLIC_KEY,
    acq_id: 414_963,
    order_id: order.donationId,
    liqpay_order_id: 'NYMK3AE61501685438251925',
    description: 'A song',
    sender_card_mask2: '473118*97',
    amount: order.amount,
    currency: order.currency,
    sender_commission: 0,
    receiver_commission: 0.03,
    amount_debit: order.amount,
    create_date: order.atMs - 2000,
    end_date: order.atMs,
    transaction_id: 1_234_567_890,
  }
}

/** Stripe's webhook post for an event, signed at the given moment; `said` may be any JSON. */
export function stripePosts(said: unknown, atMs: number, secret = WEBHOOK_SECRET): Posted {
  const body = JSON.stringify(said)
  const time = Math.floor(atMs / 1000)
  const v1 = stripeSignature(body, time, secret)
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${time},v1=${v1},v0=${'0'.repeat(64)}`,
    },
  }
}

export function stripeSignature(body: string, timeS: number, secret = WEBHOOK_SECRET): string {
  return createHmac('sha256', secret).update(`${timeS}.${body}`).digest('hex')
}

/** Stripe's report of a completed session. */
export function stripeEvent(
  session: Omit<StripeSession, 'url' | 'asked'>,
  atMs: number,
  status: 'paid' | 'unpaid' = 'paid',
) {
  return {
    id: `evt_${session.id}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(atMs / 1000),
    data: { object: stripeObject(session, 'complete', status) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'checkout.session.completed',
  }
}

/** Ko-fi's webhook post for a payment; `said` may be any JSON. */
export function kofiPosts(said: unknown): Posted {
  return formOf({ data: JSON.stringify(said) })
}

/** Ko-fi's report of a donation. */
export function kofiDonation(donation: { message: string; amount: string; currency: string; atMs: number }) {
  const id = randomUUID()
  return {
    verification_token: VERIFICATION_TOKEN,
    message_id: randomUUID(),
    timestamp: `${new Date(donation.atMs).toISOString().slice(0, 19)}Z`,
    type: 'Donation',
    is_public: true,
    from_name: 'Jo Example',
    message: donation.message,
    amount: donation.amount,
    url: `https://ko-fi.example/Home/CoffeeShop?txid=${id}`,
    email: 'jo@example.com',
    currency: donation.currency,
    is_subscription_payment: false,
    is_first_subscription_payment: false,
    kofi_transaction_id: id,
    shop_items: null,
    tier_name: null,
    shipping: null,
  }
}

/** A line of Donatello's list. */
export function donatelloDonation(
  donation: Pick<DonatelloDonation, 'message' | 'amount' | 'createdAt'> & Partial<DonatelloDonation>,
): DonatelloDonation {
  const pubId = `D${randomUUID().slice(0, 8).toUpperCase()}`
  return { pubId, clientName: 'Хтось', currency: 'UAH', goal: 'Музика', isPublished: true, ...donation }
}

function liqpaySignature(data: string, key = PRIVATE_KEY): string {
  return createHash('sha1').update(`${key}${data}${key}`).digest('base64')
}

function stripeObject(
  session: Omit<StripeSession, 'url' | 'asked'>,
  status: 'open' | 'complete',
  paymentStatus: 'paid' | 'unpaid',
) {
  const { id, client_reference_id, amount_total, currency, payment_intent } = session
  return {
    id,
    object: 'checkout.session',
    amount_subtotal: amount_total,
    amount_total,
    client_reference_id,
    currency,
    livemode: false,
    mode: 'payment',
    payment_intent,
    payment_status: paymentStatus,
    status,
    url: 'url' in session ? session.url : null,
  }
}

function formOf(fields: Record<string, string>): Posted {
  return {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
