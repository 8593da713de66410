import type { MicrophoneLevel, Microphones } from '@solstice/station'
import type { Redis } from 'ioredis'
import { anotherConnection, keepAnswering, PREFIX } from '../connection.ts'
import { createSubscriptions, type Subscriptions, subscriberOptions } from './subscriptions.ts'

const PIECES = `${PREFIX}microphones`
const HEADS = `${PREFIX}microphone-heads`
const LEVELS = `${PREFIX}microphone-levels`

/** Bytes that Redis has not accepted yet; speech beyond them would arrive too late to be mixed. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024
const SILENCE_TIMEOUT_MS = 3_000

/**
 * Opens microphones over Redis pub/sub. A message of speech is one byte for the length of the socket id, the id and the piece;
 * levels are JSON.
 */
export function openMicrophones(redis: Redis): Microphones & { close(): void } {
  const connections: Redis[] = []
  const connect = (overrides: Parameters<typeof anotherConnection>[1]) => {
    const connection = anotherConnection(redis, overrides)
    keepAnswering(connection, SILENCE_TIMEOUT_MS)
    connections.push(connection)
    return connection
  }
  // Opened on first use: a station without hosts does not need them.
  let publisher: ReturnType<typeof createPublisher> | undefined
  const speaking = () => {
    // Speech that was in flight when a connection broke is stale.
    publisher ??= createPublisher(connect({ autoResendUnfulfilledCommands: false }))
    return publisher
  }
  let subscriptions: Subscriptions<Buffer> | undefined
  const subscribe = (channel: string, listener: (message: Buffer) => void) => {
    speaking()
    subscriptions ??= createSubscriptions(connect(subscriberOptions), (message) => message)
    return subscriptions.subscribe(channel, listener)
  }

  return {
    send: ({ socketId, bytes }) => speaking().publish(PIECES, encode(socketId, bytes)),
    receive: (onPiece) =>
      subscribe(PIECES, (message) => {
        const piece = decode(message)
        if (piece) onPiece(piece)
      }),
    askForHead: (socketId) => speaking().publish(HEADS, encode(socketId, Buffer.alloc(0))),
    onHeadWanted: (onWanted) =>
      subscribe(HEADS, (message) => {
        const asked = decode(message)
        if (asked) onWanted(asked.socketId)
      }),
    tellLevels: (levels) => speaking().publish(LEVELS, Buffer.from(JSON.stringify(levels))),
    onLevels: (onLevels) =>
      subscribe(LEVELS, (message) => {
        const levels = decodeLevels(message)
        if (levels) onLevels(levels)
      }),
    close() {
      for (const connection of connections) connection.disconnect()
    },
  }
}

/** Publishes pieces while Redis keeps up, and drops the others. */
function createPublisher(connection: Redis) {
  let waitingBytes = 0
  let wasReady = false
  return {
    publish(channel: string, message: Buffer | null) {
      wasReady ||= connection.status === 'ready'
      // Messages are queued only until the first connection is ready.
      if (wasReady && connection.status !== 'ready') return
      if (!message || waitingBytes + message.length > MAX_WAITING_BYTES) return
      waitingBytes += message.length
      connection
        .publish(channel, message)
        .catch(() => {})
        .finally(() => {
          waitingBytes -= message.length
        })
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

function decodeLevels(message: Buffer): MicrophoneLevel[] | null {
  try {
    const levels: unknown = JSON.parse(message.toString())
    return Array.isArray(levels) ? levels : null
  } catch {
    return null
  }
}
