import t from 'tap'
import { inForm } from '../harness/long-form.ts'
import { childrenOf, freePort, type Process } from '../harness/processes/processes.ts'
import { type Line, openLine } from '../harness/servers/line.ts'
import { followBroadcast, mustBeWhole, prepareStation } from '../harness/stations/station.ts'

const isLong = inForm({ short: false, long: true })
const ROUNDS = inForm({ short: 1, long: 3 })
const inShort = ['the worker on air', 'the replica']
/** Sound that is listened to after each death: longer than it takes any alarm to begin, or most of them. */
const LISTENED_MS = inForm({ short: 9_000, long: 15_000 })
/** A listener has 7 s in hand, and connects again within a second. */
const MAX_DOWN_MS = 5_500
/** Pitches that rise, so that no second is like another. */
const songs = [
  { name: 'Rise', hz: 300, rise: 7, seconds: 300, isMono: true },
  { name: 'Climb', hz: 500, rise: 5, seconds: 300, isMono: true },
]

t.test('no death of a single process is an alarm, nor that it hangs or is cut off', async (t) => {
  const station = await prepareStation(t, songs, isLong ? { STREAM_MOUNTS: 'mp3:128,aac:64,opus:64' } : {})
  const port = await freePort()
  const lines = new Map<Process, Line>()
  /** A worker whose line to Redis can be cut. */
  const startWorker = async () => {
    const line = await openLine(t, station.redis.port)
    station.env.REDIS_URL = `redis://127.0.0.1:${line.port}`
    const worker = await station.startWorker()
    station.env.REDIS_URL = station.redis.url
    lines.set(worker, line)
    return worker
  }
  const air = await followBroadcast(t, station)
  let [api, onAir, jobs] = await Promise.all([station.startApi(port), startWorker(), station.startJobs()])
  await onAir.printed(/the station is on air/)
  let standby = await startWorker()
  station.env.MONITOR_URLS = api.url
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  const data = await station.openData()
  t.teardown(() => data.close())

  const killFfmpeg = async (worker: Process, signal: NodeJS.Signals) => {
    for (const { pid, command } of await childrenOf(worker.child.pid!))
      if (/ffmpeg/.test(command)) process.kill(pid, signal)
  }
  /** Each resolves when another process has taken the place. */
  const deaths: Record<string, () => Promise<unknown>> = {
    'the worker on air': async () => {
      await onAir.end('SIGKILL')
      await standby.printed(/the station is on air/)
    },
    'the worker on air, which hangs and wakes up': async () => {
      process.kill(onAir.child.pid!, 'SIGSTOP')
      await standby.printed(/the station is on air/)
      process.kill(onAir.child.pid!, 'SIGCONT')
      await onAir.printed(/lease lost/)
      await onAir.end('SIGKILL')
    },
    'its line to Redis': async () => {
      lines.get(onAir)!.isHanging = true
      await standby.printed(/the station is on air/)
      await onAir.end('SIGKILL')
    },
    'its ffmpeg processes': () => killFfmpeg(onAir, 'SIGKILL'),
    'its ffmpeg processes, which hang': () => killFfmpeg(onAir, 'SIGSTOP'),
    'the replica': async () => {
      await api.process.end('SIGKILL')
      api = await station.startApi(port)
    },
    'the jobs process': async () => {
      await jobs.end('SIGKILL')
      jobs = await station.startJobs()
    },
    Redis: async () => {
      await station.redis.process.end('SIGKILL')
      await station.redis.restart()
    },
  }
  const seen = new Set<number>()
  for (let round = 0; round < ROUNDS; round++)
    for (const [who, die] of Object.entries(deaths)) {
      if (!isLong && !inShort.includes(who)) continue
      const sinceMs = performance.now()
      await die()
      const downMs = performance.now() - sinceMs
      if (onAir.child.killed) [onAir, standby] = [standby, await startWorker()]
      await air.until(air.clock.nowMs() + LISTENED_MS)
      const begun = (await data.alarms.find()).filter(({ id }) => !seen.has(id))
      for (const { id } of begun) seen.add(id)
      const alarms = begun.map(({ cause, evidence }) => `${cause}: ${evidence}`)
      if (mustBeWhole(t, air) && downMs < MAX_DOWN_MS) t.same(alarms, [], who)
      else t.comment(`${who}: away for ${Math.round(downMs)} ms; ${alarms}`)
    }
})
