import { createAdapter } from '@socket.io/redis-adapter'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { SOCKET_CHANNEL } from './announcer.ts'
import { type Channel, channelOf } from './channel.ts'
import { anotherConnection, keepAnswering } from './connection.ts'

/** A connection that is silent for longer is made anew: what it was to hear cannot wait for TCP to notice. */
const ANSWER_LIMIT_MS = 3_000

/** How replicas of the API reach each other. */
export interface ReplicaLink {
  /** By which socket.io reaches sockets of other replicas. */
  readonly socketAdapter: ReturnType<typeof createAdapter>
  channel(name: string): Channel
  /** Lets what was sent still arrive, when there is somebody to receive it. */
  close(): Promise<void>
}

/** Two connections of their own beside `redis`, ready to use. What Redis loses later is news that the next news replaces. */
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
