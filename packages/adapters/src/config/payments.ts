import { type PaymentProviderId, paymentProviderIds } from '@solstice/station'
import type { Reader } from './reader.ts'
import { paymentServices, type SettingName } from './settings.ts'

/** Reads the payment services. One is null unless all its values are set; all are null while donations are off. */
export function readPayments(reader: Reader) {
  const { read } = reader
  const isOn = read('DONATIONS_ENABLED')
  const wanted = isOn ? wantedProvider(reader) : null
  const values = <N extends SettingName>(id: PaymentProviderId, own: N[], others: SettingName[] = []) =>
    isOn ? completeValues(reader, { id, isWanted: id === wanted, own, others }) : null

  const liqpay = values(
    'checkout_provider_1',
    ['LIQPAY_PUBLIC_KEY', 'LIQPAY_PRIVATE_KEY'],
    ['PUBLIC_SERVER_URL'],
  )
  const stripe = values('checkout_provider_2', ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
  const donatello = values('matching_provider_1', ['DONATELLO_API_TOKEN', 'DONATELLO_PAGE_URL'])
  const kofi = values('matching_provider_2', ['KOFI_VERIFICATION_TOKEN', 'KOFI_PAGE_URL'])
  return {
    /** Service for new orders; none are taken if that service is null below. */
    wanted,
    liqpay: liqpay && {
      publicKey: liqpay.LIQPAY_PUBLIC_KEY,
      privateKey: liqpay.LIQPAY_PRIVATE_KEY,
      apiUrl: read('LIQPAY_API_URL'),
    },
    stripe: stripe && {
      secretKey: stripe.STRIPE_SECRET_KEY,
      webhookSecret: stripe.STRIPE_WEBHOOK_SECRET,
      apiUrl: read('STRIPE_API_URL'),
    },
    donatello: donatello && {
      apiToken: donatello.DONATELLO_API_TOKEN,
      pageUrl: donatello.DONATELLO_PAGE_URL,
      apiUrl: read('DONATELLO_API_URL'),
      pollIntervalMs: read('DONATELLO_POLL_INTERVAL_S') * 1000,
    },
    kofi: kofi && { verificationToken: kofi.KOFI_VERIFICATION_TOKEN, pageUrl: kofi.KOFI_PAGE_URL },
  }
}

function wantedProvider({ read, warnings }: Reader): PaymentProviderId | null {
  const given = read('DONATIONS_PROVIDER')
  const value = given.toLowerCase()
  const known = paymentProviderIds.find((id, i) => value === id || value === paymentServices[i])
  if (known) return known
  const problem = given ? `"${given}" is not one of` : 'must be one of'
  warnings.push(`DONATIONS_PROVIDER: ${problem} ${paymentServices.join(', ')}; donations are off`)
  return null
}

/** Returns the values of a service, or null if one is missing; warns unless none of them is set. */
function completeValues<N extends SettingName>(
  { read, warnings }: Reader,
  service: { id: PaymentProviderId; isWanted: boolean; own: N[]; others: SettingName[] },
): Record<N, string> | null {
  const own = Object.fromEntries(service.own.map((name) => [name, read(name)])) as Record<N, string>
  if (!service.isWanted && !Object.values(own).some(Boolean)) return null
  const missing = [
    ...service.own.filter((name) => !own[name]),
    ...service.others.filter((name) => !read(name)),
  ]
  if (missing.length === 0) return own
  const name = paymentServices[paymentProviderIds.indexOf(service.id)]
  const outcome = service.isWanted ? 'donations are off' : `${name} is ignored`
  warnings.push(`${missing.join(', ')}: not set, but required for ${name}; ${outcome}`)
  return null
}
