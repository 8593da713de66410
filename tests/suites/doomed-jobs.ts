import { connect, type Ports, type Processors, readConfig, workJobs } from '@solstice/adapters'
import { collectionNames } from '@solstice/station'
import { pino } from 'pino'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { recordAir } from '../../apps/jobs/src/record-air.ts'
import { shortDemo } from '../harness/stations/short-demo.ts'

/**
 * A jobs process of the station in its environment that kills itself before the first step of the name `DIE_AT`, or the one of the
 * number behind it (`media.put 2`). It prints the name of each step that it comes to.
 */
const [dieAt = '', dieTime = '1'] = process.env.DIE_AT?.split(' ') ?? []
const CHANGES = ['insert', 'put', 'update', 'delete']
const times = new Map<string, number>()

function step(name: string): void {
  const time = (times.get(name) ?? 0) + 1
  times.set(name, time)
  const isLast = name === dieAt && time === Number(dieTime)
  process.stdout.write(`${isLast ? 'killed before' : 'step'} ${name} ${time}\n`)
  if (isLast) process.kill(process.pid, 'SIGKILL')
}

/** The same store, in which each call of one of these methods is a step. */
function stepping<T extends object>(store: T, name: string, methods: string[]): T {
  return new Proxy(store, {
    get(target, method) {
      const value = target[method as keyof T]
      if (typeof value !== 'function') return value
      if (!methods.includes(String(method))) return value.bind(target)
      return (...given: unknown[]) => {
        step(`${name}.${String(method)}`)
        return value.apply(target, given)
      }
    },
  })
}

function steppingPorts(ports: Ports): Ports {
  const data = { ...ports.data }
  for (const name of collectionNames) Object.assign(data, { [name]: stepping(data[name], name, CHANGES) })
  return {
    ...ports,
    data,
    media: stepping(ports.media, 'media', ['put', 'copy', 'delete', 'sweep']),
    bus: stepping(ports.bus, 'bus', ['send']),
    jobs: stepping(ports.jobs, 'jobs', ['add']),
    tags: stepping(ports.tags, 'tags', ['read', 'readMp3']),
    videoTools: stepping(ports.videoTools, 'videoTools', ['download']),
    reconciliation: stepping(ports.reconciliation, 'reconciliation', ['mark']),
    mailer: ports.mailer && stepping(ports.mailer, 'mailer', ['send']),
  }
}

/** The end of a job is a step as well: what it did is not known to the queue yet. Notes of a job are kept in one. */
function steppingJobs(processors: Processors): Processors {
  const stepping = Object.entries(processors).map(([name, work]) => [
    name,
    async (data: never, context: Parameters<Processors['edit-track']>[1]) => {
      const keep: typeof context.keep = (...notes) => {
        step('notes.keep')
        return context.keep(...notes)
      }
      const result = await (work as Processors['edit-track'])(data, { ...context, keep })
      step('job.end')
      return result
    },
  ])
  return Object.fromEntries(stepping)
}

const log = pino({ level: 'warn' })
const { config } = readConfig(process.env)
const ports = steppingPorts(await connect(config, log))
if (config.aircheckDays > 0) recordAir(ports)
await workJobs(config.redis, steppingJobs({ ...processorsOf(ports), ...shortDemo(ports) }), [], log)
process.stdout.write('taking jobs\n')
process.once('disconnect', () => process.exit())
