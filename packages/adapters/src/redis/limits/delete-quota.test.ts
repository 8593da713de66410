import { Deferred, Failure } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { openRedis } from '../connection.ts'
import { openLeases } from '../leases/leases.ts'
import { openDeleteQuota } from './delete-quota.ts'

const log = pino({ level: 'silent' })
const rule = { deleteQuotaPerDay: 30, logPurgeHour: 4, timeZone: 'Europe/Kyiv' }

t.test('deletions of a helper are counted by all processes together, all of a job or none', async (t) => {
  const server = await startRedis(t)
  const connections = await Promise.all([
    openRedis(server.url, log, false),
    openRedis(server.url, log, false),
  ])
  t.teardown(() => connections.map((redis) => redis.disconnect()))
  let nowMs = Date.parse('2026-03-29T00:59:00Z')
  const clock = { nowMs: () => nowMs, aheadMs: () => 0 }
  const [here, there] = connections.map((redis) => openDeleteQuota(redis, clock, rule)) as [
    ReturnType<typeof openDeleteQuota>,
    ReturnType<typeof openDeleteQuota>,
  ]
  const refused = (remaining: number) => new Failure('DELETE_QUOTA_EXCEEDED', { remaining, limit: 30 })

  const racing = Array.from({ length: 40 }, (_, i) => (i % 2 ? here : there).reserve('a', `job ${i}`, 1))
  const outcomes = await Promise.allSettled(racing)
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 30)
  await t.rejects(here.reserve('a', 'more', 1), refused(0))
  await t.resolves(there.reserve('b', 'another', 30), 'another helper has a quota of its own')

  const [first] = outcomes.flatMap(({ status }, i) => (status === 'fulfilled' ? [`job ${i}`] : []))
  await t.resolves(there.reserve('a', first!, 1), 'a job that is done again has what it has')
  await here.settle('a', first!, 0)
  await here.settle('a', 'never reserved', 5)
  await t.rejects(there.reserve('a', 'two', 2), refused(1))
  await there.reserve('a', 'one', 1)
  await here.reserve('c', 'of thirty', 30)
  await there.settle('c', 'of thirty', 27)
  await t.rejects(here.reserve('c', 'four more', 4), refused(3), 'what was deleted counts')
  t.same(await there.left('c'), { remaining: 3, limit: 30 }, 'what is left is told')
  await t.resolves(here.reserve('c', 'three more', 3), 'what was not is given back')

  // The period begins at 4:00 in Kyiv: in winter that is 2:00 UTC, in summer 1:00.
  nowMs = Date.parse('2026-03-29T00:59:59Z')
  await t.rejects(here.reserve('a', 'late', 1), refused(0))
  nowMs = Date.parse('2026-03-29T01:00:00Z')
  await t.resolves(here.reserve('a', 'next day', 30))
  nowMs = Date.parse('2026-10-25T01:59:59Z')
  await here.reserve('a', 'autumn', 30)
  await t.rejects(here.reserve('a', 'autumn night', 1), refused(0))
  nowMs = Date.parse('2026-10-25T02:00:00Z')
  await t.resolves(here.reserve('a', 'winter time', 1))

  const unlimited = openDeleteQuota(connections[0]!, clock, { ...rule, deleteQuotaPerDay: 0 })
  await t.resolves(unlimited.reserve('a', 'all', 10_000))
  t.equal(await unlimited.left('a'), null)
})

t.test('who holds names keeps others from them, and is not kept from them itself', async (t) => {
  const server = await startRedis(t)
  const redis = await openRedis(server.url, log, false)
  t.teardown(() => redis.disconnect())
  const leases = openLeases(redis)
  const never = () => new AbortController().signal
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await redis.ping()
    inside--
  }
  const patiently = async (i: number): Promise<void> => {
    try {
      await leases.hold(`job ${i}`, [`${i % 3}`, 'x'], never(), work)
    } catch (error) {
      if (!(error instanceof Deferred)) throw error
      await patiently(i)
    }
  }
  await Promise.all(Array.from({ length: 12 }, (_, i) => patiently(i)))
  t.equal(most, 1)

  await leases.hold('a', ['x', 'y'], never(), async () => {
    await t.resolves(leases.hold('b', ['z'], never(), work), 'other names are free')
    const stopping = new AbortController()
    const waiting = leases.hold('b', ['y', 'z'], stopping.signal, work)
    stopping.abort()
    await t.rejects(waiting)
    t.equal(await redis.exists('solstice:lease:z'), 0, 'of names that cannot all be had none is taken')
    await t.resolves(leases.hold('a', ['y'], never(), work))
    const askedAtMs = performance.now()
    await t.rejects(leases.hold('b', ['x'], never(), work), { name: 'Deferred' })
    t.ok(performance.now() - askedAtMs < 10_000, 'nobody waits for long')
  })
  await t.rejects(
    leases.hold('a', ['x'], never(), async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  t.equal(await redis.exists('solstice:lease:x', 'solstice:lease:y'), 0)
  const interrupted = new Deferred('interrupted', new Failure('DATA_UNAVAILABLE'))
  await t.rejects(
    leases.hold('a', ['x'], never(), async () => {
      throw interrupted
    }),
    interrupted,
  )
  t.equal(await redis.get('solstice:lease:x'), 'a', 'an interrupted change keeps its lease until it resumes')
  await leases.hold('a', ['x'], never(), async () => {})
  t.equal(await redis.exists('solstice:lease:x'), 0)
})

t.test('a holder is told when another one has taken its lease', async (t) => {
  const server = await startRedis(t)
  const redis = await openRedis(server.url, log, false)
  t.teardown(() => redis.disconnect())
  const { signal } = new AbortController()
  await openLeases(redis).hold('a', ['x'], signal, async (lost) => {
    t.notOk(lost.aborted)
    // The lease of a process that did not run for as long expires, and is free.
    await redis.set('solstice:lease:x', 'b')
    await until('it is told', () => lost.aborted)
  })
  t.equal(await redis.get('solstice:lease:x'), 'b')
})
