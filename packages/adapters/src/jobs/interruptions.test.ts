import { Deferred, Failure } from '@solstice/station'
import { Redis } from 'ioredis'
import t from 'tap'
import { gate, openQueue, work, workElsewhere } from '../../../../tests/harness/servers/job-queue.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'

// Most of the time they wait: for locks to run out, for attempts to be made again.
t.jobs = 5

t.test('without a worker the caller is told so in time, and the work is done later', async (t) => {
  const { redis, edit } = await openQueue(t)
  const startedAtMs = performance.now()
  await t.rejects(edit('a'), { code: 'JOBS_UNAVAILABLE' })
  t.ok(performance.now() - startedAtMs > 9_000, 'not before one may have come back')
  await t.rejects(edit('b', 50), { code: 'JOBS_UNAVAILABLE' }, 'nor longer than the caller wants')
  const done: string[] = []
  await work(t, redis.url, {
    'edit-track': async ({ songId }) => {
      done.push(songId)
      return { songId, isChanged: true }
    },
  })
  await until('both are done', async () => done.length === 2)
  t.same(done.sort(), ['a', 'b'])
})

t.test('an interrupted change goes on until it is done, and its caller is told so in time', async (t) => {
  const { redis, edit, queue } = await openQueue(t)
  const away = new Failure('DATA_UNAVAILABLE', { retryAfterSecs: 5 })
  let isAway = true
  let runs = 0
  await work(t, redis.url, {
    'edit-track': async ({ songId }, { keep, notes }) => {
      if (songId === 'refused') throw away
      runs++
      await keep(0, 1, { ...(notes as object), [runs]: true })
      if (isAway) throw new Deferred('interrupted', away)
      return { songId, isChanged: Object.keys(notes as object).length === runs - 1 }
    },
  })
  await t.rejects(edit('refused'), away, 'where nothing was changed the answer is final')
  await t.rejects(inTime('an answer', edit('day/a')), new Failure('JOBS_UNAVAILABLE'))
  t.ok(runs > 3, `${runs} runs`)
  isAway = false
  const completed = async () => {
    const [changes] = await queue.board({ queue: 'changes', state: 'completed', offset: 0, limit: 10 })
    return changes!.jobs
  }
  await until('it is completed', async () => (await completed()).length === 1)
  const done = await queue.progress('edit-track', (await completed())[0]!.id)
  t.match(
    done,
    { state: 'done', notes: { songId: 'day/a', isChanged: true } },
    'each run knew the notes before it',
  )
})

t.test('a change that waits for another in vain is refused in time, unless some of it is made', async (t) => {
  const { redis, edit, queue } = await openQueue(t)
  const runs: Record<string, number> = {}
  let isOtherWhole = false
  await work(t, redis.url, {
    'edit-track': async ({ songId }, { keep }) => {
      runs[songId] = (runs[songId] ?? 0) + 1
      if (songId === 'begun' && runs[songId] === 1) await keep(0, 1, {})
      if (!isOtherWhole) throw new Deferred('locked', new Error('another change holds the lease'))
      return { songId, isChanged: true }
    },
  })
  const [idle, begun] = [edit('idle'), edit('begun')]
  await Promise.all([
    t.rejects(inTime('an answer', idle), { code: 'DATA_UNAVAILABLE' }),
    t.rejects(inTime('an answer', begun), { code: 'JOBS_UNAVAILABLE' }),
  ])
  const { idle: tried } = runs
  t.ok(tried! > 3, `${tried} attempts`)
  isOtherWhole = true
  const completed = async () =>
    (await queue.board({ queue: 'changes', state: 'completed', offset: 0, limit: 10 }))[0]!.total
  await until('what was begun is completed', async () => (await completed()) === 1)
  t.equal(runs.idle, tried, 'what was refused is never made')
})

t.test('a worker that is killed in the middle costs no answer and no progress', async (t) => {
  const { redis, edit, startBatch, progressOf } = await openQueue(t)
  const doomed = await workElsewhere(
    t,
    redis.url,
    `{
      'edit-track': () => { console.log('begun'); return new Promise(() => {}) },
      'lyrics-batch': async (_, { progress }) => {
        await progress(1, 3, ['first'])
        console.log('one done')
        return new Promise(() => {})
      },
    }`,
  )
  const editing = edit('a')
  const batch = await startBatch()
  await doomed.printed(/begun/)
  await doomed.printed(/one done/)
  t.match(await progressOf(batch), { state: 'running', done: 1, total: 3, notes: ['first'] })
  await doomed.end('SIGKILL')
  let found: unknown
  await work(t, redis.url, {
    'edit-track': async ({ songId }) => ({ songId, isChanged: true }),
    'lyrics-batch': async (_, { notes, jobId }) => {
      found = notes
      return { results: [{ songId: jobId, outcome: 'saved', before: 'none', after: 'plain' }] }
    },
  })
  t.same(await editing, { songId: 'a', isChanged: true })
  await until('it is done', async () => (await progressOf(batch))?.state === 'done')
  t.same(found, ['first'])
  t.match((await progressOf(batch))?.notes, { results: [{ songId: batch }] })
})

t.test('without Redis the caller is told so in some seconds, also in the middle', async (t) => {
  const { redis, edit, startBatch, progressOf } = await openQueue(t)
  const worker = await workElsewhere(
    t,
    redis.url,
    `{ 'edit-track': () => { console.log('begun'); return new Promise(() => {}) } }`,
  )
  const waiting = edit('a')
  await worker.printed(/begun/)
  await redis.process.end('SIGKILL')
  const attempts: Promise<unknown>[] = [waiting, edit('b'), startBatch(), progressOf('1')]
  for (const attempt of attempts) attempt.catch(() => {})
  for (const attempt of attempts) await t.rejects(() => attempt, { code: 'JOBS_UNAVAILABLE' })
})

t.test('what was accepted is done, also when Redis is killed and comes back', async (t) => {
  const { redis, queue } = await openQueue(t)
  const [running, mayEnd] = [gate('running'), gate('mayEnd')]
  const done = new Set<string>()
  await work(t, redis.url, {
    'queue-donation': async ({ donationId }) => {
      running.open()
      await mayEnd.held
      done.add(donationId)
    },
  })
  const ids = Array.from({ length: 20 }, (_, i) => `order ${i}`)
  for (const id of ids) await queue.add('queue-donation', { donationId: id }, { id })
  await running.opened
  // Answered commands are in the journal by then, and on disk within a second.
  const client = new Redis(redis.url)
  await until('the journal is written', async () =>
    /aof_buffer_length:0\r/.test(await client.info('persistence')),
  )
  client.disconnect()
  await redis.process.end('SIGKILL')
  await redis.restart()
  mayEnd.open()
  await until('all are done', async () => done.size === ids.length)
  t.same([...done].toSorted(), ids.toSorted())
})
