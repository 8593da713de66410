import type { PaymentProvider, Payments } from '@solstice/station'
import type { AnswerLimits } from '../bounded-fetch.ts'
import type { Config } from '../config.ts'
import { openDonatello } from './donatello.ts'
import { openKofi } from './kofi.ts'
import { openLiqPay } from './liqpay.ts'
import { openStripe } from './stripe.ts'

const LIMITS: AnswerLimits = { timeMs: 8000, maxBytes: 512 * 1024 }

/** The payment services that the configuration is complete for. Nothing is asked of them yet. */
export function openPayments(
  { payments: { wanted, liqpay, stripe, donatello, kofi }, publicServerUrl }: PaymentConfig,
  limits = LIMITS,
): Payments {
  const providers: (PaymentProvider | null)[] = [
    liqpay && openLiqPay(liqpay, `${publicServerUrl}/webhooks/donations/checkout_provider_1`),
    stripe && openStripe(stripe, limits),
    donatello && openDonatello(donatello, limits),
    kofi && openKofi(kofi),
  ]
  const configured = new Map(providers.flatMap((provider) => (provider ? [[provider.id, provider]] : [])))
  return { active: (wanted && configured.get(wanted)) ?? null, configured }
}

type PaymentConfig = Pick<Config, 'payments' | 'publicServerUrl'>
