import type { Order } from '../../radio/donations/order.ts'
import type { RequestNews } from '../../radio/requests.ts'
import { isKeptTrack, type KeptTrack } from './favourites.ts'
import { type StoredList, storedList } from './stored-list.ts'

const outcomes = [
  ...['sent', 'accepted', 'rejected', 'expired', 'failed'],
  ...['pending', 'paid', 'paid_unqueued', 'paid_back', 'unpaid', 'late'],
  'played',
] as const

/**
 * `sent` to `failed` are of free requests (`expired`: nobody answered), `pending` to `late` of paid ones (`unpaid`: the payment
 * failed, `late`: its time expired).
 */
export type Outcome =
  | 'sent'
  | 'accepted'
  | 'rejected'
  | 'expired'
  | 'failed'
  | 'pending'
  | 'paid'
  | 'paid_unqueued'
  | 'paid_back'
  | 'unpaid'
  | 'late'
  | 'played'

/** A request that was sent from this device. */
export interface LoggedRequest {
  track: KeptTrack
  /** Local clock, epoch ms. */
  atMs: number
  is: Outcome
  /** Of a paid one. */
  orderId?: string
}

const MAX_REQUESTS = 100
/** The station forgets a request long before. */
const ANSWERED_WITHIN_MS = 24 * 3_600_000

/** Latest first; this device only. */
export const requestLog: StoredList<LoggedRequest> = storedList(
  'radio_requests',
  (value): value is LoggedRequest => {
    const { track, atMs, is } = (value ?? {}) as Record<string, unknown>
    return isKeptTrack(track) && typeof atMs === 'number' && (outcomes as readonly unknown[]).includes(is)
  },
  MAX_REQUESTS,
)

type Log = readonly LoggedRequest[]

/** The log after news of a free request. Refusals before it was sent are no requests. */
export function withNews(log: Log, { is, track, sinceMs }: RequestNews): Log {
  const { id, title, artist } = track
  if (is === 'sent') return [{ track: { id, title, artist }, atMs: sinceMs, is }, ...log]
  if (is !== 'accepted' && is !== 'rejected' && is !== 'expired') return log
  return changed(log, (entry) => entry.is === 'sent' && isOf(entry, id, sinceMs), is)
}

const ofOrders: Partial<Record<Exclude<Order['status'], null>, Outcome>> = {
  pending: 'pending',
  paid: 'paid',
  paid_unqueued: 'paid_unqueued',
  paid_back: 'paid_back',
  failed: 'unpaid',
  expired: 'late',
}

/** The log after a change of the orders. One whose track this tab never knew is not logged. */
export const withOrders = (log: Log, orders: readonly Order[]): Log => orders.reduceRight(withOrder, log)

function withOrder(log: Log, { id, status, ticket, sinceMs }: Order): Log {
  const is = status && ofOrders[status as keyof typeof ofOrders]
  const known = log.find(({ orderId }) => orderId === id)
  if (!is || known?.is === is || known?.is === 'played') return log
  if (known) return log.map((entry) => (entry === known ? { ...entry, is } : entry))
  if (!ticket) return log
  const track = { id: ticket.song.id, title: ticket.song.title, artist: ticket.song.artist }
  return [{ track, atMs: sinceMs, is, orderId: id }, ...log]
}

/** The log when a requested or paid track is heard: the oldest that waits for it has been played. */
export function withHeard(
  log: Log,
  { track, orderType }: { track: string | null; orderType: 'donated' | 'lastinline' | null },
  nowMs: number,
): Log {
  const waiting = orderType === 'donated' ? 'paid' : orderType === 'lastinline' ? 'accepted' : null
  if (!waiting || !track) return log
  const entry = log.findLast((entry) => entry.is === waiting && isOf(entry, track, nowMs))
  return entry ? log.map((other) => (other === entry ? { ...entry, is: 'played' } : other)) : log
}

const isOf = ({ track, atMs }: LoggedRequest, trackId: string, nowMs: number) =>
  track.id === trackId && nowMs - atMs < ANSWERED_WITHIN_MS

function changed(log: Log, matches: (entry: LoggedRequest) => boolean, is: Outcome): Log {
  const entry = log.find(matches)
  return entry ? log.map((other) => (other === entry ? { ...entry, is } : other)) : log
}
