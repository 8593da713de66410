import { sleep } from '@solstice/station'
import type { Redis } from 'ioredis'
import { anotherConnection, answered } from '../redis/connection.ts'
import { compareIds, entriesOf } from './wire.ts'

const BLOCK_MS = 1_000
const RETRY_MS = 200

/** Ids that are known again after a failover: it loses no more than the last moments. */
const REMEMBERED_IDS = 1_000

/**
 * The entries of a Redis stream behind `after`, in order, until `stop`. Failed reads are repeated. A stream whose ids began
 * anew below `after`, because Redis was emptied and its clock set back, is read from its beginning; one that only lost its
 * tail in a failover is read on, and no entry twice. The connection is closed with `stop`, or when the loop over the entries
 * ends.
 */
export async function* followStream(
  redis: Redis,
  key: string,
  after: string,
  count: number,
  stop: AbortSignal,
): AsyncGenerator<[id: string, fields: Buffer[]]> {
  // Aborted before: the event never comes, and nobody would close the connection.
  if (stop.aborted) return
  const reader = anotherConnection(redis)
  const close = () => reader.disconnect()
  const remembered = new Set<string>()
  stop.addEventListener('abort', close, { once: true })
  try {
    while (!stop.aborted) {
      const read = reader.xreadBuffer('COUNT', count, 'BLOCK', BLOCK_MS, 'STREAMS', key, after)
      const reply = await answered(reader, read, BLOCK_MS + 3_000).catch(() => undefined)
      if (stop.aborted) return
      if (reply === undefined) await sleep(RETRY_MS)
      for (const [idBytes, fields] of entriesOf(reply)) {
        after = idBytes.toString()
        if (remembered.has(after)) continue
        remembered.add(after)
        if (remembered.size > REMEMBERED_IDS) remembered.delete(remembered.values().next().value!)
        yield [after, fields]
      }
      const last = reply === null ? await lastId(reader, key).catch(() => null) : null
      if (last !== null && compareIds(last, after) < 0) after = remembered.has(last) ? last : '0-0'
    }
  } finally {
    stop.removeEventListener('abort', close)
    if (!stop.aborted) close()
  }
}

/** The highest id that a stream ever had, also when that entry was deleted; '0-0' for none. */
export async function lastId(redis: Redis, key: string): Promise<string> {
  const [exists, facts] = await answered(
    redis,
    Promise.all([redis.exists(key), redis.xinfo('STREAM', key).catch(() => [])]),
  )
  const told = facts as unknown[]
  return exists === 0 ? '0-0' : String(told[told.indexOf('last-generated-id') + 1])
}
