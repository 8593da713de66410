import { sleep } from '@solstice/station'
import { pino } from 'pino'
import { openJobQueue } from '../../../packages/adapters/src/jobs/client.ts'
import type { Recurrence } from '../../../packages/adapters/src/jobs/worker/recurrences.ts'
import type { Processors } from '../../../packages/adapters/src/jobs/worker/run-job.ts'
import { workJobs } from '../../../packages/adapters/src/jobs/worker/worker.ts'
import { type Process, start, startRedis, type Teardown } from '../processes/processes.ts'
import { programOf } from '../processes/programs.ts'
import { inTime, PATIENCE_MS } from '../until.ts'

const log = pino({ level: 'silent' })

export const actor = { adminId: 'super', login: 'admin' }

/** A queue on a Redis of its own, and what is asked of it. */
export async function openQueue(t: Teardown) {
  const redis = await startRedis(t)
  const queue = openJobQueue(redis.url, log)
  t.teardown(() => queue.close())
  const edit = (songId: string, limitMs?: number) => {
    const tags = { title: 'a', artist: 'b', album: '', year: null }
    return queue.perform('edit-track', { songId, tags, actor }, limitMs)
  }
  return {
    redis,
    queue,
    edit,
    startBatch: () => queue.add('lyrics-batch', { songIds: [], force: false, actor }),
    progressOf: (id: string) => queue.progress('lyrics-batch', id),
  }
}

/** A worker with these processors only. */
export async function work(
  t: Teardown,
  url: string,
  processors: Partial<Processors>,
  recurrences: Recurrence[] = [],
) {
  const worker = await workJobs(url, processors as Processors, recurrences, log)
  t.teardown(() => worker.close())
  return worker
}

/** A worker in a process of its own, once it takes jobs; `processors` is source text. */
export async function workElsewhere(t: Teardown, url: string, processors: string): Promise<Process> {
  const script = `
    import { pino } from 'pino'
    import { workJobs } from '${await programOf('packages/adapters/src/jobs/worker/worker.ts')}'
    await workJobs('${url}', ${processors}, [], pino({ level: 'silent' }))
    console.log('taking jobs')
    setInterval(() => {}, 1000)`
  const worker = start(t, process.execPath, ['--input-type=module', '-e', script])
  await worker.printed(/taking jobs/)
  return worker
}

/** A moment that one side awaits and the other brings about. */
export function gate(name: string) {
  let open: () => void = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    open,
    get opened() {
      return inTime(`gate \`${name}\` is opened`, isOpen)
    },
    /** For jobs, which are let go all the same when the test has failed. */
    get held() {
      return Promise.race([isOpen, sleep(1.25 * PATIENCE_MS, { ref: false })])
    },
  }
}
