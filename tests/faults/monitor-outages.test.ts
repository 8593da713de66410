import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { inForm } from '../harness/long-form.ts'
import { childrenOf, freePort, type Process, temporaryFolder } from '../harness/processes/processes.ts'
import { openLine } from '../harness/servers/line.ts'
import { followBroadcast, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const isLong = inForm({ short: false, long: true })
const sounding = { name: 'Rise', hz: 300, rise: 7, seconds: 300, isMono: true }
const silent = { name: 'Silent', hz: 440, volume: 0, seconds: 60, isMono: true }
/** A song that gives no sound is left by then, or an alarm has begun. */
const LEFT_MS = 20_000

/** An ffmpeg that can be taken away. */
async function removableFfmpeg(t: Test) {
  const folder = await temporaryFolder(t)
  const [path, gone] = [join(folder, 'ffmpeg'), join(folder, 'gone')]
  await writeFile(path, `#!/bin/sh\n[ -f '${gone}' ] && exit 127\nexec ffmpeg "$@"\n`)
  await chmod(path, 0o755)
  return {
    path,
    async remove(worker: Process) {
      await writeFile(gone, '')
      for (const { pid, command } of await childrenOf(worker.child.pid!))
        if (/ffmpeg/.test(command)) process.kill(pid, 'SIGKILL')
    },
    restore: () => rm(gone),
  }
}

t.test('what stays away is an alarm at each address that lacks it, and ends with its return', async (t) => {
  const ffmpeg = await removableFfmpeg(t)
  const station = await prepareStation(t, [sounding])
  const own = station.env.FFMPEG_PATH
  station.env.FFMPEG_PATH = ffmpeg.path
  const worker = await station.startWorker()
  station.env.FFMPEG_PATH = own ?? 'ffmpeg'
  const port = await freePort()
  const toRedis = await openLine(t, station.redis.port)
  const overLine = { REDIS_URL: `redis://127.0.0.1:${toRedis.port}` }
  let [api, other] = await Promise.all([station.startApi(port), station.startApi(undefined, 1, overLine)])
  station.env.MONITOR_URLS = `${api.url},${other.url}`
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  const data = await station.openData()
  t.teardown(() => data.close())
  const open = async () => data.alarms.find({ endedAt: null })
  const atBoth = [api.url, other.url].toSorted()
  const outages: Record<
    string,
    [sources: string[], begin: () => Promise<unknown>, end: () => Promise<unknown>]
  > = {
    'a replica': [
      [api.url],
      () => api.process.end('SIGKILL'),
      async () => {
        api = await station.startApi(port)
      },
    ],
    'a replica that hangs': [
      [api.url],
      async () => api.process.child.kill('SIGSTOP'),
      async () => api.process.child.kill('SIGCONT'),
    ],
    'Redis, for one replica': [
      [other.url],
      async () => {
        toRedis.isHanging = true
      },
      async () => {
        toRedis.isHanging = false
      },
    ],
    ffmpeg: [atBoth, () => ffmpeg.remove(worker), ffmpeg.restore],
    Redis: [atBoth, () => station.redis.process.end('SIGKILL'), () => station.redis.restart()],
  }
  for (const [what, [sources, begin, end]] of Object.entries(outages).slice(0, isLong ? 5 : 1)) {
    const sinceMs = performance.now()
    await begin()
    const blamed = async () =>
      (await open()).flatMap(({ cause, source }) => (cause === 'no_bytes' ? [source] : [])).toSorted()
    await until(`${what}: no_bytes`, async () => (await blamed()).length === sources.length)
    t.same(await blamed(), sources, what)
    const others = (await open()).flatMap(({ cause, source }) =>
      cause === 'no_bytes' ? [] : [`${cause} ${source}`],
    )
    t.comment(`${what}: no_bytes after ${((performance.now() - sinceMs) / 1000).toFixed(1)} s; ${others}`)
    await end()
    await until(`${what} is back`, async () => (await open()).length === 0)
  }
  t.same(await data.alarms.find({ cause: 'missing_frames' }), [], 'numbers go on')
})

t.test('a song without sound is left, or silence is an alarm', async (t) => {
  const station = await prepareStation(t, [sounding, silent])
  const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
  const air = await followBroadcast(t, station)
  station.env.MONITOR_URLS = api.url
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  const data = await station.openData()
  t.teardown(() => data.close())
  const isSilent = () => {
    const marker = air.chunks.at(-1)?.markers.at(-1)
    return marker?.entryId != null && marker.title === silent.name
  }
  await air.more(4)
  if (!isSilent()) await air.bus.send({ type: 'skip' })
  await air.when('it is on air', isSilent)
  const sinceMs = performance.now()
  await air.when('it is left', () => !isSilent() || performance.now() - sinceMs > LEFT_MS)
  const causes = (await data.alarms.find()).map(({ cause }) => cause)
  t.comment(`left after ${((performance.now() - sinceMs) / 1000).toFixed(1)} s; ${causes}`)
  t.ok(causes.includes('silence') || /blank track skipped/.test(worker.output))
  t.same(
    causes.filter((cause) => cause !== 'silence'),
    [],
    'nothing else is blamed',
  )
})
