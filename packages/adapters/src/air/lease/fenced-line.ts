import { sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { anotherConnection, answered } from '../../redis/connection.ts'
import { createReplicationWait } from '../../redis/replication.ts'
import { type LeaseKeeper, RENEWAL_TIMEOUT_MS } from './keeper.ts'

const RETRY_MS = 100

/** Errors that pass: of the connection, or of a Redis that takes no writes, for instance because its disk is full. */
const TRANSIENT =
  /Connection|closed|ECONN|EPIPE|LOADING|timed out|in time|MISCONF|OOM|READONLY|NOREPLICAS|BUSY /i

/** A connection for the writes of a lease holder; it is closed when the lease ends. */
export interface FencedLine {
  readonly keeper: LeaseKeeper
  /** Sends on this connection, which is made anew when Redis does not answer in time. */
  ask<T>(send: (line: Redis) => Promise<T>): Promise<T>
  /** Repeats a request while its error is transient and the lease is held. */
  repeat<T>(request: () => Promise<T>): Promise<T>
  /** Repeats a request that writes until a replica has what it wrote, where Redis has any. @throws when the lease is lost */
  settle<T>(request: () => Promise<T>): Promise<T>
  /**
   * Writes one entry of a stream under the next id of this holder, and resolves when a replica has it, where Redis has any.
   * When the answer to a write got lost, the entry is found by its id, and this resolves to null; it is written again when a
   * failover lost it. @throws when the lease is lost
   */
  write<T>(key: string, send: (line: Redis, id: string) => Promise<T>): Promise<T | null>
}

export function createFencedLine(redis: Redis, keeper: LeaseKeeper, log: Logger): FencedLine {
  const line = anotherConnection(redis)
  keeper.lost.addEventListener('abort', () => line.disconnect(), { once: true })
  const replicated = createReplicationWait(log)
  let count = 0

  const ask: FencedLine['ask'] = (send) => answered(line, send(line), RENEWAL_TIMEOUT_MS)
  const repeat: FencedLine['repeat'] = async (request) => {
    for (;;) {
      keeper.ensureHeld()
      try {
        return await request()
      } catch (error) {
        if (!TRANSIENT.test(String(error))) throw error
        await sleep(RETRY_MS)
      }
    }
  }
  const settle: FencedLine['settle'] = (request) =>
    repeat(async () => {
      const written = await request()
      await ask(replicated)
      return written
    })
  return {
    keeper,
    ask,
    repeat,
    settle,
    write(key, send) {
      const id = `${keeper.fencingToken}-${++count}`
      const isThere = async (error: unknown) => {
        if (!/equal or smaller/.test(String(error))) throw error
        const [last] = await redis.xrevrange(key, '+', '-', 'COUNT', 1)
        if (last?.[0] !== id) keeper.lose('another worker has written')
        keeper.lost.throwIfAborted()
        // Changes nothing, but is a write of this connection: a replica that has it has the entry as well.
        await ask((line) => line.call('XSETID', key, id))
        return null
      }
      return settle(() => ask((line) => send(line, id)).catch(isThere))
    },
  }
}
