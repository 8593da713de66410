import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { hasReplicas } from './address.ts'

/** Waiting for a replica delays the acknowledgement of a write, and all later writes of the connection. */
const WAIT_MS = 500
/** … while no replica answers anyway. */
const WAIT_WITHOUT_REPLICA_MS = 20

/**
 * Makes a function that resolves when the writes sent before on a connection are held by one replica, so that they outlive
 * the primary. With a Redis of its own it does nothing. It rejects when the connection breaks: the writes may then be lost,
 * and have to be sent again.
 *
 * Without a replica it depends on the servers. With `min-replicas-to-write` it rejects after 500 ms: a primary that is cut off
 * from the others must not acknowledge what they will not know. Without, it says so once and waits no more than 20 ms until
 * there is one again: a station that lost its only replica goes on.
 */
export function createReplicationWait(log: Logger): (redis: Redis) => Promise<void> {
  let isReplicated = true
  return async (redis) => {
    if (!hasReplicas(redis)) return
    const { stream } = redis
    const count = await redis.wait(1, isReplicated ? WAIT_MS : WAIT_WITHOUT_REPLICA_MS)
    // ioredis asks again on a new connection, whose server need not know what was written on the one before.
    if (redis.stream !== stream) throw new Error('Connection broke before a replica confirmed a write.')
    if (count === 0 && (await isStrict(redis)))
      throw new Error('NOREPLICAS No replica confirmed a write in time.')
    if (count > 0 === isReplicated) return
    isReplicated = count > 0
    if (isReplicated) log.info({ about: 'Redis' }, 'writes reach a replica of Redis again')
    else log.warn({ about: 'Redis' }, 'no replica of Redis confirms writes; a failover may lose them')
  }
}

/** Redis tells of replicas that are good enough only where it asks for some. */
const isStrict = async (redis: Redis) => (await redis.info('replication')).includes('min_slaves_good_slaves')
