import type { donations, Reply } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import type { DataStore, DonationRecord } from '../ports/data-store.ts'
import { toUnits } from './pricing.ts'
import { dateOfOrder } from './station-time.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations'>
type HistoryPage = Pick<Reply<typeof donations.getDonationHistory>, 'entries' | 'total'>

const DAY_MS = 24 * 3_600_000
/** Windows of the history by name; any other name means all that is stored. */
const windows: Readonly<Record<string, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS }

/** An order of this listener. @throws Failure NOT_FOUND, also for somebody else's order. */
export async function findOwnDonation(data: DonationData, id: string, uid: string): Promise<Donation> {
  const donation = await data.donations.get(id)
  if (donation?.uid !== uid) throw new Failure('NOT_FOUND')
  return donation
}

/** A page of the donations within a window, newest first. @param page.nowMs the date, epoch ms. */
export async function donationHistory(
  data: DonationData,
  page: {
    window: string | undefined
    offset: number
    limit: number
    retentionDays: number
    nowMs: number
  },
): Promise<HistoryPage> {
  const { window = '', offset, limit, retentionDays, nowMs } = page
  const mostMs = retentionDays * DAY_MS
  const spanMs = Object.hasOwn(windows, window) ? Math.min(windows[window]!, mostMs) : mostMs
  const found = (await data.donations.find())
    .filter((donation) => dateOfOrder(donation, 'createdAt') > nowMs - spanMs)
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
  return { entries: found.slice(offset, offset + limit).map(historyEntry), total: found.length }
}

/** The currencies of all stored donations, in alphabetical order. */
export async function donationCurrencies(data: DonationData): Promise<string[]> {
  return currencies(await data.donations.find())
}

const currencies = memoizeLast((all: readonly Donation[]) =>
  [...new Set(all.map(({ currency }) => currency))].sort(),
)

function historyEntry(donation: Donation): HistoryPage['entries'][number] {
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
  }
}
