import { readStoredList, writeStored } from '../../ui/browser-storage.ts'
import { localNowMs } from '../connection/station-clock.ts'
import { isOrderId, newOrder, type Order, type Ticket } from './order.ts'

const ORDERS = 'radio_donations'
const TICKETS = 'radio_donation_tickets'
export const MAX_ORDERS = 5
export const ORDER_LIFE_MS = 24 * 3_600_000

/** The orders this browser remembers, with the tickets this tab remembers. */
export function loadOrders(): Order[] {
  // Only this page writes to its tab's storage, so the shape is known.
  const tickets = new Map(readStoredList(TICKETS, 'sessionStorage') as [string, Ticket][])
  return storedIds()
    .slice(0, MAX_ORDERS)
    .map(([id, sinceMs]) => ({ ...newOrder(id, sinceMs), ticket: tickets.get(id) ?? null }))
}

/** Puts an order first among the remembered ones. */
export function storeOrder(id: string): void {
  writeIds([[id, localNowMs()], ...otherIds(id)])
}

export function removeOrder(id: string): void {
  writeIds(otherIds(id))
}

/** In this tab only; survives the reload that phones do to tabs that weren't seen for a while. */
export function storeTickets(orders: readonly Order[]): void {
  const tickets = orders.flatMap(({ id, ticket }) => (ticket ? [[id, ticket]] : []))
  writeStored(TICKETS, JSON.stringify(tickets), 'sessionStorage')
}

/** Ids and since when they are known, also those of other tabs. */
function storedIds(): [id: string, sinceMs: number][] {
  const nowMs = localNowMs()
  return readStoredList(ORDERS).flatMap((stored): [string, number][] => {
    const [id, sinceMs] = Array.isArray(stored) ? stored : []
    const isValid = isOrderId(id) && typeof sinceMs === 'number'
    return isValid && Math.abs(nowMs - sinceMs) < ORDER_LIFE_MS ? [[id, sinceMs]] : []
  })
}

const otherIds = (id: string) => storedIds().filter(([other]) => other !== id)

const writeIds = (ids: [string, number][]) => writeStored(ORDERS, JSON.stringify(ids.slice(0, MAX_ORDERS)))
