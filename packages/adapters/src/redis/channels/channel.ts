import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** A channel between replicas for messages that may get lost. */
export interface Channel {
  /** Publishes to all subscribers; the message is lost while Redis is unavailable. */
  publish(message: string): void
  /**
   * Listens until the returned function is called.
   *
   * @param handlers.onCaughtUp is called when messages arrive from now on, and when publishing works again: at the start, and
   * after each reconnection. Earlier messages may have been missed.
   */
  subscribe(handlers: { onMessage: (message: string) => void; onCaughtUp: () => void }): () => void
}

/**
 * @param publisher a connection without subscriptions.
 * @param subscriber a connection for subscriptions. Both may be used elsewhere too.
 */
export function channelOf(publisher: Redis, subscriber: Redis, name: string, log: Logger): Channel {
  return {
    publish(message) {
      if (publisher.status === 'ready') publisher.publish(name, message).catch(() => {})
    },
    subscribe({ onMessage, onCaughtUp }) {
      const onAnyMessage = (from: string, message: string) => {
        if (from === name) onMessage(message)
      }
      const subscribe = () => {
        subscriber
          .subscribe(name)
          .then(onCaughtUp)
          .catch((error) =>
            log.warn({ err: error, channel: name }, 'subscription to a Redis channel failed; retrying'),
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
