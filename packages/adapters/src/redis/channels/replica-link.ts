import { createAdapter } from '@socket.io/redis-adapter'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { anotherConnection, keepAnswering } from '../connection.ts'
import { SOCKET_CHANNEL } from './announcer.ts'
import { type Channel, channelOf } from './channel.ts'

/** A silent connection is replaced after this: messages cannot wait until TCP notices. */
const ANSWER_LIMIT_MS = 3_000

/** Connects a replica of the API with the others. */
export interface ReplicaLink {
  /** The socket.io adapter that reaches the sockets of other replicas. */
  readonly socketAdapter: ReturnType<typeof createAdapter>
  channel(name: string): Channel
  /** Waits until Redis has accepted all messages, unless it is unavailable. */
  close(): Promise<void>
}

/** Opens two connections beside `redis`. Messages may get lost; the next one of the same kind makes up for it. */
export async function openReplicaLink(redis: Redis, log: Logger): Promise<ReplicaLink> {
  const connections = [anotherConnection(redis), anotherConnection(redis)] as const
  await Promise.all(connections.map((connection) => connection.ping()))
  for (const connection of connections) keepAnswering(connection, ANSWER_LIMIT_MS)
  const [publisher, subscriber] = connections
  return {
    socketAdapter: createAdapter(publisher, subscriber, { key: SOCKET_CHANNEL }),
    channel: (name) => channelOf(publisher, subscriber, name, log),
    async close() {
      await Promise.all(connections.map(disconnect))
    },
  }
}

async function disconnect(connection: Redis): Promise<void> {
  if (connection.status === 'ready') await connection.quit().catch(() => {})
  else connection.disconnect()
}
