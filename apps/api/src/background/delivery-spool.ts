import {
  applyInbox,
  type DataStore,
  drainDeliverySpool,
  type InboxRecord,
  type Payment,
  type PaymentDeps,
  type PaymentProviderId,
  type Spool,
  storeDelivery,
  type WallClock,
} from '@solstice/station'
import type { Logger } from 'pino'

/** The delay doubles with each failed attempt. */
const RETRY_MS = 1_000
const MAX_RETRY_MS = 8_000

/** Deliveries of payment services to this process. */
export interface DeliverySpool {
  /**
   * Resolves when the delivery is on disk or in the store; it takes effect soon, exactly once.
   *
   * @throws when it cannot be written anywhere.
   */
  keep(provider: PaymentProviderId, payment: Payment): Promise<void>
  /** Resolves when the current delivery has been applied. */
  close(): Promise<void>
}

/** Applies deliveries, including those that an earlier process left on this machine's disk or in the store. */
export function openDeliverySpool(
  deps: PaymentDeps & { data: DataStore; spool: Spool<InboxRecord>; clock: WallClock; log: Logger },
): DeliverySpool {
  const { clock, log } = deps
  let working: Promise<void> | null = null
  let isMore = false
  let isClosed = false
  let retryMs = RETRY_MS
  let timer: NodeJS.Timeout | undefined

  const work = async () => {
    try {
      while (isMore && !isClosed) {
        isMore = false
        // An unreadable disk must not keep deliveries in the store from being applied.
        const [spool, inbox] = await Promise.allSettled([
          drainDeliverySpool(deps),
          applyInbox(deps, clock.nowMs()),
        ])
        for (const part of [spool, inbox]) if (part.status === 'rejected') throw part.reason
        isMore ||= spool.status === 'fulfilled' && spool.value > 0
      }
      retryMs = RETRY_MS
    } catch (error) {
      log.warn({ err: error, retryMs }, 'deliveries could not be applied; retrying')
      if (!isClosed) timer = setTimeout(begin, retryMs).unref()
      retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs)
    } finally {
      // Synchronously after `isMore` was found false, so that no delivery falls between.
      working = null
    }
  }
  const begin = () => {
    isMore = true
    if (isClosed) return
    clearTimeout(timer)
    working ??= work()
  }
  begin()

  return {
    async keep(provider, payment) {
      await storeDelivery(deps, { provider, payment, nowMs: clock.nowMs() })
      begin()
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}
