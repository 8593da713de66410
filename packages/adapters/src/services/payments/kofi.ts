import type { PostingProvider } from '@solstice/station'
import { areSecretsEqual } from '../../auth/equal-secrets.ts'
import { readObject } from '../json-object.ts'
import { amountMinorOf, commentOf, currencyOf, idOf, readForm, timeOf } from './wire-values.ts'

export interface KofiAccount {
  verificationToken: string
  pageUrl: string
}

/** Ko-fi posts each donation as a form whose field `data` is JSON, authenticated by a token inside it. */
export function openKofi({ verificationToken, pageUrl }: KofiAccount): PostingProvider {
  return {
    id: 'matching_provider_2',
    displayName: 'Ko-fi',
    flow: 'matching',
    maxAmountMinor: { USD: 500_00, EUR: 500_00, GBP: 500_00 },
    pageUrl,

    readDelivery(delivery) {
      const form = readForm(delivery, ['data'])
      const posted = form && readObject(form.data)
      if (typeof posted?.verification_token !== 'string') return null
      if (!areSecretsEqual(posted.verification_token, verificationToken) || posted.type !== 'Donation')
        return null
      const eventId = idOf(posted.kofi_transaction_id)
      const amountMinor = amountMinorOf(posted.amount)
      const currency = currencyOf(posted.currency)
      if (!eventId || amountMinor === null || !currency) return null
      return {
        kind: 'paid',
        eventId,
        reference: eventId,
        comment: commentOf(posted.message),
        amountMinor,
        currency,
        paidAtMs: Math.min(timeOf(posted.timestamp)?.atMs ?? delivery.nowMs, delivery.nowMs),
      }
    },
  }
}
