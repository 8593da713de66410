import type { DonationRecord } from '../../ports/data/data-store.ts'

/**
 * The id under which the air knows the order of a donation. The air takes an id once only, so a track that an admin queues
 * again has another.
 */
export function orderIdOf({ id, requeues = 0 }: Pick<DonationRecord, 'id' | 'requeues'>): string {
  return requeues === 0 ? id : `${id}~${requeues}`
}

/** The donation of an order of the air. */
export function donationIdOf(orderId: string): string {
  return orderId.split('~', 1)[0]!
}
