import type { CheckoutProvider, Delivery, PolledProvider, PostingProvider } from '@solstice/station'
import type { Test } from 'tap'
import { readConfig } from '../../../../packages/adapters/src/config/config.ts'
import { openPayments } from '../../../../packages/adapters/src/services/payments/index.ts'
import { openPaymentServices, type PaymentServices, type Posted } from './payment-services.ts'

export const NOW = Date.UTC(2026, 6, 1, 12, 30, 15)

export const ORDER = {
  donationId: '3a1c9d5e-7a52-4f0b-9d0e-6b0f3c1d2e47',
  amountMinor: 29_95,
  currency: 'USD',
  description: 'Хтось — Ранок & "вечір"',
  returnUrl: 'https://page.example/?donation=3a1c9d5e-7a52-4f0b-9d0e-6b0f3c1d2e47',
}

export const SESSION = {
  id: 'cs_test_1',
  client_reference_id: ORDER.donationId,
  amount_total: 2995,
  currency: 'usd',
  payment_intent: 'pi_1',
}

export const PATIENT = { timeMs: 60_000, maxBytes: 64 * 1024 }

/** Payment providers, and the services they speak to. */
export async function open(t: Test, env: Record<string, string> = {}) {
  return openAt(await openPaymentServices(t), env)
}

/** Further providers of services that run already. */
export function openAt(services: PaymentServices, env: Record<string, string> = {}, limits = PATIENT) {
  const secrets = { JWT_SECRET: 'a', ART_TOKEN_SECRET: 'b', ADMIN_LOGIN: 'c', ADMIN_PASS: 'd' }
  const { config } = readConfig({ ...secrets, ...services.env, ...env })
  const payments = openPayments(config, limits)
  return {
    services,
    payments,
    liqpay: payments.configured.get('checkout_provider_1') as CheckoutProvider,
    stripe: payments.configured.get('checkout_provider_2') as CheckoutProvider,
    donatello: payments.configured.get('matching_provider_1') as PolledProvider,
    kofi: payments.configured.get('matching_provider_2') as PostingProvider,
  }
}

/** A request of a service, as the webhook hands it on. */
export const delivery = ({ body, headers }: Posted, nowMs = NOW): Delivery => ({
  rawBody: Buffer.from(body),
  headers,
  nowMs,
})
