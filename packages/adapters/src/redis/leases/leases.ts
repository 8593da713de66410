import { Deferred, type Leases, sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'

/** Limits how long a holder that died keeps others waiting. */
const LEASE_MS = 30_000
/** Cheap, yet soon enough to restore a lease that expired because the wall clock was set forward. */
const RENEW_EVERY_MS = 1_000
const TRY_EVERY_MS = 50
/** A job that waits longer lets others run first: it may be waiting for one of them. */
const MAX_WAIT_MS = 500

const TAKE = readScript(new URL('./take.lua', import.meta.url))
const RELEASE = readScript(new URL('./release.lua', import.meta.url))

/** Opens leases in Redis. They keep jobs apart but do not fence, so writes must be compare-and-set. */
export function openLeases(redis: Redis): Leases {
  return {
    async hold(holder, names, stopping, work, leaseMs = LEASE_MS) {
      const keys = names.map((name) => `${PREFIX}lease:${name}`)
      const losing = new AbortController()
      if (keys.length === 0) return work(losing.signal)
      const take = async () =>
        (await answered(redis, redis.eval(TAKE, keys.length, ...keys, holder, leaseMs))) === 1
      const giveWayMs = performance.now() + MAX_WAIT_MS
      while (!(await take())) {
        if (performance.now() > giveWayMs)
          throw new Deferred('locked', new Error('another change holds the lease'))
        await sleep(TRY_EVERY_MS, { signal: stopping })
      }
      const renew = async () => {
        if (!(await take())) losing.abort(new Error('another holder has taken the lease'))
      }
      const renewing = setInterval(() => void renew().catch(() => {}), RENEW_EVERY_MS)
      let isDeferred = false
      try {
        return await work(losing.signal)
      } catch (error) {
        isDeferred = error instanceof Deferred
        throw error
      } finally {
        clearInterval(renewing)
        if (isDeferred) await take().catch(() => {})
        else await answered(redis, redis.eval(RELEASE, keys.length, ...keys, holder)).catch(() => {})
      }
    },
  }
}
