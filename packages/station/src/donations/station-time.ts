import type { WallClock } from '../ports/bus.ts'
import type { Collection, DataStore, DonationRecord } from '../ports/data/data-store.ts'

type Donation = Readonly<DonationRecord>
type Orders = Collection<DonationRecord, 'id'>
type Moment = (typeof moments)[number]

const moments = ['createdAt', 'expiresAt', 'paidAt', 'airedAt', 'requeuedAt'] as const

/**
 * Wraps the store so that moments of orders are in station time: an order lasts as long as intended, whoever sets the wall
 * clock. Stored are dates, by the wall clock at the last write of each record.
 */
export function withStationTime<D extends Pick<DataStore, 'donations' | 'ledger'>>(
  data: D,
  clock: WallClock,
): D {
  const { donations, ledger } = data
  const dated = ({ aheadMs: _before, ...donation }: DonationRecord): DonationRecord => ({
    ...shifted(donation, -clock.aheadMs()),
    ...(clock.aheadMs() !== 0 && { aheadMs: clock.aheadMs() }),
  })
  const change: Orders['update'] = async (where, change) => {
    const isTimeless = moments.every((moment) => change[moment] === undefined)
    if (isTimeless) return donations.update(where, change)
    const found = (await donations.find(where)).map(timed)
    const counts = await Promise.all(
      found.map((donation) => {
        const { aheadMs = 0, ...changed } = dated({ ...donation, ...change })
        // A moment that is still null may be being written by another process.
        const own = moments.filter((moment) => moment in change || hasMoment(donation, moment))
        const dates = Object.fromEntries(own.map((moment) => [moment, changed[moment]]))
        return donations.update({ ...where, id: donation.id }, { ...change, ...dates, aheadMs })
      }),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }
  const orders: Orders = {
    get: async (id) => mapped(await donations.get(id), timed),
    find: async (where) => timedAll(await donations.find(where)),
    insert: async (donation) => mapped(await donations.insert(dated(donation)), timed),
    put: (donation) => donations.put(dated(donation)),
    update: change,
    delete: (where) =>
      donations.delete(typeof where === 'function' ? (donation) => where(timed(donation)) : where),
    contents: () => donations.contents(),
    replaceAll: (contents) => donations.replaceAll(contents),
  }
  const entries: DataStore['ledger'] = {
    get: (id) => ledger.get(id),
    find: (where) => ledger.find(where),
    insert: (entry) => ledger.insert({ ...entry, atMs: entry.atMs - clock.aheadMs() }),
    put: (entry) => ledger.put(entry),
    update: (where, change) => ledger.update(where, change),
    delete: (where) => ledger.delete(where),
    contents: () => ledger.contents(),
    replaceAll: (contents) => ledger.replaceAll(contents),
  }
  return { ...data, donations: orders, ledger: entries }
}

/** Rewrites the dates of open orders after the wall clock was set. */
export async function redateOrders(data: Pick<DataStore, 'donations'>, clock: WallClock): Promise<void> {
  for (const { id, status, queue, createdAt, aheadMs = 0 } of await data.donations.find()) {
    const isOpen = status === 'pending' || (status === 'paid' && queue !== 'aired')
    if (isOpen && aheadMs !== clock.aheadMs()) await data.donations.update({ id, status }, { createdAt })
  }
}

/** The stored date of an order's moment. */
export function dateOfOrder(donation: Donation, moment: 'createdAt'): number
export function dateOfOrder(donation: Donation, moment: Moment): number | null
export function dateOfOrder({ aheadMs = 0, ...donation }: Donation, moment: Moment): number | null {
  return mapped(donation[moment] ?? null, (atMs) => atMs - aheadMs)
}

const timed = (donation: Donation): Donation => shifted(donation, donation.aheadMs ?? 0)

/** By the array of the store, which stays the same while nothing changed. */
const kept = new WeakMap<readonly Donation[], readonly Donation[]>()

function timedAll(donations: readonly Donation[]): readonly Donation[] {
  if (donations.every(({ aheadMs = 0 }) => aheadMs === 0)) return donations
  const known = kept.get(donations) ?? donations.map(timed)
  kept.set(donations, known)
  return known
}

function shifted(donation: Donation, byMs: number): Donation {
  if (byMs === 0) return donation
  const known = moments.filter((moment) => hasMoment(donation, moment))
  const later = Object.fromEntries(known.map((moment) => [moment, donation[moment]! + byMs]))
  return { ...donation, ...later }
}

const hasMoment = (donation: Donation, moment: Moment) => typeof donation[moment] === 'number'

function mapped<T, R>(value: T | null, map: (value: T) => R): R | null {
  return value === null ? null : map(value)
}
