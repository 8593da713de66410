import { randomInt, randomUUID } from 'node:crypto'
import type { donations, Mode, Reply, Track } from '@solstice/contracts'
import { lockOf, type PlayoutState } from '@solstice/playout'
import { mostMinor, readDonationSettings } from './donation-settings.ts'
import { Failure } from './failure.ts'
import { oncePerVersion } from './per-version.ts'
import type { DataStore, DonationRecord, LedgerRecord } from './ports/data-store.ts'
import type { Payment, PaymentProvider, PaymentProviderId } from './ports/payments.ts'
import { tiersOf, toUnits } from './pricing.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>
type OrderData = DonationData & Pick<DataStore, 'settings' | 'tracks'>
type PaidEvent = Extract<Payment, { kind: 'paid' }>
type FailedEvent = Extract<Payment, { kind: 'failed' }>
type HistoryPage = Pick<Reply<typeof donations.getDonationHistory>, 'entries' | 'total'>

const CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 6
/** Codes are so many that two in a row are hardly ever taken. */
const CODE_ATTEMPTS = 20
/** Beyond so many, orders that were never paid go before their time. */
const MOST_RECORDS = 20_000
/** Between two daily purges strangers cannot add more than this. */
const MOST_MORE_RECORDS = 1_000
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
 * @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR
 */
export async function priceSong(
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
    tiers: tiersOf(settings, song.duration, mostMinor(provider, settings.currency)),
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
 * @throws Failure TIER_UNAVAILABLE, SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, DONATIONS_PAUSED
 * @throws Error when the payment service does not take it
 */
export async function orderSong(
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
  const { settings, song, tiers, chattingBlocked } = await priceSong(deps, moment, order.songId)
  const wanted = settings.tiersEnabled ? (order.tier ?? 1) : 1
  const priced = tiers.find(({ tier }) => tier === wanted)
  if (!priced) throw new Failure('TIER_UNAVAILABLE')
  if (chattingBlocked) throw new Failure('DONATIONS_PAUSED')

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

/** What became of a payment that a service confirmed. */
export type Claim =
  /** It pays for the order, which is to be queued from now on. */
  | 'claimed'
  /** It has done so before. */
  | 'known'
  /** It pays for nothing: the ledger says why. */
  | 'refused'

/**
 * A confirmed payment claims its order: once, however often and by how many it is told of, and at every moment of a crash.
 * A payment pays for one order only, and one that is not pending stays as it is. Payment and the order to queue the song are
 * one write.
 *
 * @param onRefused is told why the payment does not pay for this order: once for what the ledger has, each time when there
 * is no such order.
 */
export async function claimPaid(
  data: DonationData,
  donationId: string,
  provider: PaymentProviderId,
  payment: PaidEvent,
  nowMs: number,
  onRefused: (why: string) => void = () => {},
): Promise<Claim> {
  const donation = await data.donations.get(donationId)
  if (!donation) {
    onRefused('unknown_order')
    return 'refused'
  }
  const { reference } = payment
  const paymentKey = `${provider} ${reference}`
  const write = (event: LedgerRecord['event'], onceKey: string, note: string) =>
    noteDonation(data, { donationId, event, onceKey, atMs: nowMs, note })
  const refuse = async (why: string): Promise<Claim> => {
    const isNew = await write('refused', `refused ${paymentKey} ${donationId}`, `${why}: ${paymentKey}`)
    if (isNew) onRefused(why)
    return 'refused'
  }

  const misfit = misfitOf(donation, provider, payment)
  if (misfit) return refuse(misfit)
  // What is written once decides which order a payment belongs to, also when it names several.
  const deliveredKey = `delivered ${paymentKey}`
  if (!(await write('delivered', deliveredKey, paymentKey))) {
    const [delivered] = await data.ledger.find({ onceKey: deliveredKey })
    if (delivered && delivered.donationId !== donationId) return 'refused'
  }
  const paidAt = Math.floor(nowMs)
  const isClaimed =
    (await data.donations.update(
      { id: donationId, status: 'pending' },
      { status: 'paid', queue: 'due', paidAt, reference, claimKey: donationId },
    )) > 0
  const now = await data.donations.get(donationId)
  if (now?.reference !== reference) return refuse('not_pending')
  await noteClaimed(data, now)
  return isClaimed ? 'claimed' : 'known'
}

/** That an order was paid, if the ledger does not have it yet. */
export async function noteClaimed(data: Pick<DataStore, 'ledger'>, donation: Donation): Promise<void> {
  const { id: donationId, provider, reference, paidAt } = donation
  const entry = { donationId, event: 'claimed', atMs: paidAt ?? 0, note: `${provider} ${reference}` } as const
  await noteDonation(data, { ...entry, onceKey: `claimed ${donationId}` })
}

/**
 * The service says that an order will not be paid. Whether it was pending, and is failed now. Saying it again goes on where
 * that broke off.
 *
 * @param tell its donor, before that is settled.
 */
export async function failDonation(
  data: DonationData,
  provider: PaymentProviderId,
  { donationId: id, reference }: FailedEvent,
  nowMs: number,
  tell: (donation: Donation) => void = () => {},
): Promise<boolean> {
  await data.donations.update({ id, provider, status: 'pending' }, { status: 'failed', claimKey: id })
  const donation = await data.donations.get(id)
  if (donation?.provider !== provider || donation.status !== 'failed') return false
  const [settled] = await data.ledger.find({ onceKey: closedKey(id) })
  if (settled) return false
  tell(donation)
  return noteClosed(data, id, `payment_failed: ${provider} ${reference}`, nowMs)
}

/**
 * Pending orders of some services expire when their time is over; how many.
 *
 * @param graceMs for how long a payment that was made in time may still be on its way to us.
 */
export async function expireDonations(
  data: DonationData,
  nowMs: number,
  providers: readonly PaymentProviderId[],
  graceMs: number,
): Promise<number> {
  const isOver = ({ provider, expiresAt }: Donation) =>
    expiresAt !== null && expiresAt + graceMs <= nowMs && providers.includes(provider)
  const over = (await data.donations.find({ status: 'pending' })).filter(isOver)
  await Promise.all(
    over.map(({ id }) => data.donations.update({ id, status: 'pending' }, { status: 'expired' })),
  )
  // Its code is free when the ledger has it: an order that still holds one was left half done.
  const unsettled = (await data.donations.find({ status: 'expired' })).filter(
    ({ id, claimKey }) => claimKey !== id,
  )
  const expired = await Promise.all(
    unsettled.map(async ({ id }) => {
      const isNew = await noteClosed(data, id, 'expired', nowMs)
      await data.donations.update({ id, status: 'expired' }, { claimKey: id })
      return isNew
    }),
  )
  return expired.filter(Boolean).length
}

/** Adds to the ledger what it does not have yet; whether it had not. */
export async function noteDonation(
  data: Pick<DataStore, 'ledger'>,
  entry: Omit<LedgerRecord, 'id'>,
): Promise<boolean> {
  return (await data.ledger.insert({ ...entry, atMs: Math.floor(entry.atMs) })) !== null
}

/** Donations within a window, all that are kept unless it is one of the others; newest first. */
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
    .filter(({ createdAt }) => createdAt > nowMs - spanMs)
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
  return { entries: found.slice(offset, offset + limit).map(historyEntry), total: found.length }
}

/** The currencies of all donations that are kept, in alphabetical order. */
export async function donationCurrencies(data: Pick<DataStore, 'donations'>): Promise<string[]> {
  return currencies(await data.donations.find())
}

/**
 * Forgets donations from before a moment (epoch ms), and beyond 20 000 the oldest of those that were never paid, with all that
 * the ledger says of them; how many donations that were.
 */
export async function purgeDonations(data: DonationData, beforeMs: number): Promise<number> {
  const old = await data.donations.delete(({ createdAt }) => createdAt < beforeMs)
  const surplus = await purgeUnpaid(data)
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  await data.ledger.delete(({ donationId, atMs }) => !kept.has(donationId) && atMs < beforeMs)
  return old + surplus
}

async function purgeUnpaid(data: DonationData): Promise<number> {
  const all = await data.donations.find()
  const surplus = all
    .filter(isUnpaid)
    .sort((a, b) => a.createdAt - b.createdAt)
    .slice(0, Math.max(0, all.length - MOST_RECORDS))
  if (surplus.length === 0) return 0
  const ids = new Set(surplus.map(({ id }) => id))
  // What was paid meanwhile stays.
  const count = await data.donations.delete((donation) => ids.has(donation.id) && isUnpaid(donation))
  const kept = new Set((await data.donations.find()).map(({ id }) => id))
  await data.ledger.delete(({ donationId }) => ids.has(donationId) && !kept.has(donationId))
  return count
}

function isUnpaid({ status }: Donation): boolean {
  return status === 'pending' || status === 'failed' || status === 'expired'
}

/** @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR */
async function findOrderable(
  data: Pick<DataStore, 'tracks'>,
  { air, mode }: OrderMoment,
  songId: string,
): Promise<Readonly<Track>> {
  const song = await data.tracks.get(songId)
  if (!song) throw new Failure('SONG_NOT_FOUND')
  const lock = air && lockOf(air, songId)
  if (lock) throw new Failure('TRACK_LOCKED', { reason: lock })
  if (song.mode !== mode) throw new Failure('SONG_OFF_AIR')
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
  await noteDonation(data, { donationId, event: 'created', onceKey: `created ${donationId}`, atMs, note: '' })
  if ((await data.donations.find()).length > MOST_RECORDS + MOST_MORE_RECORDS) await purgeUnpaid(data)
  return donation
}

function newCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => CODE_LETTERS[randomInt(CODE_LETTERS.length)]).join('')
}

/** Why a payment does not pay for an order; null = it does. */
function misfitOf(donation: Donation, provider: PaymentProviderId, payment: PaidEvent): string | null {
  if (donation.provider !== provider) return 'other_provider'
  if (payment.currency !== donation.currency) return 'other_currency'
  if (payment.amountMinor < donation.amountMinor) return 'too_little'
  return donation.expiresAt !== null && payment.paidAtMs > donation.expiresAt ? 'too_late' : null
}

/** Of what it is that an order will not be heard: that is so once, whatever the reason. */
export const closedKey = (donationId: string) => `refused ${donationId}`

function noteClosed(data: DonationData, donationId: string, note: string, atMs: number): Promise<boolean> {
  return noteDonation(data, { donationId, event: 'refused', onceKey: closedKey(donationId), atMs, note })
}

const currencies = oncePerVersion((all: readonly Donation[]) =>
  [...new Set(all.map(({ currency }) => currency))].sort(),
)

function historyEntry(donation: Donation): HistoryPage['entries'][number] {
  const { id, uid, songId, songTitle, songArtist, provider, currency } = donation
  const { amountMinor, tier, status, createdAt, paidAt } = donation
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
    createdAt,
    paidAt,
  }
}
