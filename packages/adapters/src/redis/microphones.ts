import type { Microphones, Unsubscribe } from '@solstice/station'
import type { Redis } from 'ioredis'
import { anotherConnection, keepAnswering, PREFIX } from './connection.ts'

const PIECES = `${PREFIX}microphones`
const HEADS = `${PREFIX}microphone-heads`

/** What Redis has not taken yet; more is not speech any longer. */
const MOST_WAITING_BYTES = 2 * 1024 * 1024
const ANSWER_LIMIT_MS = 3_000

/** Microphones over Redis's pub/sub: one byte for the length of the socket id, the id, the piece. */
export function openMicrophones(redis: Redis): Microphones & { close(): void } {
  const connections: Redis[] = []
  const connection = (overrides: Parameters<typeof anotherConnection>[1]) => {
    const made = anotherConnection(redis, overrides)
    keepAnswering(made, ANSWER_LIMIT_MS)
    connections.push(made)
    return made
  }

  // Nobody needs them where there are no hosts. What was on the way when a connection broke is not sent again.
  let publisher: Redis | undefined
  let subscriber: Redis | undefined
  const speaking = () => {
    publisher ??= connection({ autoResendUnfulfilledCommands: false })
    return publisher
  }
  const listeners = new Map<string, Set<(message: Buffer) => void>>()
  const listening = () => {
    if (subscriber) return subscriber
    // As the bus: subscriptions are made anew by us, and nothing is asked of a connection that is subscribed.
    const made = connection({ enableReadyCheck: false, autoResubscribe: false })
    made.on('messageBuffer', (channel: Buffer, message: Buffer) => {
      for (const listener of listeners.get(channel.toString()) ?? []) listener(message)
    })
    made.on('ready', () => {
      if (listeners.size > 0) made.subscribe(...listeners.keys()).catch(() => {})
    })
    subscriber = made
    return made
  }

  let waitingBytes = 0
  let wasReady = false
  const publish = (channel: string, socketId: string, bytes: Buffer) => {
    const to = speaking()
    wasReady ||= to.status === 'ready'
    // The first connection is worth waiting for.
    if (wasReady && to.status !== 'ready') return
    const message = encode(socketId, bytes)
    if (!message || waitingBytes + message.length > MOST_WAITING_BYTES) return
    waitingBytes += message.length
    to.publish(channel, message)
      .catch(() => {})
      .finally(() => {
        waitingBytes -= message.length
      })
  }

  const subscribe = async (channel: string, listener: (message: Buffer) => void): Promise<Unsubscribe> => {
    const set = listeners.get(channel) ?? new Set()
    listeners.set(channel, set.add(listener))
    const unsubscribe = () => {
      set.delete(listener)
      if (set.size > 0 || listeners.get(channel) !== set) return
      listeners.delete(channel)
      subscriber?.unsubscribe(channel).catch(() => {})
    }
    speaking()
    try {
      await listening().subscribe(channel)
    } catch (error) {
      unsubscribe()
      throw error
    }
    return unsubscribe
  }

  return {
    send: ({ socketId, bytes }) => publish(PIECES, socketId, bytes),
    receive: (onPiece) =>
      subscribe(PIECES, (message) => {
        const piece = decode(message)
        if (piece) onPiece(piece)
      }),
    askForHead: (socketId) => publish(HEADS, socketId, Buffer.alloc(0)),
    onHeadWanted: (onWanted) =>
      subscribe(HEADS, (message) => {
        const asked = decode(message)
        if (asked) onWanted(asked.socketId)
      }),
    close() {
      for (const one of connections) one.disconnect()
    },
  }
}

function encode(socketId: string, bytes: Buffer): Buffer | null {
  const id = Buffer.from(socketId)
  return id.length > 255 ? null : Buffer.concat([Buffer.of(id.length), id, bytes])
}

function decode(message: Buffer): { socketId: string; bytes: Buffer } | null {
  const end = 1 + (message[0] ?? 0)
  if (end === 1 || message.length < end) return null
  return { socketId: message.toString('utf8', 1, end), bytes: message.subarray(end) }
}
