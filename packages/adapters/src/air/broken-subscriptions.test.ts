import type { Redis } from 'ioredis'
import t from 'tap'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { openBus } from '../../../../tests/harness/stations/bus.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'
import { keys } from './wire.ts'

const never = new AbortController().signal

async function rejectedConnections(redis: Redis): Promise<number> {
  return Number(/rejected_connections:(\d+)/.exec(await redis.info('stats'))![1])
}

const cutOthers = (redis: Redis) => redis.client('KILL', 'SKIPME', 'yes')

/** Redis answers everybody who connects with an error, and ioredis takes it for the answer to the first command. */
async function refuseOthers(redis: Redis): Promise<void> {
  await redis.config('SET', 'maxclients', '1')
  await cutOthers(redis)
}

/** Resolves when all connections were refused several times. */
async function untilRefused(redis: Redis): Promise<void> {
  const before = await rejectedConnections(redis)
  await until('connections were refused', async () => (await rejectedConnections(redis)) >= before + 12)
}

const acceptAll = (redis: Redis) => redis.config('SET', 'maxclients', '1000')

async function untilStandbyListens(redis: Redis): Promise<void> {
  await until('a standby listens', async () => {
    const [, count] = (await redis.pubsub('NUMSUB', keys.leaseFree)) as [string, number]
    return Number(count) === 1
  })
}

t.test('a standby whose subscription is refused waits on, and takes the lease when it is free', async (t) => {
  const { url } = await startRedis(t)
  const { redis, bus } = await openBus(t, url)
  const lease = await bus.acquireLease(never)
  const standby = await openBus(t, url)
  await refuseOthers(redis)
  const taking = standby.bus.acquireLease(never)
  await untilRefused(redis)
  await acceptAll(redis)
  await untilStandbyListens(redis)
  await lease.release()
  await inTime('the standby takes over', taking)
  t.pass('it does')
})

t.test('a standby whose connections are cut listens again, and needs no message', async (t) => {
  const { url } = await startRedis(t)
  const holder = await openBus(t, url)
  await holder.bus.acquireLease(never)
  const { redis } = await openBus(t, url)
  const standby = await openBus(t, url)
  const taking = standby.bus.acquireLease(never)
  for (let cut = 0; cut < 5; cut++) {
    await untilStandbyListens(redis)
    await cutOthers(redis)
  }
  // A killed worker releases nothing.
  await holder.leave()
  await inTime('the standby takes over', taking)
  t.pass('when the lease has expired')
})

t.test('a sender whose subscription was refused sends its next command', async (t) => {
  const { url } = await startRedis(t)
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  const sender = await openBus(t, url)
  await refuseOthers(worker.redis)
  const refused = sender.bus.send({ type: 'library-changed' }).catch(() => {})
  await untilRefused(worker.redis)
  await acceptAll(worker.redis)
  const answering = (async () => {
    for await (const { asker } of lease.commands('0-0')) await lease.answer(asker, { ok: true })
  })()
  t.same(await sender.bus.send({ type: 'settings-changed' }), { ok: true })
  await lease.release()
  await Promise.all([answering, refused])
})
