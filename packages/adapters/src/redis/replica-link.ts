import { createAdapter } from '@socket.io/redis-adapter'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { SOCKET_CHANNEL } from './announcer.ts'
import { type Channel, channelOf } from './channel.ts'
import { anotherConnection, keepAnswering } from './connection.ts'

/** A silent connection is replaced after this time: its news cannot wait for TCP to notice. */
const ANSWER_LIMIT_MS = 3_000

/** The way from one replica of the API to the others. */
export interface ReplicaLink {
  /** socket.io's adapter, which reaches the sockets of other replicas. */
  readonly socketAdapter: ReturnType<typeof createAdapter>
  channel(name: string): Channel
  /** Waits until Redis has taken everything that was sent, unless Redis is away. */
  close(): Promise<void>
}

/** Opens two connections beside `redis`. A message that gets lost later is replaced by the next one of its kind. */
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
