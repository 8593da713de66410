import { randomUUID } from 'node:crypto'
import type { Mode, Track } from '@solstice/contracts'
import { lockOf, obstacleTo, type PlayoutState } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { typedCode } from '../core/typed-code.ts'
import { trackRef } from '../library/library.ts'
import type { DataStore, DonationRecord } from '../ports/data/data-store.ts'
import type { PaymentProvider } from '../ports/payments.ts'
import { makeRoomForOrder } from './expire.ts'
import { recordInLedger } from './ledger.ts'
import { tiersOf } from './pricing.ts'
import { maxAmountMinor, readDonationSettings } from './settings.ts'

type Donation = Readonly<DonationRecord>
type DonationData = Pick<DataStore, 'donations' | 'ledger'>
type OrderData = DonationData & Pick<DataStore, 'settings' | 'tracks'>

const CODE_LENGTH = 6
/** 32⁶ codes: a second collision in a row is practically impossible. */
const CODE_ATTEMPTS = 20

/** The air at the moment of an order or of a question for its price. */
export interface OrderMoment {
  nowMs: number
  /** The mode on air. */
  mode: Mode
  /** Advanced to `nowMs`; null while no state is known. */
  air: PlayoutState | null
  /** True when this station has live hosts. */
  radioHostsMode: boolean
}

/**
 * The price of queueing a track now.
 *
 * @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE
 */
export async function priceTrack(
  deps: { data: Pick<DataStore, 'settings' | 'tracks'>; provider: PaymentProvider },
  moment: OrderMoment,
  trackId: string,
) {
  const { data, provider } = deps
  const settings = await readDonationSettings(data, provider)
  const track = await findOrderable(data, moment, trackId)
  return {
    settings,
    track,
    tiers: tiersOf(settings, track.duration, maxAmountMinor(provider, settings.currency)),
    chattingBlocked:
      moment.radioHostsMode && moment.air?.isPaused === true && settings.blockDonationsWhileChatting,
  }
}

/** An accepted order, and where it is paid for. */
export type PlacedOrder = { donation: Donation } & (
  | { flow: 'checkout'; redirectUrl: string }
  | { flow: 'matching'; pageUrl: string; matchCode: string; expiresAt: number }
)

/**
 * Places an order, which is pending until its payment is confirmed. A checkout that the service refuses leaves no order.
 *
 * @throws Failure TIER_UNAVAILABLE, SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE, DONATIONS_PAUSED,
 * DONATIONS_FULL
 * @throws Error when the payment service refuses the checkout
 */
export async function placeOrder(
  deps: { data: OrderData; provider: PaymentProvider; matchExpiryMin: number },
  moment: OrderMoment,
  order: {
    uid: string
    trackId: string
    tier?: number | undefined
    /** The page to which the service sends the donor back. */
    returnUrl: (donationId: string) => string
  },
): Promise<PlacedOrder> {
  const { data, provider } = deps
  const { settings, track, tiers, chattingBlocked } = await priceTrack(deps, moment, order.trackId)
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
    songId: track.id,
    songTitle: track.title,
    songArtist: track.artist,
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
    const description = track.artist ? `${track.artist} – ${track.title}` : track.title
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
    const matchCode = typedCode(CODE_LENGTH)
    const inserted = await insertOrder(data, { ...draft, matchCode, claimKey: matchCode, expiresAt })
    if (inserted)
      return { flow: 'matching', pageUrl: provider.pageUrl, matchCode, expiresAt, donation: inserted }
  }
  throw new Error('no free code found')
}

/**
 * The track, if the queue would take it now: nobody shall pay for one that is sure to be refused.
 *
 * @throws Failure SONG_NOT_FOUND, TRACK_LOCKED, SONG_OFF_AIR, SONG_NOT_ORDERABLE
 */
async function findOrderable(
  data: Pick<DataStore, 'tracks'>,
  { air, mode, nowMs }: OrderMoment,
  trackId: string,
): Promise<Readonly<Track>> {
  const track = await data.tracks.get(trackId)
  if (!track) throw new Failure('SONG_NOT_FOUND')
  const lock = air && lockOf(air, trackId)
  if (lock) throw new Failure('TRACK_LOCKED', { reason: lock })
  if (track.mode !== mode) throw new Failure('SONG_OFF_AIR', { reason: 'wrong_mode' })
  const order = { track: trackRef(track), mode, orderType: 'donated', tier: null } as const
  const obstacle = air && obstacleTo(air, order, nowMs)
  if (obstacle) throw new Failure('SONG_NOT_ORDERABLE', obstacle)
  return track
}

async function keepOrder(data: DonationData, draft: DonationRecord): Promise<Donation> {
  const donation = await insertOrder(data, draft)
  if (!donation) throw new Error(`order ${draft.id} exists already`)
  return donation
}

/** @returns null when the code is taken. */
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
