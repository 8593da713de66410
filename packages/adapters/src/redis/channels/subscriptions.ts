import type { Unsubscribe } from '@solstice/station'
import type { Redis } from 'ioredis'

/**
 * Options of a connection for `createSubscriptions`. ioredis writes a SUBSCRIBE before the connection is ready, then sends
 * INFO, which a subscribed connection may not; and it neither restores nor answers subscriptions made that early. So the
 * ready check is off, and `createSubscriptions` subscribes again after each reconnection.
 */
export const subscriberOptions = { enableReadyCheck: false, autoResubscribe: false } as const

/** Subscriptions on one connection, with any number of listeners per channel. */
export interface Subscriptions<Message> {
  /** Resolves when Redis has confirmed the subscription. */
  subscribe(channel: string, listener: (message: Message) => void): Promise<Unsubscribe>
  /** Calls back whenever these channels are subscribed again after a break: messages may have been missed. */
  onRestored(channels: string[], listener: () => Promise<void>): Unsubscribe
}

export function createSubscriptions<Message>(
  connection: Redis,
  decode: (bytes: Buffer) => Message,
): Subscriptions<Message> {
  const listeners = new Map<string, Set<(message: Message) => void>>()
  connection.on('messageBuffer', (channel: Buffer, bytes: Buffer) => {
    const message = decode(bytes)
    for (const listener of listeners.get(channel.toString()) ?? []) listener(message)
  })
  connection.on('ready', () => {
    if (listeners.size > 0) connection.subscribe(...listeners.keys()).catch(() => {})
  })
  return {
    async subscribe(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      const unsubscribe = () => {
        set.delete(listener)
        if (set.size > 0 || listeners.get(channel) !== set) return
        listeners.delete(channel)
        connection.unsubscribe(channel).catch(() => {})
      }
      try {
        await connection.subscribe(channel)
      } catch (error) {
        unsubscribe()
        throw error
      }
      return unsubscribe
    },
    onRestored(channels, listener) {
      const restore = () => {
        connection
          .subscribe(...channels)
          .then(listener)
          .catch(() => {})
      }
      connection.on('ready', restore)
      return () => connection.off('ready', restore)
    },
  }
}
