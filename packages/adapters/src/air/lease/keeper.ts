import type { Redis } from 'ioredis'
import { hasReplicas } from '../../redis/address.ts'
import { anchorOf, clockKeys, moveExpiries } from '../../redis/clock/station-clock.ts'
import { answered } from '../../redis/connection.ts'
import { readScript } from '../../redis/script.ts'
import { type BusLines, keys } from '../wire.ts'

const RENEW_EVERY_MS = 1_000
/** The holder stops by itself before others may take the lease for expired. */
export const RENEWAL_TIMEOUT_MS = 3_000
/**
 * While servers agree on another primary nobody can take the lease, and a holder that keeps it goes on without a catch-up: what
 * it has to write waits in its memory. Where only the holder is cut off, another one takes the lease meanwhile, and Redis
 * refuses what this one writes later. Twice as long as sentinels with the delays of deploy/sentinels.yml take.
 */
const FAILOVER_TIMEOUT_MS = 8_000

const timeoutOf = (redis: Redis) => (hasReplicas(redis) ? FAILOVER_TIMEOUT_MS : RENEWAL_TIMEOUT_MS)

/** A holder that Redis does not answer has lost its lease after this time, and saves nothing any more. */
export const maxHeldMs = (redis: Redis): number => timeoutOf(redis) + RENEW_EVERY_MS

const RENEW = readScript(new URL('./renew.lua', import.meta.url))
const RELEASE = readScript(new URL('./release.lua', import.meta.url))

/** Renews a lease until it is lost or released. */
export interface LeaseKeeper {
  /** Id of the holder, by which scripts know it. */
  readonly holder: string
  readonly fencingToken: string
  readonly lost: AbortSignal
  /** Ends the lease on this side. */
  lose(reason: string): void
  /** @throws when the lease is lost, or was not renewed because the whole process was suspended */
  ensureHeld(): void
  release(): Promise<void>
}

export function createLeaseKeeper(
  { redis, clock, log }: BusLines,
  holder: string,
  fencingToken: string,
): LeaseKeeper {
  const lost = new AbortController()
  const timeoutMs = timeoutOf(redis)
  let renewedMs = performance.now()
  const unrenewedMs = () => performance.now() - renewedMs

  const end = () => {
    clearInterval(renewing)
    lost.abort(new Error('the lease is lost'))
  }
  const lose = (reason: string) => {
    if (lost.signal.aborted) return
    log.warn({ about: 'lease', fencingToken }, `lease lost: ${reason}`)
    end()
  }
  const renew = async () => {
    const { alive, ahead, anchor } = clockKeys
    const [nowMs, aheadMs] = [clock.nowMs(), clock.aheadMs()]
    const written = [keys.lease, alive, ahead, anchor]
    const renewal = redis.eval(RENEW, written.length, ...written, holder, nowMs, aheadMs, anchorOf(nowMs))
    try {
      const beforeMs = await answered(redis, renewal)
      if (beforeMs === null) return lose('held by another worker')
      renewedMs = performance.now()
      await moveExpiries(redis, Number(beforeMs) - aheadMs)
    } catch {
      // The timer decides.
    }
  }
  const renewing = setInterval(() => {
    if (unrenewedMs() > timeoutMs) lose('not renewed in time')
    else void renew()
  }, RENEW_EVERY_MS)
  void renew()
  log.info({ about: 'lease', fencingToken }, 'lease acquired')

  return {
    holder,
    fencingToken,
    lost: lost.signal,
    lose,
    ensureHeld() {
      lost.signal.throwIfAborted()
      if (unrenewedMs() > maxHeldMs(redis)) lose('this process was suspended')
      lost.signal.throwIfAborted()
    },
    async release() {
      if (lost.signal.aborted) return
      const released = redis.eval(RELEASE, 2, keys.lease, keys.leaseFree, holder)
      await answered(redis, released).catch(() => {})
      end()
    },
  }
}
