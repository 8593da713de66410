import { createHash } from 'node:crypto'
import type { CheckoutProvider } from '@solstice/station'
import { areSecretsEqual } from '../../auth/equal-secrets.ts'
import { readObject } from '../json-object.ts'
import { amountMinorOf, currencyOf, idOf, pastOf, readForm } from './wire-values.ts'

export interface LiqPayAccount {
  publicKey: string
  privateKey: string
  /** Address of the checkout page. */
  apiUrl: string
}

const kinds: Record<string, 'paid' | 'failed'> = {
  success: 'paid',
  sandbox: 'paid',
  failure: 'failed',
  error: 'failed',
}

/**
 * LiqPay, protocol version 3. Each message is base64 JSON (`data`) with a digest of it and the private key (`signature`).
 * The order is part of the checkout page's address, so the service gets no request from us.
 */
export function openLiqPay(
  { publicKey, privateKey, apiUrl }: LiqPayAccount,
  webhookUrl: string,
): CheckoutProvider {
  const sign = (data: string) =>
    createHash('sha1').update(privateKey).update(data).update(privateKey).digest('base64')
  return {
    id: 'checkout_provider_1',
    displayName: 'LiqPay',
    flow: 'checkout',
    maxAmountMinor: { UAH: 100_000_00, USD: 5_000_00, EUR: 5_000_00 },

    async createCheckout({ donationId, amountMinor, currency, description, returnUrl }) {
      const order = {
        version: 3,
        public_key: publicKey,
        action: 'pay',
        amount: amountMinor / 100,
        currency,
        description,
        order_id: donationId,
        result_url: returnUrl,
        server_url: webhookUrl,
      }
      const data = Buffer.from(JSON.stringify(order)).toString('base64')
      const page = new URL(apiUrl)
      page.searchParams.set('data', data)
      page.searchParams.set('signature', sign(data))
      return { redirectUrl: page.href }
    },

    readDelivery(delivery) {
      const form = readForm(delivery, ['data', 'signature'])
      if (!form || !areSecretsEqual(form.signature, sign(form.data))) return null
      // The donor has one message signed by us, the order. It has no status, so posting it here is not a payment.
      const { status, order_id, payment_id, amount, currency, end_date } =
        readObject(Buffer.from(form.data, 'base64').toString('utf8')) ?? {}
      const kind = typeof status === 'string' && Object.hasOwn(kinds, status) ? kinds[status] : undefined
      const donationId = idOf(order_id)
      if (!kind || !donationId) return null
      const reference = idOf(payment_id) ?? donationId
      const event = { eventId: `${reference}:${kind}`, reference, donationId }
      if (kind === 'failed') return { kind, ...event }
      const money = { amountMinor: amountMinorOf(amount), currency: currencyOf(currency) }
      if (money.amountMinor === null || money.currency === null) return null
      return {
        kind,
        ...event,
        amountMinor: money.amountMinor,
        currency: money.currency,
        paidAtMs: pastOf(end_date, 1, delivery.nowMs),
      }
    },
  }
}
