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
  /**
   * Calls back with each message, and whenever the channel is subscribed, at first or again: messages may have been missed. Waits for nothing
   * and never fails, so that its caller outlives each break.
   */
  watch(channel: string, onNews: () => void): Unsubscribe
  /** Calls back whenever these channels are subscribed again after a break: messages may have been missed. */
  onRestored(channels: string[], listener: () => Promise<void>): Unsubscribe
}

export function createSubscriptions<Message>(
  connection: Redis,
  decode: (bytes: Buffer) => Message,
): Subscriptions<Message> {
  const listeners = new Map<string, Set<(message: Message) => void>>()
  const restores = new Set<() => void>()
  connection.on('messageBuffer', (channel: Buffer, bytes: Buffer) => {
    const message = decode(bytes)
    for (const listener of listeners.get(channel.toString()) ?? []) listener(message)
  })
  connection.on('ready', () => {
    if (listeners.size > 0) connection.subscribe(...listeners.keys()).catch(() => {})
    for (const restore of restores) restore()
  })
  const listen = (channel: string, listener: (message: Message) => void): Unsubscribe => {
    const set = listeners.get(channel) ?? new Set()
    listeners.set(channel, set.add(listener))
    return () => {
      set.delete(listener)
      if (set.size > 0 || listeners.get(channel) !== set) return
      listeners.delete(channel)
      connection.unsubscribe(channel).catch(() => {})
    }
  }
  const onRestored: Subscriptions<Message>['onRestored'] = (channels, listener) => {
    const restore = () => {
      connection
        .subscribe(...channels)
        .then(listener)
        .catch(() => {})
    }
    restores.add(restore)
    return () => restores.delete(restore)
  }
  return {
    async subscribe(channel, listener) {
      const unsubscribe = listen(channel, listener)
      try {
        await connection.subscribe(channel)
      } catch (error) {
        unsubscribe()
        throw error
      }
      return unsubscribe
    },
    watch(channel, onNews) {
      const unsubscribe = listen(channel, onNews)
      const forget = onRestored([channel], async () => onNews())
      connection.subscribe(channel).then(onNews, () => {})
      return () => {
        forget()
        unsubscribe()
      }
    },
    onRestored,
  }
}
