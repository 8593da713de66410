/** The services that a listener can pay through, by the names that the interface gives them. */
export const paymentProviderIds = [
  'checkout_provider_1',
  'checkout_provider_2',
  'matching_provider_1',
  'matching_provider_2',
] as const
export type PaymentProviderId = (typeof paymentProviderIds)[number]

/** Amounts are whole hundredths of the currency here: each currency that a provider takes has two decimals. */
export interface Money {
  amountMinor: number
  /** Three capital letters. */
  currency: string
}

/**
 * A payment service.
 *
 * - `checkout`: the order is told to the service, the donor pays on its page, the service posts what became of it.
 * - `matching`: the donor pays on the operator's page and writes a code in the comment; donations are posted by the
 *   service, or read from it.
 */
export type PaymentProvider = CheckoutProvider | PostingProvider | PolledProvider

export interface CheckoutProvider extends AboutProvider {
  flow: 'checkout'
  /**
   * Where the donor pays. Asking again for the same order is safe.
   *
   * @throws Error when the service cannot be reached, is late or refuses; it says why, and no secret.
   */
  createCheckout(order: CheckoutOrder): Promise<{ redirectUrl: string }>
  readDelivery: ReadDelivery<CheckoutPayment>
}

export interface PostingProvider extends AboutProvider {
  flow: 'matching'
  pageUrl: string
  readDelivery: ReadDelivery<MatchingPayment>
}

export interface PolledProvider extends AboutProvider {
  flow: 'matching'
  pageUrl: string
  /** It never posts: its webhook does not exist. */
  readDelivery?: undefined
  pollIntervalMs: number
  /**
   * The latest 20 donations.
   *
   * @throws Error when the service cannot be reached, is late or refuses; it says why, and no secret.
   */
  recentPayments(nowMs: number): Promise<MatchingPayment[]>
}

/** An order as the service is told of it. */
export interface CheckoutOrder extends Money {
  donationId: string
  /** What the donor reads beside the price. */
  description: string
  /** Where the donor comes back to, having paid or not. */
  returnUrl: string
}

/** What a service posted to the webhook, as it came. */
export interface Delivery {
  rawBody: Uint8Array
  /** With names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** As the moments of the payment: of the clock that the provider is asked by. */
  nowMs: number
}

/**
 * What a delivery says; null when it is not authentic, or says nothing of a payment. Pure: no I/O, never throws.
 * Whether amount and currency are those of the order is for the caller to see.
 */
export type ReadDelivery<P extends Payment> = (delivery: Delivery) => P | null

export type Payment = CheckoutPayment | MatchingPayment

/** What became of an order. */
export type CheckoutPayment = (PaidEvent & { donationId: string }) | FailedEvent

/** A donation; the comment may hold the code of an order. */
export type MatchingPayment = PaidEvent & { comment: string }

interface PaymentEvent {
  /** The same however often the service tells of it; no other event of that provider has it. */
  eventId: string
  /** By which the payment is found at the service. */
  reference: string
}

interface PaidEvent extends PaymentEvent, Money {
  kind: 'paid'
  /** Not in the future. */
  paidAtMs: number
}

interface FailedEvent extends PaymentEvent {
  kind: 'failed'
  donationId: string
}

interface AboutProvider {
  id: PaymentProviderId
  /** The service's own name. */
  displayName: string
  /** What it takes, and the most per transaction in hundredths of the currency. The first one is the usual one. */
  maxAmountMinor: Readonly<Record<string, number>>
}

/** The services that money may come from. */
export interface Payments {
  /** The one that new orders go to; null = donations are off. */
  active: PaymentProvider | null
  /** All that are configured, the active one included: a late payment to a former one still counts. */
  configured: ReadonlyMap<PaymentProviderId, PaymentProvider>
}
