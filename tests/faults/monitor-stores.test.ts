import t from 'tap'
import { inForm } from '../harness/long-form.ts'
import { openLine } from '../harness/servers/line.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { startS3 } from '../harness/servers/s3.ts'
import { followBroadcast, mustBeWhole, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const isLong = inForm({ short: false, long: true })
/** Sound that is listened to during each fault: longer than it takes any alarm to begin, or most of them. */
const LISTENED_MS = inForm({ short: 9_000, long: 30_000 })
/** More than a monitor or a replica waits for. */
const SLOW_MS = 5_000
/** Short, so that songs and titles change during each fault. Pitches rise, so that no second is like another. */
const songs = [
  { name: 'Rise', hz: 300, rise: 20, seconds: 11, isMono: true },
  { name: 'Climb', hz: 500, rise: 15, seconds: 13, isMono: true },
]

t.test('stores that are slow or away are no alarm, since nobody hears it', async (t) => {
  const [server, s3] = await Promise.all([startPostgres(t), startS3(t)])
  const toPostgres = await openLine(t, server.port)
  const toBucket = await openLine(t, Number(new URL(s3.url).port))
  const station = await prepareStation(t, songs, {
    DATA_PROVIDER: 'sql',
    DATABASE_URL: server.url.replace(`:${server.port}`, `:${toPostgres.port}`),
    ...(await s3.env('radio')),
    S3_ENDPOINT: `http://127.0.0.1:${toBucket.port}`,
  })
  const air = await followBroadcast(t, station)
  const [api] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  station.env.MONITOR_URLS = api.url
  const monitor = await station.startMonitor()
  await monitor.printed(/monitor listening/)
  await air.more(8)

  const delay = (delayMs: number, ...lines: (typeof toPostgres)[]) => {
    for (const line of lines) line.delayMs = delayMs
  }
  const both = [toPostgres, toBucket]
  const faults: Record<string, [begin: () => unknown, end: () => unknown]> = {
    'both are slow': [() => delay(SLOW_MS, ...both), () => delay(0, ...both)],
    'both are away': [
      () => Promise.all([server.crash(), s3.stop()]),
      () => Promise.all([server.restart(), s3.start()]),
    ],
    'PostgreSQL is slow': [() => delay(SLOW_MS, toPostgres), () => delay(0, toPostgres)],
    'PostgreSQL is away': [() => server.crash(), () => server.restart()],
    'the bucket is slow': [() => delay(SLOW_MS, toBucket), () => delay(0, toBucket)],
    'the bucket is away': [() => s3.stop(), () => s3.start()],
  }
  for (const [what, [begin, end]] of Object.entries(faults).slice(0, isLong ? 6 : 2)) {
    const from = monitor.output.length
    const played = songsIn(air)
    await begin()
    await air.until(air.clock.nowMs() + LISTENED_MS)
    await end()
    const alarms = monitor.output.slice(from).match(/.*"alarm began".*/g) ?? []
    if (mustBeWhole(t, air)) t.same(alarms, [], what)
    else t.comment(`${what}: ${alarms}`)
    t.comment(`${what}: ${songsIn(air) - played} songs began`)
  }
  const data = await station.openData()
  t.teardown(() => data.close())
  const history = async () => (await data.history.find()).length
  await until('what was played is written down', async () => (await history()) >= songsIn(air) - 1)
  // Had there been one, it would have been told so.
  api.process.child.kill('SIGSTOP')
  await monitor.printed(/"alarm began"/)
  api.process.child.kill('SIGCONT')
})

type Air = Awaited<ReturnType<typeof followBroadcast>>

/** Number of songs heard so far. */
const songsIn = (air: Air) =>
  new Set(air.chunks.flatMap(({ markers }) => markers.map(({ entryId }) => entryId))).size
