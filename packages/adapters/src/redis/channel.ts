import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** A channel between replicas for messages that may get lost. */
export interface Channel {
  /** Publishes to all subscribers; lost while Redis is away. */
  publish(message: string): void
  /**
   * Hears the channel until the function that comes back is called.
   *
   * @param hear.onCaughtUp is called when the channel is heard from now on, and when it can be spoken on again: at the
   * start, and whenever a connection was made anew; what was said before may have been missed.
   */
  hear(hear: { onMessage: (message: string) => void; onCaughtUp: () => void }): () => void
}

/**
 * @param publisher a connection for all else than subscriptions.
 * @param subscriber a connection in subscribed state. Both may be shared.
 */
export function channelOf(publisher: Redis, subscriber: Redis, name: string, log: Logger): Channel {
  return {
    publish(message) {
      if (publisher.status === 'ready') publisher.publish(name, message).catch(() => {})
    },
    hear({ onMessage, onCaughtUp }) {
      const onAnyMessage = (from: string, message: string) => {
        if (from === name) onMessage(message)
      }
      const subscribe = () => {
        subscriber
          .subscribe(name)
          .then(onCaughtUp)
          .catch((error) =>
            log.warn({ err: error, channel: name }, 'a channel of Redis is not heard for now'),
          )
      }
      subscriber.on('message', onAnyMessage)
      subscriber.on('ready', subscribe)
      publisher.on('ready', onCaughtUp)
      subscribe()
      return () => {
        subscriber.off('message', onAnyMessage)
        subscriber.off('ready', subscribe)
        publisher.off('ready', onCaughtUp)
      }
    },
  }
}

/** The content of a message; null when it is not JSON. */
export function readMessage(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return null
  }
}
