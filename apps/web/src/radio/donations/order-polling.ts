import { isSettled, type Order } from './order.ts'

/** How often the station is asked about the watched order. */
export const POLLING = {
  checkoutMs: 2000,
  checkoutTimes: 10,
  matchingMs: 5000,
  /** A payment made in time may be confirmed this much later. */
  matchingLateMs: 600_000,
  paidMs: 10_000,
}

/** True when the page is visible; a hidden one doesn't poll. */
export interface PageVisibility {
  isHidden(): boolean
  onChange(listener: () => void): void
}

/** Polls the one order that is looked at. */
export interface OrderPolling {
  /** The id of the watched order; null while there is none. */
  readonly watched: string | null
  /** Polls this order instead of another, or none. */
  watch(id: string | null): void
  /** Begins anew, with a question at once. */
  restart(): void
  /** Plans the next question; to be called when the order changed, or may be asked about again. */
  schedule(): void
}

interface Dependencies {
  find(id: string | null): Order | undefined
  read(id: string): Promise<void>
  setPollingOver(id: string, isPollingOver: boolean): void
  visibility: PageVisibility
  /** Station's clock. */
  nowMs(): number
}

export function createOrderPolling(dependencies: Dependencies, pace: typeof POLLING): OrderPolling {
  const { find, read, setPollingOver, visibility, nowMs } = dependencies
  let watched: string | null = null
  let questions = 0
  let isAsking = false
  let timer: ReturnType<typeof setTimeout> | undefined

  /** The delay before the next question; null = none. */
  function delayMs(order: Order): number | null {
    const { status, expiresAt } = order
    if (isSettled(order)) return null
    if (questions === 0) return 0
    if (status === 'paid') return pace.paidMs
    if (expiresAt === null) return questions < pace.checkoutTimes ? pace.checkoutMs : null
    return nowMs() < expiresAt + pace.matchingLateMs ? pace.matchingMs : null
  }

  async function ask(id: string): Promise<void> {
    isAsking = true
    questions++
    await read(id)
    isAsking = false
    polling.schedule()
  }

  const polling: OrderPolling = {
    get watched() {
      return watched
    },
    watch(id) {
      watched = id
      polling.restart()
    },
    restart() {
      questions = 0
      polling.schedule()
    },
    schedule() {
      clearTimeout(timer)
      const order = find(watched)
      if (!order || isAsking || visibility.isHidden()) return
      const waitMs = delayMs(order)
      if (waitMs !== null) timer = setTimeout(() => void ask(order.id), waitMs)
      const isPollingOver = waitMs === null
      if (isPollingOver !== order.isPollingOver) setPollingOver(order.id, isPollingOver)
    },
  }
  return polling
}
