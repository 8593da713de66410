import type { Unsubscribe } from '@solstice/station'
import type { Redis } from 'ioredis'

/**
 * Options of a connection for `createSubscriptions`. ioredis writes a SUBSCRIBE before the connection is ready, then asks for
 * INFO, which a subscribed connection may not; and it neither restores nor answers subscriptions made that early. So this
 * connection greets with nothing, and each that replaces it is subscribed by us.
 */
export const subscriberOptions = { enableReadyCheck: false, autoResubscribe: false } as const

/** Channels heard on one connection, by any number of listeners each. */
export interface Subscriptions<Message> {
  /** Resolves when the channel is heard. */
  subscribe(channel: string, listener: (message: Message) => void): Promise<Unsubscribe>
  /** Calls back whenever these channels are heard again after a break: messages may have been missed. */
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
