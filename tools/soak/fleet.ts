import { type AlarmRecord, sleep } from '@solstice/station'
import { SUPER_ADMIN } from '../../tests/harness/people/admin.ts'
import { freePort, type Process, type Teardown } from '../../tests/harness/processes/processes.ts'
import { prepareStation } from '../../tests/harness/stations/station.ts'
import { tellsMemory } from './collect.ts'
import type { Heard } from './ear.ts'

const SONGS = 30
const isOnAir = /the station is on air/
const isError = /"level":(50|60)/
/** Time for the ends of connections to be noticed before a replica counts as back. */
const SETTLE_MS = 1_000

/** Pitch of each song rises, or the monitor would hear one second of a tone again and again. */
const RISE_HZ_PER_S = 5
/** An alarm about a replica that comes this long after its return may still be about its death. */
const AFTERMATH_MS = 10_000

/** Time in which a replica was dead, station clock. */
export interface Outage {
  url: string
  fromMs: number
  untilMs: number
}

/** Alarms that no outage explains. */
export const unplanned = <A extends Pick<AlarmRecord, 'source' | 'beganAt'>>(
  alarms: readonly A[],
  outages: readonly Outage[],
): A[] =>
  alarms.filter(
    ({ source, beganAt }) =>
      !outages.some(
        ({ url, fromMs, untilMs }) =>
          source.startsWith(url) && beganAt >= fromMs && beganAt <= untilMs + AFTERMATH_MS,
      ),
  )

/**
 * Two replicas, two workers, a jobs process and a monitor that listens to both replicas, on songs of 20 to 49 s. Replica 1, the
 * jobs, the monitor and Redis live as long as the run.
 *
 * @param warmUpMs of each process.
 */
export async function startFleet(run: Teardown, warmUpMs: number) {
  const songs = Array.from({ length: SONGS }, (_, i) => ({
    ...{ name: `Song ${i}`, hz: 200 + 20 * i, rise: RISE_HZ_PER_S, seconds: 20 + i, isMono: true },
  }))
  const station = await prepareStation(run, songs, {
    ...SUPER_ADMIN,
    ...tellsMemory(warmUpMs),
    RADIO_HOSTS_MODE: 'true',
    LOGIN_ATTEMPTS_PER_15_MIN: '0',
    QUEUE_ADD_COOLDOWN_S: '0',
    QUEUE_SKIP_COOLDOWN_S: '0',
    QUEUE_REMOVE_COOLDOWN_S: '0',
  })
  const ports = [await freePort(), await freePort()]
  const [one, two, first, jobs] = await Promise.all([
    station.startApi(ports[0]),
    station.startApi(ports[1]),
    station.startWorker(),
    station.startJobs(),
  ])
  await first.printed(isOnAir)
  const second = await station.startWorker()
  station.env.MONITOR_URLS = `${one.url},${two.url}`
  const monitor = await station.startMonitor()
  const data = await station.openData()
  run.teardown(() => data.close())
  const outages: Outage[] = []
  const replicas: Heard[] = [one, two].map(({ url }) => ({ url, isDown: false }))
  const processes = new Map<string, Process>([
    ['replica 1', one.process],
    ['replica 2', two.process],
    ['worker 1', first],
    ['worker 2', second],
    ['jobs', jobs],
    ['monitor', monitor],
    ['redis', station.redis.process],
  ])
  const everStarted = [...processes.values()]
  const numbers = { replica: 2, worker: 2 }
  const enter = (kind: keyof typeof numbers, process: Process) => {
    processes.set(`${kind} ${++numbers[kind]}`, process)
    everStarted.push(process)
  }

  return {
    station,
    replicas,
    /** By name. A worker that takes the air is another one from then on: it decodes and encodes. */
    get processes(): ReadonlyMap<string, Process> {
      const nameOf = (name: string, { output }: Process) =>
        name.startsWith('worker') && isOnAir.test(output) ? `${name}, on air` : name
      return new Map([...processes].map(([name, process]) => [nameOf(name, process), process]))
    },
    /** Lines of the logs that are errors. */
    errors: () =>
      everStarted.flatMap(({ output }) => output.split('\n').filter((line) => isError.test(line))),
    /** Alarms that were raised though no replica was dead. */
    alarms: async () => unplanned(await data.alarms.find(), outages),
    /** Kills the worker on air, and starts another one. @returns its name. */
    async killWorker(): Promise<string> {
      const [name, worker] = [...processes].find(
        ([name, { output }]) => name.startsWith('worker') && isOnAir.test(output),
      )!
      processes.delete(name)
      await worker.end('SIGKILL')
      enter('worker', await station.startWorker())
      return name
    },
    /** Kills the younger replica, and starts another one on its port. @returns its name. */
    async killReplica(): Promise<string> {
      const [name, replica] = [...processes].findLast(([name]) => name.startsWith('replica'))!
      const fromMs = Date.now()
      replicas[1]!.isDown = true
      processes.delete(name)
      await replica.end('SIGKILL')
      enter('replica', (await station.startApi(ports[1])).process)
      await sleep(SETTLE_MS)
      replicas[1]!.isDown = false
      outages.push({ url: two.url, fromMs, untilMs: Date.now() })
      return name
    },
  }
}
