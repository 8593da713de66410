import { type Bus, repeatTogether, type WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createSubscriptions, subscriberOptions } from '../redis/channels/subscriptions.ts'
import { anotherConnection, answered } from '../redis/connection.ts'
import { createSender } from './commands.ts'
import { followState } from './follow-state.ts'
import { followStream } from './follow-stream.ts'
import { acquireLease } from './lease/lease.ts'
import { type BusLines, decodeChunk, keys } from './wire.ts'

const HEARTBEAT_MS = 1_000
/** Without an answer for longer Redis counts as away. */
const SILENCE_TIMEOUT_MS = 3_000
const CHUNKS_PER_READ = 64

/** The bus over Redis: streams for what must be neither lost nor doubled, pub/sub for news. */
export function openRedisBus(redis: Redis, clock: WallClock, log: Logger): Bus {
  const closing = new AbortController()
  const subscriber = anotherConnection(redis, subscriberOptions)
  const subscriptions = createSubscriptions(subscriber, (bytes) => bytes.toString())
  const lines: BusLines = { redis, clock, log, subscriptions }
  const heartbeat = startHeartbeat(redis, subscriber)

  return {
    send: createSender(lines),

    follow: (onState) => followState({ redis, log, subscriptions, closing: closing.signal }, onState),

    async *frames(signal, mount) {
      const stop = AbortSignal.any([signal, closing.signal])
      for await (const [, fields] of followStream(redis, keys.frames(mount), '0-0', CHUNKS_PER_READ, stop)) {
        const chunk = decodeChunk(fields)
        if (chunk) yield chunk
      }
    },

    acquireLease: (signal, mounts) => acquireLease(lines, AbortSignal.any([signal, closing.signal]), mounts),

    isConnected: () => redis.status === 'ready' && heartbeat.silentMs() < SILENCE_TIMEOUT_MS,

    async close() {
      closing.abort()
      heartbeat.stop()
      subscriber.disconnect()
    },
  }
}

/** Pings both connections, so that a dead one is noticed and replaced. */
function startHeartbeat(redis: Redis, subscriber: Redis) {
  let lastAnswerMs = performance.now()
  const stop = repeatTogether(HEARTBEAT_MS, () => {
    for (const connection of [redis, subscriber]) {
      // Pings would pile up on a connection that is away.
      if (connection.status !== 'ready') continue
      answered(connection, connection.ping()).then(
        () => {
          if (connection === redis) lastAnswerMs = performance.now()
        },
        () => {},
      )
    }
  })
  return { silentMs: () => performance.now() - lastAnswerMs, stop }
}
