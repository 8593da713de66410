import type { DonationStatus, donations, LibraryItem, Reply, ServerPayload } from '@solstice/contracts'
import { ApiError, get, post } from '../api.ts'
import { readStored, writeStored } from '../ui/browser-storage.ts'
import { createStore, type Store } from '../ui/store.ts'
import type { LinkState } from './connection.ts'
import { localNowMs } from './station-clock.ts'
import type { Airing } from './timeline.ts'

/** What it costs to support a song now. */
export type Offer = Reply<typeof donations.getDonationTiers>
/** An order that the station has taken, and where it is paid for. */
export type PlacedOrder = Reply<typeof donations.createDonation>

/** What the station does not say a second time: known to the tab in which the order was placed. */
export interface Ticket {
  song: LibraryItem
  amount: number
  currency: string
  /** The page on which it is paid. */
  payAt: string
}

/** An order of this listener; times are of the station's clock unless said otherwise. */
export interface Order {
  id: string
  /** When it became known here; local clock. */
  sinceMs: number
  /** Null before the station said it; `unknown` = it knows no such order of this listener. */
  status: DonationStatus | 'unknown' | null
  /** For the comment of a donation; null where one pays at a checkout. */
  matchCode: string | null
  expiresAt: number | null
  airsAt: number | null
  /** When `airsAt` was told: what was past by then is when the song began. */
  toldAtMs: number
  ticket: Ticket | null
  /** The station was asked often enough for now: what becomes of the order is told by itself. */
  isPollingOver: boolean
}

/** What became of an order while nobody looked at it. */
export interface OrderNews {
  is: Exclude<DonationStatus, 'pending'>
  song: { title: string; artist: string } | null
  /** Local clock. */
  sinceMs: number
}

/** The listener's paid orders. */
export interface Donations {
  /** Those that are open, and those whose outcome was not looked at yet; newest first. For a day at most. */
  readonly orders: Store<readonly Order[]>
  /** The last that became known while nobody looked. */
  readonly news: Store<OrderNews | null>
  /** @throws as `get` */
  offer(songId: string): Promise<Offer>
  /** Orders a song, and remembers the order. @throws as `post` */
  order(song: LibraryItem, priced: { tier: number; price: number; currency: string }): Promise<PlacedOrder>
  /** The donor came back from a checkout, maybe one that was begun in another tab. */
  returned(id: string): void
  /** Somebody looks at an order, and it is asked about, until the returned function is called. One at a time. */
  watch(id: string): () => void
  /** Asks once more about the order that is looked at. */
  checkNow(): void
  /** Asks once about each order of which there is more to hear. */
  refresh(): void
  /** The listener does not want to see it any more. */
  forget(id: string): void
}

/** How often the station is asked about the order that is looked at. */
export const POLLING = {
  checkoutMs: 2000,
  checkoutTimes: 10,
  matchingMs: 5000,
  /** Also after its time: a payment may be on its way that long. */
  matchingLateMs: 600_000,
  paidMs: 10_000,
}

/** Whether the page is seen; nobody is asked for the sake of one that is not. */
export interface PageVisibility {
  isHidden(): boolean
  onChange(changed: () => void): void
}

const KEPT = 'radio_donations'
const KEPT_TICKETS = 'radio_donation_tickets'
const MOST_ORDERS = 5
const LIFE_MS = 24 * 3_600_000
/** How far apart two tellings of the same moment may be. */
const NEAR_MS = 15_000
const ID = /^[\w-]{1,100}$/

/** Where the song of a paid order is; `soon` = its moment is not known, or has come and is not heard yet. */
export type Airtime = { is: 'soon' } | { is: 'expected' | 'was'; atMs: number } | { is: 'now' }

/** @param heard what the listener hears at this moment (station's clock). */
export function airtimeOf(order: Order, heard: Airing | null, nowMs: number): Airtime {
  const { airsAt: atMs, ticket, toldAtMs } = order
  if (atMs === null) return { is: 'soon' }
  const isNear = heard !== null && Math.abs(heard.startedAtMs - atMs) < NEAR_MS
  const isItsSong = ticket ? heard?.state.track === ticket.song.id : isNear
  if (heard?.state.orderType === 'donated' && isItsSong && atMs < nowMs + NEAR_MS) return { is: 'now' }
  if (atMs > nowMs) return { is: 'expected', atMs }
  const isOver = atMs <= toldAtMs && (!heard || heard.startedAtMs > atMs)
  return isOver ? { is: 'was', atMs } : { is: 'soon' }
}

/** An address without what a checkout has added to it, and the id of the order that it named; null when it named none. */
export function withoutDonation(href: string): { href: string; id: string } | null {
  const url = new URL(href)
  const id = url.searchParams.get('donation')
  if (id === null) return null
  url.searchParams.delete('donation')
  return { href: url.href, id: ID.test(id) ? id : '' }
}

/** The address of a page on which one pays, as a link may have it. */
export const isWebAddress = (address: string): boolean =>
  URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

/** Whether there is nothing more to hear of it. */
const isOver = ({ status, airsAt, toldAtMs }: Order): boolean =>
  status === 'paid' ? airsAt !== null && airsAt <= toldAtMs : status !== null && status !== 'pending'

export function createDonations(
  station: {
    link: Store<LinkState>
    /** Epoch ms. */
    nowMs(): number
    onResult(told: (result: ServerPayload<'donation_result'>) => void): void
  },
  sight: PageVisibility = browserSight,
  pace: typeof POLLING = POLLING,
): Donations {
  const orders = createStore<readonly Order[]>(recallOrders())
  const news = createStore<OrderNews | null>(null)
  let watched: string | null = null
  /** How often the station was asked since somebody looks. */
  let asks = 0
  let isAsking = false
  let isRefreshing = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const find = (id: string | null) => orders.value.find((order) => order.id === id)

  function add(order: Order): void {
    keepOrder(order.id, true)
    orders.set([order, ...orders.value.filter(({ id }) => id !== order.id)].slice(0, MOST_ORDERS))
    keepTickets(orders.value)
  }

  function forget(id: string): void {
    keepOrder(id, false)
    orders.set(orders.value.filter((order) => order.id !== id))
    keepTickets(orders.value)
  }

  function learn(id: string, told: Partial<Order>): void {
    const before = find(id)
    if (!before) return
    // What was read before a payment may come after the news of it.
    const isStale = told.status === 'pending' && before.status !== null && before.status !== 'pending'
    if (isStale) return
    const order = { ...before, ...told }
    orders.set(orders.value.map((other) => (other.id === id ? order : other)))
    const { status, ticket } = order
    // An outcome that nobody saw is remembered until somebody does; that a song is heard need not be.
    if (isOver(order) && (id === watched || status === 'paid')) keepOrder(id, false)
    if (id === watched || status === before.status) return
    if (status === 'unknown') forget(id)
    else if (status !== null && status !== 'pending' && before.status !== null)
      news.set({ is: status, song: ticket?.song ?? null, sinceMs: localNowMs() })
  }

  async function read(id: string): Promise<void> {
    try {
      const { status, matchCode, expiresAt, airsAt } = await get('/api/public/donations/:id/status', { id })
      learn(id, { status, matchCode, expiresAt, airsAt, toldAtMs: station.nowMs() })
    } catch (error) {
      // Whatever else went wrong: the next time may be better.
      if (error instanceof ApiError && error.status === 404) learn(id, { status: 'unknown' })
    }
  }

  /** How long to wait before the station is asked about an order again; null = not at all. */
  function pauseMs(order: Order): number | null {
    const { status, expiresAt } = order
    if (isOver(order)) return null
    if (asks === 0) return 0
    if (status === 'paid') return pace.paidMs
    if (expiresAt === null) return asks < pace.checkoutTimes ? pace.checkoutMs : null
    return station.nowMs() < expiresAt + pace.matchingLateMs ? pace.matchingMs : null
  }

  function plan(): void {
    clearTimeout(timer)
    const order = find(watched)
    if (!order || isAsking || sight.isHidden()) return
    const waitMs = pauseMs(order)
    if (waitMs !== null) timer = setTimeout(() => void ask(order.id), waitMs)
    const isLeftAlone = waitMs === null
    if (isLeftAlone !== order.isPollingOver) learn(order.id, { isPollingOver: isLeftAlone })
  }

  async function ask(id: string): Promise<void> {
    isAsking = true
    asks++
    await read(id)
    isAsking = false
    plan()
  }

  function askAgain(): void {
    asks = 0
    plan()
  }

  async function refresh(): Promise<void> {
    if (isRefreshing || sight.isHidden()) return
    isRefreshing = true
    for (const order of orders.value) {
      if (localNowMs() - order.sinceMs > LIFE_MS) forget(order.id)
      else if (!isOver(order)) await read(order.id)
    }
    isRefreshing = false
    plan()
  }

  station.onResult((result) => {
    const order = find(result.donationId)
    // Others may share the address of this listener, and with it the news.
    if (!order) return
    const { id } = order
    if (!result.accepted)
      return learn(id, { status: result.reason === 'no_slot' ? 'paid_unqueued' : 'failed' })
    learn(id, { status: 'paid' })
    if (id === watched) askAgain()
    else void read(id)
  })
  // What was said meanwhile was not heard.
  station.link.subscribe((link) => {
    if (link === 'online') void refresh()
  })
  sight.onChange(() => {
    plan()
    void refresh()
  })

  return {
    orders,
    news,
    offer: (songId) => get('/api/public/donations/tiers', { songId }),
    async order(song, { tier, price, currency }) {
      const placed = await post('/api/public/donations/create', { songId: song.id, tier })
      const isMatching = placed.flowType === 'matching'
      add({
        ...unheardOf(placed.donationId),
        status: 'pending',
        matchCode: isMatching ? placed.matchCode : null,
        expiresAt: isMatching ? placed.expiresAt : null,
        ticket: isMatching
          ? { song, amount: placed.amount, currency: placed.currency, payAt: placed.pageUrl }
          : { song, amount: price, currency, payAt: placed.redirectUrl },
      })
      return placed
    },
    returned(id) {
      if (!find(id)) add(unheardOf(id))
    },
    watch(id) {
      watched = id
      askAgain()
      return () => {
        if (watched !== id) return
        watched = null
        clearTimeout(timer)
        const order = find(id)
        if (order && isOver(order)) forget(id)
      }
    },
    checkNow: askAgain,
    refresh: () => void refresh(),
    forget,
  }
}

const unheardOf = (id: string, sinceMs = localNowMs()): Order => ({
  id,
  sinceMs,
  status: null,
  matchCode: null,
  expiresAt: null,
  airsAt: null,
  toldAtMs: 0,
  ticket: null,
  isPollingOver: false,
})

/** The ids of orders that this browser remembers, and since when; those of other tabs too. */
function keptOrders(): [id: string, sinceMs: number][] {
  const nowMs = localNowMs()
  return listOf(readStored(KEPT)).flatMap((kept): [string, number][] => {
    const [id, sinceMs] = Array.isArray(kept) ? kept : []
    const isSound = typeof id === 'string' && ID.test(id) && typeof sinceMs === 'number'
    return isSound && Math.abs(nowMs - sinceMs) < LIFE_MS ? [[id, sinceMs]] : []
  })
}

function keepOrder(id: string, isKept: boolean): void {
  const others = keptOrders().filter(([other]) => other !== id)
  const all = isKept ? [[id, localNowMs()], ...others] : others
  writeStored(KEPT, JSON.stringify(all.slice(0, MOST_ORDERS)))
}

/** In this tab only: a reload, as phones do of tabs that were not seen for a while, shall not cost the donor the page. */
function keepTickets(orders: readonly Order[]): void {
  const tickets = orders.flatMap(({ id, ticket }) => (ticket ? [[id, ticket]] : []))
  writeStored(KEPT_TICKETS, JSON.stringify(tickets), 'sessionStorage')
}

function recallOrders(): Order[] {
  // Only this page writes into its own tab's storage.
  const tickets = new Map(listOf(readStored(KEPT_TICKETS, 'sessionStorage')) as [string, Ticket][])
  return keptOrders()
    .slice(0, MOST_ORDERS)
    .map(([id, sinceMs]) => ({ ...unheardOf(id, sinceMs), ticket: tickets.get(id) ?? null }))
}

function listOf(json: string | null): unknown[] {
  try {
    const list: unknown = JSON.parse(json ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

const browserSight: PageVisibility = {
  isHidden: () => document.visibilityState === 'hidden',
  onChange: (changed) => document.addEventListener('visibilitychange', changed),
}
