import type { DonationStatus, donations, Reply } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { toUnits } from '../core/units.ts'
import type { DataStore, DonationRecord } from '../ports/data/data-store.ts'
import { dateOfOrder } from './station-time.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations'>
type HistoryPage = Omit<Reply<typeof donations.getDonationHistory>, 'offset' | 'limit'>
type DonationEntry = HistoryPage['entries'][number]

const DAY_MS = 24 * 3_600_000
/** Windows of the history by name; any other name means all that is stored. */
const windows: Readonly<Record<string, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS }

/** An order of this listener. @throws Failure NOT_FOUND, also for somebody else's order. */
export async function findOwnDonation(data: DonationData, id: string, uid: string): Promise<Donation> {
  const donation = await data.donations.get(id)
  if (donation?.uid !== uid) throw new Failure('NOT_FOUND')
  return donation
}

/** A page of the donations within a window, newest first, and what was paid. @param page.nowMs the date, epoch ms. */
export async function donationHistory(
  data: DonationData,
  page: {
    window: string | undefined
    /** Only orders in this status. */
    status?: DonationStatus | undefined
    offset: number
    limit: number
    retentionDays: number
    nowMs: number
  },
): Promise<HistoryPage> {
  const { window = '', status, offset, limit, retentionDays, nowMs } = page
  const mostMs = retentionDays * DAY_MS
  const spanMs = Object.hasOwn(windows, window) ? Math.min(windows[window]!, mostMs) : mostMs
  const all = await data.donations.find()
  const within = all.filter((donation) => dateOfOrder(donation, 'createdAt') > nowMs - spanMs)
  const found = within
    .filter((donation) => status === undefined || donation.status === status)
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
  return {
    entries: found.slice(offset, offset + limit).map(donationEntry),
    total: found.length,
    totals: totalsOf(within),
    unqueued: all.filter((donation) => donation.status === 'paid_unqueued').length,
  }
}

/** The sums that were paid and not paid back, by currency. */
function totalsOf(all: readonly Donation[]): HistoryPage['totals'] {
  const sums = new Map<string, { count: number; minor: number }>()
  for (const { status, currency, amountMinor } of all) {
    if (status !== 'paid' && status !== 'paid_unqueued') continue
    const { count, minor } = sums.get(currency) ?? { count: 0, minor: 0 }
    sums.set(currency, { count: count + 1, minor: minor + amountMinor })
  }
  return [...sums.keys()].sort().map((currency) => {
    const { count, minor } = sums.get(currency)!
    return { currency, count, amount: toUnits(minor) }
  })
}

/** The currencies of all stored donations, in alphabetical order. */
export async function donationCurrencies(data: DonationData): Promise<string[]> {
  return currencies(await data.donations.find())
}

const currencies = memoizeLast((all: readonly Donation[]) =>
  [...new Set(all.map(({ currency }) => currency))].sort(),
)

/** An order as admins see it. */
export function donationEntry(donation: Donation): DonationEntry {
  const { id, uid, songId, songTitle, songArtist, provider, currency } = donation
  const { amountMinor, tier, status } = donation
  const song = { songId, songTitle, songArtist }
  return {
    id,
    uid,
    ...song,
    provider,
    currency,
    amount: toUnits(amountMinor),
    tier,
    status,
    createdAt: dateOfOrder(donation, 'createdAt'),
    paidAt: dateOfOrder(donation, 'paidAt'),
    airedAt: dateOfOrder(donation, 'airedAt'),
    refusedWhy: status === 'paid_unqueued' ? donation.refusedWhy : null,
  }
}
