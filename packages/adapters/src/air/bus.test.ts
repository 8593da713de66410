import { EventEmitter, once } from 'node:events'
import type { PlayoutState } from '@solstice/playout'
import { initialState } from '@solstice/playout'
import { type AirLease, type Bus, type FrameChunk, sleep, timeLimit } from '@solstice/station'
import type { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { openLine } from '../../../../tests/harness/servers/line.ts'
import { openBus } from '../../../../tests/harness/stations/bus.ts'
import { until } from '../../../../tests/harness/until.ts'
import { openRedis } from '../redis/connection.ts'
import { openRedisBus } from './bus.ts'
import { LEASE_MS } from './lease/status.ts'

const log = pino({ level: 'silent' })
const never = new AbortController().signal
const state = (serial: number): PlayoutState => ({
  ...initialState(1, 'clock', { natural: 'day', changes: [] }, 0),
  serial,
})
const chunk = (frame: number): FrameChunk => ({
  frame,
  frames: 19,
  atMs: frame * 26,
  byte: frame * 400,
  audio: Buffer.from([frame & 255, 0xff, 0x00, 0x0a]),
  markers: [],
})

async function firstChunks(bus: Bus, count: number): Promise<FrameChunk[]> {
  const chunks: FrameChunk[] = []
  const stop = new AbortController()
  for await (const c of bus.frames(stop.signal)) {
    chunks.push(c)
    if (chunks.length === count) break
  }
  stop.abort()
  return chunks
}

const lost = (lease: AirLease) =>
  new Promise<void>((resolve) =>
    lease.lost.aborted ? resolve() : lease.lost.addEventListener('abort', () => resolve()),
  )

t.test('a command is answered by the lease holder, after its state was saved', async (t) => {
  const { url } = await startRedis(t)
  const asker = await openBus(t, url)
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  t.equal(await lease.resume(), null)
  await lease.save(state(1))

  const seen: number[] = []
  let told = () => {}
  const toldTwo = new Promise<void>((resolve) => {
    told = resolve
  })
  await asker.bus.follow((s) => {
    seen.push(s.serial)
    if (s.serial === 2) told()
  })
  const serving = (async () => {
    for await (const { id, asker: from } of lease.commands('0-0')) {
      await lease.save({ ...state(2), appliedThrough: id })
      await lease.answer(from, { ok: true })
      return id
    }
    return null
  })()
  t.same(await asker.bus.send({ type: 'library-changed' }), { ok: true })
  const id = await serving
  await toldTwo
  t.same(seen, [1, 2], 'a follower gets the saved state and every change')
  t.equal((await lease.resume())?.state.appliedThrough, id)
})

t.test('who follows before its connection is ready misses nothing', async (t) => {
  const { url } = await startRedis(t)
  const worker = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  await lease.save(state(1))

  const redis = await openRedis(url, log, true)
  const duplicate = redis.duplicate.bind(redis)
  const connections: Redis[] = []
  redis.duplicate = (...overrides) => {
    const connection = duplicate(...overrides)
    connections.push(connection)
    return connection
  }
  const bus = openRedisBus(redis, worker.clock, log)
  t.teardown(async () => {
    await bus.close()
    redis.disconnect()
  })
  const [subscriber] = connections
  await once(subscriber!, 'connect')
  const news = new EventEmitter()
  const changed = once(news, 'state 2')
  await bus.follow(({ serial }) => void news.emit(`state ${serial}`))
  if (subscriber!.status !== 'ready') await once(subscriber!, 'ready')
  await lease.save(state(2))
  await changed
})

t.test('chunks arrive in order and unharmed at every replica, the kept ones first', async (t) => {
  const { url } = await startRedis(t)
  const worker = await openBus(t, url)
  const replica = await openBus(t, url)
  const lease = await worker.bus.acquireLease(never)
  for (let i = 0; i < 300; i++) await lease.publish(chunk(i * 19))
  const kept = await firstChunks(replica.bus, 288)
  t.same(
    kept.map((c) => c.frame),
    Array.from({ length: 288 }, (_, i) => (12 + i) * 19),
  )
  t.same(kept[0]!.audio, chunk(12 * 19).audio)
  await lease.publish(chunk(5700))
  t.equal((await lease.lastChunk())?.frame, 5700)
})

t.test(
  'only one holds the lease; a handed-over lease is acquired at once and the old holder can write no more',
  async (t) => {
    const { url } = await startRedis(t)
    const [a, b] = [await openBus(t, url), await openBus(t, url)]
    const first = await a.bus.acquireLease(never)
    await first.save(state(1))
    await first.publish(chunk(0))
    const waiting = b.bus.acquireLease(never)
    t.equal(
      await Promise.race([waiting.then(() => 'taken'), first.save(state(2)).then(() => 'saved')]),
      'saved',
    )
    await first.release()
    const second = await waiting
    t.equal((await second.resume())?.state.serial, 2)
    t.equal((await second.lastChunk())?.frame, 0, 'the claim of the new holder is no chunk')
    await t.rejects(first.publish(chunk(19)))
    await t.rejects(first.save(state(3)))
  },
)

t.test('mounts beside the first are streams of their own, fenced as the first one is', async (t) => {
  const { url } = await startRedis(t)
  const [a, b] = [await openBus(t, url), await openBus(t, url)]
  const first = await a.bus.acquireLease(never, ['aac-64'])
  await first.publish(chunk(0))
  await first.publish(chunk(50), 'aac-64')
  t.equal((await first.lastChunk())?.frame, 0)
  for await (const { frame } of a.bus.frames(never, 'aac-64')) {
    t.equal(frame, 50)
    break
  }
  t.ok((await a.redis.ttl('solstice:frames:aac-64')) > 0, 'a mount that is given up leaves nothing behind')
  await first.release()
  const second = await b.bus.acquireLease(never, ['aac-64', 'mp3-64'])
  t.equal((await second.lastChunk('aac-64'))?.frame, 50)
  t.equal(await second.lastChunk('mp3-64'), null)
  await t.rejects(
    a.redis.xadd('solstice:frames:aac-64', '1-1', 'about', '{}'),
    'ids below the fence are refused',
  )
  await t.rejects(first.publish(chunk(69), 'aac-64'))
})

t.test('a reader that stopped before it began, or leaves, has no connection left', async (t) => {
  const { url } = await startRedis(t)
  const { bus, redis } = await openBus(t, url)
  const lease = await bus.acquireLease(never)
  await lease.publish(chunk(1))
  const duplicate = redis.duplicate.bind(redis)
  const readers: Redis[] = []
  redis.duplicate = (...overrides) => {
    const reader = duplicate(...overrides)
    readers.push(reader)
    return reader
  }
  t.teardown(() => {
    for (const reader of readers) reader.disconnect()
  })
  const stopped = AbortSignal.abort()
  for await (const _ of bus.frames(stopped)) t.fail('nothing is read')
  for await (const _ of lease.commands('0-0', stopped)) t.fail('nothing is read')
  t.same(readers, [])
  for await (const { frame } of bus.frames(never)) {
    t.equal(frame, 1)
    break
  }
  await until('the connection is closed', () => readers[0]?.status === 'end')
})

t.test('a worker that slept through its lease is refused by Redis itself', async (t) => {
  const { url } = await startRedis(t)
  const [a, b] = [await openBus(t, url), await openBus(t, url)]
  const zombie = await a.bus.acquireLease(never)
  await zombie.save(state(1))
  await a.redis.del('solstice:lease')
  const holder = await b.bus.acquireLease(never)
  await t.rejects(zombie.publish(chunk(0)), 'before the new holder wrote anything')
  await lost(zombie)
  await t.rejects(zombie.save(state(9)))
  t.equal((await holder.resume())?.state.serial, 1)
})

t.test('a worker that lost its lease cannot save, although its successor has not saved yet', async (t) => {
  const { url } = await startRedis(t)
  const [a, b] = [await openBus(t, url), await openBus(t, url)]
  const zombie = await a.bus.acquireLease(never)
  await zombie.save(state(1))
  await a.redis.del('solstice:lease')
  const holder = await b.bus.acquireLease(never)
  await t.rejects(zombie.save(state(9)), 'its first write is refused, whatever it is')
  t.equal((await holder.resume())?.state.serial, 1)
})

t.test('a held lease is left alone by workers that want it or lost it', async (t) => {
  const { url } = await startRedis(t)
  const [a, b] = [await openBus(t, url), await openBus(t, url)]
  const zombie = await a.bus.acquireLease(never)
  await a.redis.del('solstice:lease')
  await b.bus.acquireLease(never)
  const held = await b.redis.get('solstice:lease')
  const stop = new AbortController()
  const third = await openBus(t, url)
  const send = third.redis.eval.bind(third.redis) as (...args: unknown[]) => Promise<unknown>
  const answered = new Promise<unknown>((resolve) => {
    third.redis.eval = (async (...args: unknown[]) => {
      const answer = await send(...args)
      if (args.includes('solstice:epoch')) resolve(answer)
      return answer
    }) as typeof third.redis.eval
  })
  const wanting = third.bus.acquireLease(stop.signal).catch(() => null)
  t.equal(await answered, null, 'a lease is not taken from its holder')
  await zombie.release()
  t.equal(await b.redis.get('solstice:lease'), held, 'nor given back by whoever wants to')
  stop.abort()
  t.equal(await wanting, null)
})

t.test('an attempt that arrives late takes the lease from nobody', async (t) => {
  const { url } = await startRedis(t)
  const [a, b] = [await openBus(t, url), await openBus(t, url)]
  const lease = await a.bus.acquireLease(never)
  const isRenewed = async () => (await a.redis.pttl('solstice:lease')) === -1
  await until('the lease is renewed', isRenewed)
  // The attempts of a worker that was cut off carry the time at which it was.
  const clock = { ...b.clock, nowMs: () => b.clock.nowMs() - 2 * LEASE_MS }
  const late = openRedisBus(b.redis, clock, log)
  t.teardown(() => late.close())
  await t.rejects(late.acquireLease(timeLimit(1_500)))
  t.notOk(lease.lost.aborted)
  t.ok(await isRenewed(), 'its holder has it')
})

t.test('an attempt whose answer got lost keeps the lease from nobody', async (t) => {
  const redis = await startRedis(t)
  const [worker, other] = [await openBus(t, redis.url), await openBus(t, redis.url)]
  await other.redis.set('solstice:lease', 'somebody', 'PX', LEASE_MS)
  let attempts = 0
  const send = worker.redis.eval.bind(worker.redis) as (...args: unknown[]) => Promise<unknown>
  worker.redis.eval = ((...args: unknown[]) => {
    // The clock looks at Redis the same way.
    if (args.includes('solstice:epoch')) attempts++
    return send(...args)
  }) as typeof worker.redis.eval
  const another = (count: number) => {
    const wanted = attempts + count
    return until('it was tried again', () => attempts >= wanted)
  }
  const taking = worker.bus.acquireLease(never)
  await another(1)
  await other.redis.del('solstice:lease')
  redis.process.child.kill('SIGSTOP')
  // One that may be answered still, one that nobody waits for any more, and the one that is sent instead.
  await another(2)
  redis.process.child.kill('SIGCONT')
  await until('it is taken', async () => (await other.redis.exists('solstice:lease')) === 1)
  await (await taking).publish(chunk(0))
  t.pass('who took it has it, although the lease that it was taken with never ends')
})

t.test('five workers at once: one lease; the fencing token rises even when Redis was emptied', async (t) => {
  const { url } = await startRedis(t)
  const workers = await Promise.all(Array.from({ length: 5 }, () => openBus(t, url)))
  const stop = new AbortController()
  const taken: AirLease[] = []
  const waits = workers.map((worker) =>
    worker.bus.acquireLease(stop.signal).then(
      (lease) => taken.push(lease),
      () => {},
    ),
  )
  await Promise.race(waits)
  await workers[0]!.redis.ping()
  t.equal(taken.length, 1)
  const replica = await openBus(t, url)
  const reader = replica.bus.frames(stop.signal)[Symbol.asyncIterator]()
  await taken[0]!.publish(chunk(0))
  t.equal((await reader.next()).value?.frame, 0)
  await workers[0]!.redis.flushall()
  await lost(taken[0]!)
  await until('the next one has it', () => taken.length === 2)
  await taken[1]!.publish(chunk(19))
  t.equal((await reader.next()).value?.frame, 19, 'a replica that was following goes on')
  stop.abort()
  await Promise.all(waits)
})

t.test('a Redis that restarts within the lease costs the holder nothing', async (t) => {
  const redis = await startRedis(t)
  const worker = await openBus(t, redis.url)
  const replica = await openBus(t, redis.url)
  const lease = await worker.bus.acquireLease(never)
  const reading = firstChunks(replica.bus, 40)
  for (let i = 0; i < 20; i++) await lease.publish(chunk(i * 19))
  const restarting = redis.process.end('SIGTERM').then(() => redis.restart())
  for (let i = 20; i < 40; i++) await lease.publish(chunk(i * 19))
  await restarting
  t.notOk(lease.lost.aborted)
  t.same(
    (await reading).map((c) => c.frame),
    Array.from({ length: 40 }, (_, i) => i * 19),
  )
})

t.test('who asks for the lease while nothing passes takes it when Redis is back', async (t) => {
  const server = await startRedis(t)
  const line = await openLine(t, server.port)
  const { bus } = await openBus(t, `redis://127.0.0.1:${line.port}`)
  line.isHanging = true
  line.cutAll()
  const leases = []
  // New connections open, and hear nothing.
  while (line.open < 2) {
    leases.push(bus.acquireLease(never))
    await sleep(5)
  }
  for (let i = 0; i < 20; i++) {
    leases.push(bus.acquireLease(never))
    await sleep(5)
  }
  line.isHanging = false
  for (let i = 0; i < leases.length; i++) {
    const { lease, which } = await Promise.race(
      leases.map(async (taken, which) => ({ lease: await taken, which })),
    )
    leases.splice(which, 1)
    await lease.release()
  }
  t.pass('each of them')
})
