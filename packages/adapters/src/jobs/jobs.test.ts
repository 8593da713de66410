import { Failure } from '@solstice/station'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import t from 'tap'
import { actor, gate, openQueue, work, workElsewhere } from '../../../../tests/harness/servers/job-queue.ts'
import { until } from '../../../../tests/harness/until.ts'
import type { Recurrence } from './worker/recurrences.ts'

// Most of the time they wait: for locks to run out, for attempts to be made again.
t.jobs = 5

const daily: Recurrence = { name: 'purge-expired', pattern: '0 4 * * *', timeZone: 'Europe/Kyiv' }

/** Asks a queue itself, as nobody else does. */
async function inQueue<T>(url: string, name: string, ask: (queue: Queue) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: null })
  const queue = new Queue(name, { connection: redis, prefix: 'solstice' })
  try {
    return await ask(queue)
  } finally {
    await queue.close()
    redis.disconnect()
  }
}

/** Counts the jobs in each state, directly in Redis. */
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

t.test('the job queue', async (t) => {
  const { redis, queue } = await openQueue(t)

  await t.test('gives a job to one of several processes', async (t) => {
    const done: string[] = []
    const all = gate('all')
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
    await until('nothing waits', async () => (await counts(redis.url)).waiting === 0)
    t.equal(done.length, 6)
  })

  await t.test(
    'does not add a job twice while one with its id waits or runs, but again afterwards',
    async (t) => {
      const [running, mayEnd] = [gate('running'), gate('mayEnd')]
      let times = 0
      const worker = await work(t, redis.url, {
        'reconcile-media': async () => {
          times++
          running.open()
          await mayEnd.held
        },
      })
      const add = () => queue.add('reconcile-media', {}, { id: 'reconcile-media' })
      await Promise.all([add(), add(), add()])
      await running.opened
      await add()
      mayEnd.open()
      await until('nothing is active', async () => (await counts(redis.url)).active === 0)
      t.equal(times, 1)
      await add()
      await until('it ran again', async () => times === 2)
      await worker.close()
    },
  )

  await t.test('tries again what failed', async (t) => {
    let times = 0
    const done = gate('done')
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
    const running = gate('running')
    const first = await work(t, redis.url, {
      'demo-library': (_, { stopping }) =>
        new Promise((_resolve, reject) => {
          stopping.addEventListener('abort', () => reject(stopping.reason))
          running.open()
        }),
    })
    await queue.add('demo-library', {}, { id: 'demo-library' })
    await running.opened
    await first.close()
    const done = gate('done')
    await work(t, redis.url, { 'demo-library': async () => done.open() })
    await done.opened
    t.pass('it was done')
  })

  await t.test('takes up what a killed process left', async (t) => {
    const doomed = await workElsewhere(
      t,
      redis.url,
      `{ 'purge-expired': () => { console.log('begun'); return new Promise(() => {}) } }`,
    )
    await queue.add('purge-expired', {})
    await doomed.printed(/begun/)
    await doomed.end('SIGKILL')
    const done = gate('done')
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

t.test('work that somebody waits for', async (t) => {
  const { redis, queue, edit, startBatch, progressOf } = await openQueue(t)

  await t.test(
    'while all that takes hours takes its places, what is awaited is done, and what is due',
    async (t) => {
      const [mayEnd, swept] = [gate('mayEnd'), gate('swept')]
      t.teardown(mayEnd.open)
      let busy = 0
      await work(t, redis.url, {
        'prefetch-lyrics': async () => {
          busy++
          await mayEnd.held
        },
        'edit-track': async ({ songId }) => ({ songId: `new ${songId}`, isChanged: true }),
        'sweep-donations': async () => swept.open(),
      })
      for (let i = 0; i < 6; i++) await queue.add('prefetch-lyrics', {})
      await until('4 are busy', async () => busy === 4)
      const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((songId) => edit(songId)))
      t.same(
        answers.map(({ songId }) => songId),
        ['new a', 'new b', 'new c', 'new d', 'new e', 'new f'],
      )
      await queue.add('sweep-donations', {})
      await swept.opened
      t.equal(busy, 4)
      mayEnd.open()
      await until('6 are busy', async () => busy === 6)
    },
  )

  await t.test('a short change is done also while all places of batches are taken', async (t) => {
    const mayEnd = gate('mayEnd')
    t.teardown(mayEnd.open)
    const jobIds: string[] = []
    let busy = 0
    await work(t, redis.url, {
      'delete-tracks': async ({ songIds }, { jobId, keep }) => {
        jobIds.push(jobId)
        await keep(1, 1, songIds)
        if (songIds.length > 100) {
          busy++
          await mayEnd.held
        }
        return { results: [], removedArtists: [] }
      },
    })
    const remove = (count: number) => {
      const songIds = Array.from({ length: count }, (_, i) => `day/${i}.mp3`)
      return queue.perform('delete-tracks', { songIds, scope: 'library', actor })
    }
    const batches = Promise.all([remove(101), remove(20_000), remove(101)])
    await until('2 are busy', async () => busy === 2)
    for (const count of [1, 100, 1, 1]) await remove(count)
    t.equal(busy, 2)
    mayEnd.open()
    await batches
    t.equal(new Set(jobIds).size, 7, 'no two of them have the same id')
    const kept = await inQueue(redis.url, 'batches', (own) => own.getCompleted())
    t.same(
      kept.map(({ data, progress, returnvalue }) => ({ data, progress, returnvalue })),
      Array.from({ length: 3 }, () => ({ data: {}, progress: { done: 1, total: 1 }, returnvalue: null })),
      'what was answered is not kept',
    )
  })

  await t.test('tracks are measured also while all places of lyrics batches are taken', async (t) => {
    const [measured, mayEnd] = [gate('measured'), gate('mayEnd')]
    t.teardown(mayEnd.open)
    let busy = 0
    await work(t, redis.url, {
      'lyrics-batch': async () => {
        busy++
        await mayEnd.held
        return { results: [] }
      },
      'measure-loudness': async () => measured.open(),
    })
    for (let i = 0; i < 5; i++) await startBatch()
    await until('4 are busy', async () => busy === 4)
    await queue.add('measure-loudness', {})
    await measured.opened
    mayEnd.open()
    await until('5 are busy', async () => busy === 5)

    const old = { songIds: [], force: false, actor }
    await inQueue(redis.url, 'background', (own) => own.add('lyrics-batch', old, { jobId: 'old' }))
    await until('it is done', async () => (await progressOf('old'))?.state === 'done')
  })

  await t.test(
    'a refusal reaches the caller as it is and is final; anything else is tried again',
    async (t) => {
      const times: Record<string, number> = {}
      await work(t, redis.url, {
        'edit-track': async ({ songId }) => {
          times[songId] = (times[songId] ?? 0) + 1
          if (songId === 'locked') throw new Failure('TRACK_LOCKED', { reason: 'current', secsLeft: 3 })
          if (times[songId] === 1) throw new Error('not yet')
          return { songId, isChanged: true }
        },
      })
      const refusal = { name: 'Failure', code: 'TRACK_LOCKED', details: { reason: 'current', secsLeft: 3 } }
      await t.rejects(edit('locked'), refusal)
      t.same(await edit('flaky'), { songId: 'flaky', isChanged: true })
      t.same(times, { locked: 1, flaky: 2 })
    },
  )

  await t.test('what fails in the end is an internal error', async (t) => {
    await work(t, redis.url, {})
    const broken = new Queue('changes', { connection: { url: redis.url }, prefix: 'solstice' })
    const failing = edit('a')
    // All but the last attempt are as if they had been made.
    await until('it is delayed', async () => (await broken.getDelayedCount()) === 1)
    const [job] = await broken.getDelayed()
    const direct = new Redis(redis.url)
    await direct.hset(`solstice:changes:${job!.id}`, 'atm', 4)
    direct.disconnect()
    await t.rejects(failing, { code: 'INTERNAL' })
    await broken.close()
  })

  await t.test('progress is told from the first to the last step, and after the end', async (t) => {
    const [begun, mayGoOn] = [gate('begun'), gate('mayGoOn')]
    await work(t, redis.url, {
      'lyrics-batch': async (_, { progress }) => {
        await begun.opened
        for (let done = 1; done <= 500; done++) await progress(done, 20_000, { done })
        mayGoOn.open()
        throw new Error('no more')
      },
    })
    const id = await startBatch()
    t.match(await progressOf(id), { done: 0, total: 0 })
    begun.open()
    await mayGoOn.opened
    await until('500 are done', async () => (await progressOf(id))?.done === 500)
    t.match(await progressOf(id), { total: 20_000, notes: { done: 500 } }, 'the last step is kept')
    t.equal(await progressOf('none'), null)
    t.equal(await queue.progress('demo-library', id), null, 'an id belongs to a job of one name')
  })

  await t.test('large results stay while other jobs come and go', async (t) => {
    const results = Array.from({ length: 20_000 }, (_, i) => ({
      songId: `day/${i}.mp3`,
      outcome: 'kept' as const,
      before: 'synced' as const,
      after: 'synced' as const,
    }))
    await work(t, redis.url, {
      'lyrics-batch': async (_, { progress }) => {
        await progress(20_000, 20_000, results)
        return { results }
      },
      'purge-expired': async () => {},
    })
    const id = await startBatch()
    await until('it is done', async () => (await progressOf(id))?.state === 'done')
    for (let i = 0; i < 150; i++) await queue.add('purge-expired', {})
    await until(
      'the queue is empty',
      async () => (await counts(redis.url)).waiting + (await counts(redis.url)).active === 0,
    )
    t.same((await progressOf(id))?.notes, { results })
  })
})
