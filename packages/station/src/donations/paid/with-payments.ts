import type { Heard } from '../../aircheck/part.ts'
import { toUnits } from '../../core/units.ts'
import type { DataStore } from '../../ports/data/data-store.ts'
import { donationIdOf } from './order-id.ts'

/** Adds to recorded tracks that were paid for how much was paid; an order whose record is gone stays as it is. */
export async function withPayments(
  { donations }: Pick<DataStore, 'donations'>,
  heard: readonly Heard[],
): Promise<Heard[]> {
  return Promise.all(
    heard.map(async (one) => {
      const { order } = one
      if (order?.type !== 'donated' || order.id === null || order.amount !== undefined) return one
      const paid = await donations.get(donationIdOf(order.id))
      if (!paid) return one
      return { ...one, order: { ...order, amount: toUnits(paid.amountMinor), currency: paid.currency } }
    }),
  )
}
