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

/** What could not be applied is tried again after this time, then after twice as long each time, up to the longest. */
const RETRY_MS = 1_000
const MAX_RETRY_MS = 8_000

/** What payment services deliver to this process. */
export interface DeliverySpool {
  /**
   * Resolves when the delivery is written; it takes effect soon, and once.
   *
   * @throws when it cannot be written anywhere.
   */
  keep(provider: PaymentProviderId, payment: Payment): Promise<void>
  /** Resolves when nothing is being applied any more. */
  close(): Promise<void>
}

/** Applies what is delivered, and what a process before this one left on this machine's disk or in the store. */
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
        // What this machine's disk does not give shall not keep what the store has from being applied.
        const [spool, inbox] = await Promise.allSettled([
          drainDeliverySpool(deps),
          applyInbox(deps, clock.nowMs()),
        ])
        for (const part of [spool, inbox]) if (part.status === 'rejected') throw part.reason
        isMore ||= spool.status === 'fulfilled' && spool.value > 0
      }
      retryMs = RETRY_MS
    } catch (error) {
      log.warn({ err: error, retryMs }, 'payments that were delivered cannot be applied yet')
      if (!isClosed) timer = setTimeout(begin, retryMs).unref()
      retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs)
    } finally {
      // In the same turn in which it was seen that there is no more.
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
