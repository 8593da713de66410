import type { Redis } from 'ioredis'
import { clockKeys } from '../../redis/clock/station-clock.ts'
import { answered } from '../../redis/connection.ts'
import { readScript } from '../../redis/script.ts'
import { keys } from '../wire.ts'

/** Duration of a lease: a holder that is silent for longer has lost it. */
export const LEASE_MS = 4_000

const READ = readScript(new URL('./is-held.lua', import.meta.url), new URL('./read.lua', import.meta.url))

/** Reads the state of the lease on the air and the last fencing token; 0 when Redis knows of none. */
export async function readLease(redis: Redis): Promise<{ isHeld: boolean; fencingToken: number }> {
  const { alive, ahead } = clockKeys
  const reading = redis.eval(READ, 4, keys.lease, alive, ahead, keys.fencingToken, LEASE_MS)
  const [held, fencingToken] = (await answered(redis, reading)) as [number, string]
  return { isHeld: held === 1, fencingToken: Number(fencingToken) }
}
