import type { MatchingPayment, PolledProvider } from '@solstice/station'
import type { AnswerLimits } from '../bounded-fetch.ts'
import type { Circuit } from '../circuit.ts'
import { objectOf, readObject } from '../json-object.ts'
import { amountMinorOf, commentOf, currencyOf, idOf, timeOf } from './wire-values.ts'

export interface DonatelloAccount {
  apiToken: string
  pageUrl: string
  apiUrl: string
  pollIntervalMs: number
}

const LATEST = 20
const HOUR_MS = 3_600_000
/** The service's clock may be ahead of ours. */
const CLOCK_SLACK_MS = 60_000

/** Donatello, polled with `GET <api>/donates` and the token from its panel. */
export function openDonatello(
  { apiToken, pageUrl, apiUrl, pollIntervalMs }: DonatelloAccount,
  limits: AnswerLimits,
  circuit: Circuit,
): PolledProvider {
  return {
    id: 'matching_provider_1',
    displayName: 'Donatello',
    flow: 'matching',
    maxAmountMinor: { UAH: 30_000_00 },
    pageUrl,
    pollIntervalMs,

    async recentPayments(nowMs) {
      const url = `${apiUrl}/donates?page=0&size=${LATEST}`
      const headers = { accept: 'application/json', 'x-token': apiToken, 'user-agent': 'Solstice radio' }
      const answer = await circuit.fetch(url, { headers }, limits)
      if (answer.status !== 200) {
        await answer.discard()
        throw new Error(`Donatello answered ${answer.status}`)
      }
      const content = readObject(await answer.text())?.content
      if (!Array.isArray(content)) throw new Error('Donatello answered without a list of donations')
      return content.slice(0, LATEST).flatMap((donation) => readDonation(donation, nowMs) ?? [])
    },
  }
}

function readDonation(donation: unknown, nowMs: number): MatchingPayment | null {
  const { pubId, message, amount, currency, createdAt } = objectOf(donation) ?? {}
  const eventId = idOf(pubId)
  const money = { amountMinor: amountMinorOf(amount), currency: currencyOf(currency) }
  const paidAtMs = paidAt(createdAt, nowMs)
  if (!eventId || money.amountMinor === null || money.currency === null || paidAtMs === null) return null
  return {
    kind: 'paid',
    eventId,
    reference: eventId,
    comment: commentOf(message),
    amountMinor: money.amountMinor,
    currency: money.currency,
    paidAtMs,
  }
}

/**
 * Reads a time such as `2026-03-01 18:05:00`. The service does not document its zone: UTC, or Kyiv, two or three hours
 * ahead. The latest reading that is not in the future is right for an hour, the lifetime of an order.
 */
function paidAt(createdAt: unknown, nowMs: number): number | null {
  const time = timeOf(createdAt)
  if (!time) return null
  const readings = (time.isZoned ? [0] : [0, 2, 3]).map((hours) => time.atMs - hours * HOUR_MS)
  return Math.min(readings.find((atMs) => atMs <= nowMs + CLOCK_SLACK_MS) ?? readings.at(-1)!, nowMs)
}
