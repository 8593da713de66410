import { EventEmitter, once } from 'node:events'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { machineClock } from '../../../../tests/harness/processes/machine-clock.ts'
import { startRedis } from '../../../../tests/harness/processes/processes.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'
import { moveExpiries } from '../redis/clock/station-clock.ts'
import { openJobQueue } from './client.ts'
import type { Processors } from './worker/run-job.ts'
import { workJobs } from './worker/worker.ts'

const DAY_MS = 86_400_000
const log = pino({ level: 'silent' })

t.test(
  'what recurs, and what is tried again, comes in its time after the wall clock was set back',
  async (t) => {
    const { url } = await startRedis(t)
    const realNow = Date.now
    t.teardown(() => {
      Date.now = realNow
    })
    const done = new EventEmitter()
    let isFailing = true
    const work = () =>
      workJobs(
        url,
        {
          'sweep-donations': async () => void done.emit('swept'),
          'purge-accounts': async () => {
            if (isFailing) throw new Error('not yet')
            done.emit('tried again')
          },
        } as Partial<Processors> as Processors,
        [{ name: 'sweep-donations', everyMs: 1_000 }],
        log,
      )
    const before = await work()
    await inTime('a first sweep', once(done, 'swept'))
    const queue = openJobQueue(url, log)
    t.teardown(() => queue.close())
    await queue.add('purge-accounts', {})
    const isDelayed = async () =>
      (await queue.board({ offset: 0, limit: 1 })).some(({ counts }) => counts.delayed > 1)
    await until('the job waits to be tried again', isDelayed)
    await before.close()
    isFailing = false
    Date.now = () => realNow() - DAY_MS
    const again = Promise.all([once(done, 'swept'), once(done, 'tried again')])
    const after = await work()
    t.teardown(() => after.close())
    await inTime('both are done again', again)
    t.pass('also when nobody was there when it was set')
  },
)

t.test('a job that runs is not begun again when the wall clock is set', async (t) => {
  const wall = await machineClock(t)
  const { url } = await startRedis(t, wall.env)
  const redis = new Redis(url)
  t.teardown(() => redis.disconnect())
  const realNow = Date.now
  t.teardown(() => {
    Date.now = realNow
  })
  let setByMs = 0
  Date.now = () => realNow() + setByMs
  const begun: string[] = []
  const told = new EventEmitter()
  const processors = {
    'purge-accounts': async (_: unknown, { jobId }: { jobId: string }) => {
      begun.push(jobId)
      told.emit('begun')
      await once(told, 'may end')
    },
  } as Partial<Processors> as Processors
  const workers = await Promise.all([1, 2].map(() => workJobs(url, processors, [], log)))
  t.teardown(() => Promise.all(workers.map((worker) => worker.close())))
  const queue = openJobQueue(url, log)
  t.teardown(() => queue.close())
  const isBegun = once(told, 'begun')
  const id = await queue.add('purge-accounts', {})
  await inTime('the job begins', isBegun)
  const lock = `solstice:jobs:${id}:lock`
  /** Resolves when the lock was renewed, or another process has the job. */
  const renewed = async () => {
    let leftMs = await redis.pttl(lock)
    await until('the lock is renewed', async () => {
      const before = leftMs
      leftMs = await redis.pttl(lock)
      return leftMs > before || begun.length > 1
    })
  }
  await renewed()
  for (const byMs of [DAY_MS, -DAY_MS, 60_000]) {
    wall.step(byMs)
    setByMs += byMs
    await moveExpiries(redis, byMs)
    await renewed()
    t.ok((await redis.pttl(lock)) > 0, `set by ${byMs / 1000} s: it is locked on`)
    t.same(begun, [id], 'and done once')
  }
  told.emit('may end')
  await until('it is done', async () => (await queue.progress('purge-accounts', id))?.state === 'done')
  t.same(begun, [id])
})
