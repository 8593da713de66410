import type { DonationStatus, donations, LibraryItem, Reply, ServerPayload } from '@solstice/contracts'
import { ApiError, get, post } from '../../api.ts'
import { createStore, type Store } from '../../ui/store.ts'
import { localNowMs } from '../connection/station-clock.ts'
import type { LinkState } from '../connection/station-socket.ts'
import { isSettled, newOrder, type Order } from './order.ts'
import { createOrderPolling, type PageVisibility, POLLING } from './order-polling.ts'
import {
  loadOrders,
  MAX_ORDERS,
  ORDER_LIFE_MS,
  removeOrder,
  storeOrder,
  storeTickets,
} from './order-storage.ts'

/** The price of a track now. */
export type Offer = Reply<typeof donations.getDonationTiers>
/** An order that the station has taken, and where to pay for it. */
type PlacedOrder = Reply<typeof donations.createDonation>

/** The outcome of an order that nobody was watching. */
export interface OrderNews {
  is: Exclude<DonationStatus, 'pending'>
  track: { title: string; artist: string } | null
  /** Local clock. */
  sinceMs: number
}

/** The listener's paid orders. */
export interface Donations {
  /** Open orders, and those whose outcome wasn't looked at yet; newest first, for a day at most. */
  readonly orders: Store<readonly Order[]>
  /** The latest. */
  readonly news: Store<OrderNews | null>
  /** @throws as `get` */
  offer(trackId: string): Promise<Offer>
  /** Places an order and remembers it. @throws as `post` */
  order(track: LibraryItem, priced: { tier: number; price: number; currency: string }): Promise<PlacedOrder>
  /** The donor came back from a checkout, maybe one that was begun in another tab. */
  returned(id: string): void
  /** Polls an order until the returned function is called. One at a time. */
  watch(id: string): () => void
  /** Polls the watched order again. */
  checkNow(): void
  /** Asks once about each order that isn't settled. */
  refresh(): void
  /** The listener doesn't want to see the order any more. */
  forget(id: string): void
}

interface Station {
  link: Store<LinkState>
  /** Epoch ms. */
  nowMs(): number
  onResult(listener: (result: ServerPayload<'donation_result'>) => void): void
}

export function createDonations(
  station: Station,
  visibility: PageVisibility = browserVisibility,
  pace: typeof POLLING = POLLING,
): Donations {
  const book = createOrderBook(() => polling.watched)
  const { orders, find, add, update, forget } = book
  let isRefreshing = false

  const read = async (id: string) => update(id, await readOrder(id, station.nowMs))

  const polling = createOrderPolling(
    {
      find,
      read,
      setPollingOver: (id, isPollingOver) => update(id, { isPollingOver }),
      visibility,
      nowMs: station.nowMs,
    },
    pace,
  )

  async function refresh(): Promise<void> {
    if (isRefreshing || visibility.isHidden()) return
    isRefreshing = true
    for (const order of orders.value) {
      if (localNowMs() - order.sinceMs > ORDER_LIFE_MS) forget(order.id)
      else if (!isSettled(order)) await read(order.id)
    }
    isRefreshing = false
    polling.schedule()
  }

  station.onResult(({ donationId: id, ...result }) => {
    // Listeners behind the same address get each other's results.
    if (!find(id)) return
    if (!result.accepted) return update(id, { status: refusals[result.reason] })
    update(id, { status: 'paid' })
    if (id === polling.watched) polling.restart()
    else void read(id)
  })
  station.link.subscribe((link) => {
    // Announcements made while offline were missed.
    if (link === 'online') void refresh()
  })
  visibility.onChange(() => {
    polling.schedule()
    void refresh()
  })

  return {
    orders,
    news: book.news,
    offer: (trackId) => get('/api/public/donations/tiers', { songId: trackId }),
    async order(track, priced) {
      const placed = await post('/api/public/donations/create', { songId: track.id, tier: priced.tier })
      add(orderOf(placed, track, priced))
      return placed
    },
    returned(id) {
      if (!find(id)) add(newOrder(id, localNowMs()))
    },
    watch(id) {
      polling.watch(id)
      return () => {
        if (polling.watched !== id) return
        polling.watch(null)
        const order = find(id)
        if (order && isSettled(order)) forget(id)
      }
    },
    checkNow: polling.restart,
    refresh: () => void refresh(),
    forget,
  }
}

const refusals = { payment_failed: 'failed', no_slot: 'paid_unqueued', paid_back: 'paid_back' } as const

/** The orders in memory, kept in step with the browser's storage. */
function createOrderBook(watched: () => string | null) {
  const orders = createStore<readonly Order[]>(loadOrders())
  const news = createStore<OrderNews | null>(null)
  const find = (id: string | null) => orders.value.find((order) => order.id === id)

  function add(order: Order): void {
    storeOrder(order.id)
    orders.set([order, ...orders.value.filter(({ id }) => id !== order.id)].slice(0, MAX_ORDERS))
    storeTickets(orders.value)
  }

  function forget(id: string): void {
    removeOrder(id)
    orders.set(orders.value.filter((order) => order.id !== id))
    storeTickets(orders.value)
  }

  function update(id: string, change: Partial<Order>): void {
    const before = find(id)
    if (!before) return
    // An answer that was read before a payment may arrive after the news of it.
    const isStale = change.status === 'pending' && before.status !== null && before.status !== 'pending'
    if (isStale) return
    const order = { ...before, ...change }
    orders.set(orders.value.map((other) => (other.id === id ? order : other)))
    const { status, ticket } = order
    const isWatched = id === watched()
    // An outcome is remembered until it is seen; a track that is heard needs no reminder.
    if (isSettled(order) && (isWatched || status === 'paid')) removeOrder(id)
    if (isWatched || status === before.status) return
    if (status === 'unknown') forget(id)
    else if (status !== null && status !== 'pending' && before.status !== null)
      news.set({ is: status, track: ticket?.song ?? null, sinceMs: localNowMs() })
  }

  return { orders, news, find, add, update, forget }
}

/** The status of an order; no fields when the station can't be reached. */
async function readOrder(id: string, nowMs: () => number): Promise<Partial<Order>> {
  try {
    const { status, matchCode, expiresAt, airsAt } = await get('/api/public/donations/:id/status', { id })
    return { status, matchCode, expiresAt, airsAt, readAtMs: nowMs() }
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? { status: 'unknown' } : {}
  }
}

function orderOf(
  placed: PlacedOrder,
  track: LibraryItem,
  { price, currency }: { price: number; currency: string },
): Order {
  const order: Order = { ...newOrder(placed.donationId, localNowMs()), status: 'pending' }
  if (placed.flowType !== 'matching')
    return { ...order, ticket: { song: track, amount: price, currency, payAt: placed.redirectUrl } }
  return {
    ...order,
    matchCode: placed.matchCode,
    expiresAt: placed.expiresAt,
    ticket: { song: track, amount: placed.amount, currency: placed.currency, payAt: placed.pageUrl },
  }
}

const browserVisibility: PageVisibility = {
  isHidden: () => document.visibilityState === 'hidden',
  onChange: (listener) => document.addEventListener('visibilitychange', listener),
}
