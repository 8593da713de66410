import type { DonationStatus, LibraryItem } from '@solstice/contracts'
import { parsedUrl } from '../../ui/parsed-url.ts'
import type { Airing } from '../timeline.ts'

/** Details that the station gives only once; the tab in which the order was placed remembers them. */
export interface Ticket {
  song: LibraryItem
  amount: number
  currency: string
  /** The page on which it is paid. */
  payAt: string
}

/** An order of this listener. Times are by the station's clock unless stated otherwise. */
export interface Order {
  id: string
  /** When this browser learnt of it; local clock. */
  sinceMs: number
  /** Null before the station said it; `unknown` = the station has no such order of this listener. */
  status: DonationStatus | 'unknown' | null
  /** For the message of a donation; null for orders paid at a checkout. */
  matchCode: string | null
  expiresAt: number | null
  airsAt: number | null
  /** When `airsAt` was read: if it was past by then, it is the time at which the track began. */
  readAtMs: number
  ticket: Ticket | null
  /** The status is not polled any more; the station announces the outcome by itself. */
  isPollingOver: boolean
}

/** How far apart two statements of the same moment may be. */
const SAME_MOMENT_MS = 15_000
const ID = /^[\w-]{1,100}$/

export const isOrderId = (id: unknown): id is string => typeof id === 'string' && ID.test(id)

/** An order of which only the id is known. */
export const newOrder = (id: string, sinceMs: number): Order => ({
  id,
  sinceMs,
  status: null,
  matchCode: null,
  expiresAt: null,
  airsAt: null,
  readAtMs: 0,
  ticket: null,
  isPollingOver: false,
})

/** True when the status won't change any more. */
export const isSettled = ({ status, airsAt, readAtMs }: Order): boolean =>
  status === 'paid' ? airsAt !== null && airsAt <= readAtMs : status !== null && status !== 'pending'

/** When the track of a paid order airs; `soon` = at an unknown time, or due and not heard yet. */
export type Airtime = { is: 'soon' } | { is: 'expected' | 'was'; atMs: number } | { is: 'now' }

/** @param heard what the listener hears at `nowMs` (station's clock). */
export function airtimeOf(order: Order, heard: Airing | null, nowMs: number): Airtime {
  const { airsAt: atMs, ticket, readAtMs } = order
  if (atMs === null) return { is: 'soon' }
  const isNear = heard !== null && Math.abs(heard.startedAtMs - atMs) < SAME_MOMENT_MS
  const isItsTrack = ticket ? heard?.state.track === ticket.song.id : isNear
  if (heard?.state.orderType === 'donated' && isItsTrack && atMs < nowMs + SAME_MOMENT_MS)
    return { is: 'now' }
  if (atMs > nowMs) return { is: 'expected', atMs }
  const isOver = atMs <= readAtMs && (!heard || heard.startedAtMs > atMs)
  return isOver ? { is: 'was', atMs } : { is: 'soon' }
}

/** An address without the order id that a checkout added, and that id ('' if malformed); null when it has none. */
export function withoutDonation(href: string): { href: string; id: string } | null {
  const url = new URL(href)
  const id = url.searchParams.get('donation')
  if (id === null) return null
  url.searchParams.delete('donation')
  return { href: url.href, id: isOrderId(id) ? id : '' }
}

/** True when an address is safe to link to. */
export const isWebAddress = (address: string): boolean => /^https?:$/.test(parsedUrl(address)?.protocol ?? '')
