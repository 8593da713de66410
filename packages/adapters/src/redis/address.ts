import { Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress } from '../config/servers/addresses.ts'
import { connectorTo } from './primary-watch.ts'

/** A server or sentinel that was lost with its machine does not refuse connections: it does not answer. */
const CONNECT_TIMEOUT_MS = 1_000
/** The longest wait between two looks for the primary. */
const LOOK_AGAIN_MS = 250

/** Opens a connection. Copies of it (`duplicate`) look for the primary as it does. */
export function connectTo(address: RedisAddress, options: RedisOptions): Redis {
  if (typeof address === 'string') return new Redis(address, options)
  const { sentinels, name, sentinelPassword, url } = address
  const isEncrypted = new URL(url).protocol === 'rediss:'
  const { retryStrategy } = options
  const lookAgain = (attempt: number) => {
    const delayMs = retryStrategy?.(attempt)
    return typeof delayMs === 'number' ? Math.min(delayMs, LOOK_AGAIN_MS * (1 + Math.random() / 2)) : null
  }
  return new Redis(url, {
    ...options,
    sentinels,
    name,
    Connector: connectorTo(address),
    connectTimeout: CONNECT_TIMEOUT_MS,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: lookAgain,
    ...(sentinelPassword && { sentinelPassword }),
    ...(isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    // When all sentinels were asked in turn.
    sentinelRetryStrategy: lookAgain,
    // A primary that was replaced while we were connected refuses writes: the command is sent again to the new one.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  })
}

/** True when a write has to reach a second server before it counts as safe. */
export function hasReplicas(redis: Redis): boolean {
  return Boolean(redis.options.sentinels?.length)
}
