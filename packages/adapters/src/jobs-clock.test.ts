import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import t from 'tap'
import { startRedis } from '../../../tests/harness/processes.ts'
import { openJobQueue, type Processors, workJobs } from './jobs-bullmq.ts'

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
    await once(done, 'swept')
    const queue = openJobQueue(url, log)
    t.teardown(() => queue.close())
    await queue.add('purge-accounts', {})
    const isDelayed = async () =>
      (await queue.board({ offset: 0, limit: 1 })).some(({ counts }) => counts.delayed > 1)
    while (!(await isDelayed())) await wait(50)
    await before.close()
    isFailing = false
    Date.now = () => realNow() - 86_400_000
    const again = Promise.all([once(done, 'swept'), once(done, 'tried again')])
    const after = await work()
    t.teardown(() => after.close())
    await again
    t.pass('also when nobody was there when it was set')
  },
)
