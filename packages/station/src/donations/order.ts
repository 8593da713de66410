import { randomInt, randomUUID } from 'node:crypto'
import type { donations, Mode, Reply, Track } from '@solstice/contracts'
import { lockOf, obstacleTo, type PlayoutState } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { trackRef } from '../library/library.ts'
import type { DataStore, DonationRecord } from '../ports/data-store.ts'
import type { PaymentProvider } from '../ports/payments.ts'
import { recordInLedger } from './claim.ts'
import { tiersOf, toUnits } from './pricing.ts'
import { makeRoomForOrder } from './retention.ts'
import { maxAmountMinor, readDonationSettings } from './settings.ts'
import { dateOfOrder } from './station-time.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>
type OrderData = DonationData & Pick<DataStore, 'settings' | 'tracks'>
type HistoryPage = Pick<Reply<typeof donations.getDonationHistory>, 'entries' | 'total'>

const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 6
/** Codes are so many that two in a row are hardly ever taken. */
const CODE_ATTEMPTS = 20
const DAY_MS = 24 * 3_600_000
/** How far back an admin may look, by name; anything else is all there is. */
const windows: Readonly<Record<string, number>> = { '24h': DAY_MS, '7d': 7 * DAY_MS, '30d': 30 * DAY_MS }

/** The air when somebody asks for a price or orders. */
export interface OrderMoment {
  nowMs: number
  /** The mode on air. */
  mode: Mode
  /** Advanced to this moment; null while nothing is known of the air. */
  air: PlayoutState | null
  /** Hosts may be on the air. */
  radioHostsMode: boolean
}

/**
 * What it costs to have a song queued now.
 *
 * @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE
 */
export async function priceTrack(
  deps: { data: Pick<DataStore, 'settings' | 'tracks'>; provider: PaymentProvider },
  moment: OrderMoment,
  songId: string,
) {
  const { data, provider } = deps
  const settings = await readDonationSettings(data, provider)
  const song = await findOrderable(data, moment, songId)
  return {
    settings,
    song,
    tiers: tiersOf(settings, song.duration, maxAmountMinor(provider, settings.currency)),
    chattingBlocked:
      moment.radioHostsMode && moment.air?.isPaused === true && settings.blockDonationsWhileChatting,
  }
}

/** An order that was accepted, and where it is paid for. */
export type PlacedOrder = { donation: Donation } & (
  | { flow: 'checkout'; redirectUrl: string }
  | { flow: 'matching'; pageUrl: string; matchCode: string; expiresAt: number }
)

/**
 * Takes an order, which is pending until its payment is confirmed. A checkout that the service refuses leaves nothing behind.
 *
 * @throws Failure TIER_UNAVAILABLE, SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE, DONATIONS_PAUSED,
 * DONATIONS_FULL
 * @throws Error when the payment service does not take it
 */
export async function placeOrder(
  deps: { data: OrderData; provider: PaymentProvider; matchExpiryMin: number },
  moment: OrderMoment,
  order: {
    uid: string
    songId: string
    tier?: number | undefined
    /** Where the donor comes back to. */
    returnUrl: (donationId: string) => string
  },
): Promise<PlacedOrder> {
  const { data, provider } = deps
  const { settings, song, tiers, chattingBlocked } = await priceTrack(deps, moment, order.songId)
  const wanted = settings.tiersEnabled ? (order.tier ?? 1) : 1
  const priced = tiers.find(({ tier }) => tier === wanted)
  if (!priced) throw new Failure('TIER_UNAVAILABLE')
  if (chattingBlocked) throw new Failure('DONATIONS_PAUSED')
  await makeRoomForOrder(data, moment.nowMs)

  const id = randomUUID()
  const createdAt = Math.floor(moment.nowMs)
  const draft: DonationRecord = {
    id,
    uid: order.uid,
    songId: song.id,
    songTitle: song.title,
    songArtist: song.artist,
    provider: provider.id,
    currency: settings.currency,
    amountMinor: priced.amountMinor,
    tier: settings.tiersEnabled ? wanted : null,
    status: 'pending',
    queue: null,
    refusedWhy: null,
    airedAt: null,
    matchCode: null,
    claimKey: id,
    expiresAt: null,
    createdAt,
    paidAt: null,
    reference: null,
  }
  if (provider.flow === 'checkout') {
    const { currency, amountMinor } = draft
    const description = song.artist ? `${song.artist} – ${song.title}` : song.title
    const returnUrl = order.returnUrl(id)
    const { redirectUrl } = await provider.createCheckout({
      donationId: id,
      currency,
      amountMinor,
      description,
      returnUrl,
    })
    return { flow: 'checkout', redirectUrl, donation: await keepOrder(data, draft) }
  }
  const expiresAt = createdAt + deps.matchExpiryMin * 60_000
  for (let attempt = 0; attempt < CODE_ATTEMPTS; attempt++) {
    const matchCode = newCode()
    const inserted = await insertOrder(data, { ...draft, matchCode, claimKey: matchCode, expiresAt })
    if (inserted)
      return { flow: 'matching', pageUrl: provider.pageUrl, matchCode, expiresAt, donation: inserted }
  }
  throw new Error('every code is taken')
}

/** An order of this listener. @throws Failure NOT_FOUND, also for one of somebody else */
export async function findOwnDonation(data: DonationData, id: string, uid: string): Promise<Donation> {
  const donation = await data.donations.get(id)
  if (donation?.uid !== uid) throw new Failure('NOT_FOUND')
  return donation
}

/** Donations within a window up to a date, all that are kept unless it is one of the others; newest first. */
export async function donationHistory(
  data: Pick<DataStore, 'donations'>,
  page: { window: string | undefined; offset: number; limit: number },
  retentionDays: number,
  nowMs: number,
): Promise<HistoryPage> {
  const { window = '', offset, limit } = page
  const mostMs = retentionDays * DAY_MS
  const spanMs = Object.hasOwn(windows, window) ? Math.min(windows[window]!, mostMs) : mostMs
  const found = (await data.donations.find())
    .filter((donation) => dateOfOrder(donation, 'createdAt') > nowMs - spanMs)
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
  return { entries: found.slice(offset, offset + limit).map(historyEntry), total: found.length }
}

/** The currencies of all donations that are kept, in alphabetical order. */
export async function donationCurrencies(data: Pick<DataStore, 'donations'>): Promise<string[]> {
  return currencies(await data.donations.find())
}

/**
 * A song that the queue would take now: nobody shall pay for one that it is sure to refuse.
 *
 * @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE
 */
async function findOrderable(
  data: Pick<DataStore, 'tracks'>,
  { air, mode, nowMs }: OrderMoment,
  songId: string,
): Promise<Readonly<Track>> {
  const song = await data.tracks.get(songId)
  if (!song) throw new Failure('SONG_NOT_FOUND')
  const lock = air && lockOf(air, songId)
  if (lock) throw new Failure('TRACK_LOCKED', { reason: lock })
  if (song.mode !== mode) throw new Failure('SONG_OFF_AIR', { reason: 'wrong_mode' })
  const order = { track: trackRef(song), mode, orderType: 'donated', tier: null } as const
  const obstacle = air && obstacleTo(air, order, nowMs)
  if (obstacle) throw new Failure('SONG_NOT_ORDERABLE', obstacle)
  return song
}

async function keepOrder(data: DonationData, draft: DonationRecord): Promise<Donation> {
  const donation = await insertOrder(data, draft)
  if (!donation) throw new Error(`the order ${draft.id} is there already`)
  return donation
}

/** Null when its code is taken. */
async function insertOrder(data: DonationData, draft: DonationRecord): Promise<Donation | null> {
  const donation = await data.donations.insert(draft)
  if (!donation) return null
  const { id: donationId, createdAt: atMs } = donation
  await recordInLedger(data, {
    donationId,
    event: 'created',
    onceKey: `created ${donationId}`,
    atMs,
    note: '',
  })
  return donation
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
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
