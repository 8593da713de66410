/** The payment services, by the names that the interface gives them. */
export const paymentProviderIds = [
  'checkout_provider_1',
  'checkout_provider_2',
  'matching_provider_1',
  'matching_provider_2',
] as const
export type PaymentProviderId = (typeof paymentProviderIds)[number]

/** An amount in hundredths of its currency: every currency that a provider accepts has two decimals. */
export interface Money {
  amountMinor: number
  /** Three capital letters. */
  currency: string
}

/**
 * A payment service.
 *
 * - `checkout`: the station sends the order to the service, the donor pays on its page, the service posts the outcome.
 * - `matching`: the donor pays on the operator's page and writes a code in the comment; the service posts donations, or
 *   the station polls for them.
 */
export type PaymentProvider = CheckoutProvider | PostingProvider | PolledProvider

export interface CheckoutProvider extends AboutProvider {
  flow: 'checkout'
  /**
   * Creates the page on which the donor pays; calling it again for the same order is safe.
   *
   * @throws Error with the reason, and no secret, when the service cannot be reached, times out or refuses.
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
  /** The service never posts, so it has no webhook. */
  readDelivery?: undefined
  pollIntervalMs: number
  /**
   * Reads the latest 20 donations.
   *
   * @throws Error with the reason, and no secret, when the service cannot be reached, times out or refuses.
   */
  recentPayments(nowMs: number): Promise<MatchingPayment[]>
}

/** An order as it is sent to the service. */
export interface CheckoutOrder extends Money {
  donationId: string
  /** Text beside the price. */
  description: string
  /** The page to which the donor returns, paid or not. */
  returnUrl: string
}

/** A request to the webhook, unparsed. */
export interface Delivery {
  rawBody: Uint8Array
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Time of receipt, by the clock that also gives the provider's payments their times. */
  nowMs: number
}

/**
 * Reads the payment in a delivery; null when it is not authentic or concerns no payment. Pure: no I/O, never throws.
 * Comparing amount and currency with the order is up to the caller.
 */
export type ReadDelivery<P extends Payment> = (delivery: Delivery) => P | null

export type Payment = CheckoutPayment | MatchingPayment

/** The outcome of a checkout. */
export type CheckoutPayment = (PaidEvent & { donationId: string }) | FailedEvent

/** A donation; the comment may hold the code of an order. */
export type MatchingPayment = PaidEvent & { comment: string }

interface PaymentEvent {
  /** Unique among the provider's events, and the same in every delivery of this one. */
  eventId: string
  /** Identifies the payment at the service. */
  reference: string
}

interface PaidEvent extends PaymentEvent, Money {
  kind: 'paid'
  /** Never in the future. */
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
  /** Accepted currencies, the default one first, with the maximum per transaction in hundredths. */
  maxAmountMinor: Readonly<Record<string, number>>
}

/** The configured payment services. */
export interface Payments {
  /** The service that new orders go to; null = donations are off. */
  active: PaymentProvider | null
  /** All services, including the active one: a late payment to a former one still counts. */
  configured: ReadonlyMap<PaymentProviderId, PaymentProvider>
}
