import type { Delivery, Payment, PaymentProvider, Payments, WallClock } from '@solstice/station'
import type { Config } from '../../config/config.ts'
import type { AnswerLimits } from '../bounded-fetch.ts'
import { type Circuit, createCircuit } from '../circuit.ts'
import { openDonatello } from './donatello.ts'
import { openKofi } from './kofi.ts'
import { openLiqPay } from './liqpay.ts'
import { openStripe } from './stripe.ts'

const LIMITS: AnswerLimits = { timeMs: 8000, maxBytes: 512 * 1024 }

/** Opens the payment services whose configuration is complete. Sends no requests. */
export function openPayments(
  { payments: { wanted, liqpay, stripe, donatello, kofi }, publicServerUrl }: PaymentConfig,
  limits = LIMITS,
  circuitOf: (service: string) => Circuit = createCircuit,
): Payments {
  const providers: (PaymentProvider | null)[] = [
    liqpay && openLiqPay(liqpay, `${publicServerUrl}/webhooks/donations/checkout_provider_1`),
    stripe && openStripe(stripe, limits, circuitOf('Stripe')),
    donatello && openDonatello(donatello, limits, circuitOf('Donatello')),
    kofi && openKofi(kofi),
  ]
  const configured = new Map(providers.flatMap((provider) => (provider ? [[provider.id, provider]] : [])))
  return { active: (wanted && configured.get(wanted)) ?? null, configured }
}

type PaymentConfig = Pick<Config, 'payments' | 'publicServerUrl'>

/**
 * Converts between wall time, which the services use, and station time. Deliveries are checked by wall time; the payments
 * read from them carry station time.
 */
export function inStationTime({ active, configured }: Payments, clock: WallClock): Payments {
  const providers = new Map([...configured].map(([id, provider]) => [id, timed(provider, clock)]))
  return { active: active && providers.get(active.id)!, configured: providers }
}

function timed(provider: PaymentProvider, clock: WallClock): PaymentProvider {
  const onWall = (nowMs: number) => nowMs - clock.aheadMs()
  const inStation = <P extends Payment>(payment: P): P =>
    payment.kind === 'paid' ? { ...payment, paidAtMs: payment.paidAtMs + clock.aheadMs() } : payment
  const read =
    <P extends Payment>(readDelivery: (delivery: Delivery) => P | null) =>
    (delivery: Delivery) => {
      const payment = readDelivery({ ...delivery, nowMs: onWall(delivery.nowMs) })
      return payment && inStation(payment)
    }
  if (provider.readDelivery === undefined)
    return {
      ...provider,
      recentPayments: async (nowMs) => (await provider.recentPayments(onWall(nowMs))).map(inStation),
    }
  return provider.flow === 'checkout'
    ? { ...provider, readDelivery: read(provider.readDelivery) }
    : { ...provider, readDelivery: read(provider.readDelivery) }
}
