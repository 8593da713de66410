import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { start, startRedis, type Teardown } from '../../../tests/harness/processes.ts'
import { openJobQueue, type Processors, type Recurrence, workJobs } from './jobs-bullmq.ts'

const log = pino({ level: 'silent' })
const daily: Recurrence = { name: 'purge-expired', pattern: '0 4 * * *', timeZone: 'Europe/Kyiv' }

t.test('the job queue', async (t) => {
  const redis = await startRedis(t)
  const queue = openJobQueue(redis.url, log)
  t.teardown(() => queue.close())

  await t.test('gives a job to one of several processes', async (t) => {
    const done: string[] = []
    const all = gate()
    for (const name of ['a', 'b', 'c']) {
      await work(t, redis.url, {
        'prefetch-lyrics': async () => {
          done.push(name)
          if (done.length === 6) all.open()
        },
      })
    }
    for (let i = 0; i < 6; i++) await queue.add('prefetch-lyrics', {})
    await all.opened
    await until(async () => (await counts(redis.url)).waiting === 0)
    t.equal(done.length, 6)
  })

  await t.test(
    'does not add a job twice while one with its id waits or runs, but again afterwards',
    async (t) => {
      const [running, mayEnd] = [gate(), gate()]
      let times = 0
      const worker = await work(t, redis.url, {
        'reconcile-media': async () => {
          times++
          running.open()
          await mayEnd.opened
        },
      })
      const add = () => queue.add('reconcile-media', {}, { id: 'reconcile-media' })
      await Promise.all([add(), add(), add()])
      await running.opened
      await add()
      mayEnd.open()
      await until(async () => (await counts(redis.url)).active === 0)
      t.equal(times, 1)
      await add()
      await until(async () => times === 2)
      await worker.close()
    },
  )

  await t.test('tries again what failed', async (t) => {
    let times = 0
    const done = gate()
    await work(t, redis.url, {
      'demo-library': async () => {
        times++
        if (times === 1) throw new Error('not yet')
        done.open()
      },
    })
    await queue.add('demo-library', {}, { id: 'demo-library' })
    await done.opened
    t.equal(times, 2)
  })

  await t.test('asks what runs to break off when its process ends, and another one does it', async (t) => {
    const running = gate()
    const first = await work(t, redis.url, {
      'demo-library': (_, stopping) =>
        new Promise((_resolve, reject) => {
          stopping.addEventListener('abort', () => reject(stopping.reason))
          running.open()
        }),
    })
    await queue.add('demo-library', {}, { id: 'demo-library' })
    await running.opened
    await first.close()
    const done = gate()
    await work(t, redis.url, { 'demo-library': async () => done.open() })
    await done.opened
    t.pass('it was done')
  })

  await t.test('takes up what a killed process left', async (t) => {
    const script = `
      import { pino } from 'pino'
      import { workJobs } from './packages/adapters/src/jobs-bullmq.ts'
      const processors = { 'purge-expired': () => { console.log('begun'); return new Promise(() => {}) } }
      await workJobs('${redis.url}', processors, [], pino({ level: 'silent' }))
      setInterval(() => {}, 1000)`
    const doomed = start(t, process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
    await queue.add('purge-expired', {})
    await doomed.printed(/begun/)
    await doomed.end('SIGKILL')
    const done = gate()
    await work(t, redis.url, { 'purge-expired': async () => done.open() })
    await done.opened
    t.pass('it was done')
  })

  await t.test('plans what recurs in the time zone of the station, once for all processes', async (t) => {
    await work(t, redis.url, {}, [daily])
    await work(t, redis.url, {}, [daily])
    const { planned, nextMs } = await counts(redis.url)
    t.equal(planned, 1)
    const hour = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Kyiv', hour: 'numeric', hourCycle: 'h23' })
    t.equal(hour.format(nextMs), '04')
    await work(t, redis.url, {}, [])
    t.equal((await counts(redis.url)).planned, 0, 'what is no longer in the plan does not come again')
  })
})

async function work(
  t: Teardown,
  url: string,
  processors: Partial<Processors>,
  recurrences: Recurrence[] = [],
) {
  const worker = await workJobs(url, processors as Processors, recurrences, log)
  t.teardown(() => worker.close())
  return worker
}

/** What the queue holds, read from Redis itself. */
async function counts(url: string) {
  const redis = new Redis(url)
  const [waiting, active, planned, next] = await Promise.all([
    redis.llen('solstice:jobs:wait'),
    redis.llen('solstice:jobs:active'),
    redis.zcard('solstice:jobs:repeat'),
    redis.zrange('solstice:jobs:repeat', 0, 0, 'WITHSCORES'),
  ])
  redis.disconnect()
  return { waiting, active, planned, nextMs: Number(next[1] ?? 0) }
}

function gate() {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(25)
}
