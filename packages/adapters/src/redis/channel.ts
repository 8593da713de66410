import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/**
 * Hears a channel of Redis until the function that comes back is called.
 *
 * @param subscriber a connection in subscribed state, which may be shared.
 * @param hear.onCaughtUp is called when the channel is heard from now on: at the start, and whenever the connection was
 * made anew; what was said before may have been missed.
 */
export function hearChannel(
  subscriber: Redis,
  channel: string,
  hear: { onMessage: (message: string) => void; onCaughtUp: () => void },
  log: Logger,
): () => void {
  const onMessage = (from: string, message: string) => {
    if (from === channel) hear.onMessage(message)
  }
  const subscribe = () => {
    subscriber
      .subscribe(channel)
      .then(hear.onCaughtUp)
      .catch((error) => log.warn({ err: error, channel }, 'a channel of Redis is not heard for now'))
  }
  subscriber.on('message', onMessage)
  subscriber.on('ready', subscribe)
  subscribe()
  return () => {
    subscriber.off('message', onMessage)
    subscriber.off('ready', subscribe)
  }
}

/** What a message says, or null when it is no JSON. */
export function readMessage(message: string): unknown {
  try {
    return JSON.parse(message)
  } catch {
    return null
  }
}
