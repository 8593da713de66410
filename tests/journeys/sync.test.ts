import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openMedia, readConfig } from '@solstice/adapters'
import type { HistoryItem, RadioState, ServerPayload, User } from '@solstice/contracts'
import { linesKey, linesOf, readLines, storedChapters } from '@solstice/station'
import { pino } from 'pino'
import { io, type Socket } from 'socket.io-client'
import t, { type Test } from 'tap'
import { type Process, start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { openBus } from '../harness/stations/bus.ts'
import { prepareStation, type Station } from '../harness/stations/station.ts'
import { inTime, until } from '../harness/until.ts'

t.jobs = 3
const tones = [
  { name: 'One', hz: 440, seconds: 2.5 },
  { name: 'Two', hz: 660, seconds: 3 },
  { name: 'Three', hz: 880, seconds: 3.5 },
]

function connect(t: Test, url: string): Socket {
  const socket = io(url, { transports: ['websocket'], forceNew: true })
  t.teardown(() => socket.disconnect())
  return socket
}

const event = <T>(socket: Socket, name: string): Promise<T> =>
  inTime(name, new Promise((resolve) => socket.once(name, resolve)))

/** Collects a socket's radio states until the predicate is true. */
async function syncsUntil(socket: Socket, isEnough: (syncs: RadioState[]) => boolean): Promise<RadioState[]> {
  const syncs: RadioState[] = []
  const enough = new Promise<RadioState[]>((resolve) => {
    const onSync = (sync: RadioState) => {
      syncs.push(sync)
      if (!isEnough(syncs)) return
      socket.off('sync', onSync)
      resolve(syncs)
    }
    socket.on('sync', onSync)
  })
  return inTime(String(isEnough), enough)
}

const changes = (syncs: RadioState[]) =>
  syncs.filter((sync, i) => i === 0 || sync.track !== syncs[i - 1]!.track)
const startOf = (sync: RadioState) => sync.serverTimeMs - sync.seek * 1000

/**
 * Each track began when the previous one ended, within a millisecond of rounding. On a slow machine a socket may receive
 * no event for the length of a whole track: then that track is counted in between.
 */
function assertExactEnds(t: Test, syncs: RadioState[]) {
  const starts = changes(syncs)
  const durations = new Map(starts.map(({ track, duration }) => [track, duration]))
  for (const [i, sync] of starts.slice(1).entries()) {
    const before = starts[i]!
    const apartMs = startOf(sync) - startOf(before)
    const coming = before.playlist.map(({ id }) => id)
    let [sumMs, missed] = [before.duration * 1000, 0]
    while (sumMs < apartMs - 1_000) sumMs += 1000 * (durations.get(coming[missed++]!) ?? Number.NaN)
    const lateMs = apartMs - sumMs
    t.ok(Math.abs(lateMs) <= 2, `${before.title} ended ${lateMs.toFixed(2)} ms beside its duration`)
    t.equal(sync.track, coming[missed], 'the announced next track came next')
  }
}

t.test('the connection sequence of a listener', { buffered: true }, async (t) => {
  const station = await prepareStation(t, tones, { STREAM_MODE: 'false' })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  const socket = connect(t, api.url)
  const [sync, hosts, users] = await Promise.all([
    event<RadioState>(socket, 'sync'),
    event<boolean>(socket, 'radio_hosts_mode'),
    event<User[]>(socket, 'usersUpdate'),
  ])
  t.match(sync, {
    isPlaying: true,
    isPreparing: false,
    mode: 'day',
    orderType: null,
    pendingModeSwitch: null,
  })
  t.equal(sync.playlist.length, 10)
  t.equal(hosts, false)
  t.equal(users.length, 1)

  const answer = event<ServerPayload<'listener_uid'>>(socket, 'listener_uid')
  socket.emit('listener_init')
  const { uid, artToken, artTokenExpiresIn, cooldownSecsLeft } = await answer
  t.match(uid, /^[0-9a-f]{36}$/)
  t.equal(artTokenExpiresIn, 3600)
  t.equal(cooldownSecsLeft, 0)

  const key = await fetch(`${api.url}/api/audio-key`, {
    headers: { 'X-Art-Token': artToken, 'X-Listener-Uid': uid },
  })
  t.equal(key.headers.get('cache-control'), 'no-store')
  const { token } = (await key.json()) as { token: string }
  const query = new URLSearchParams({ track: sync.track!, artToken, audioToken: token })
  const whole = await fetch(`${api.url}/api/audio/stream?${query}`)
  const bytes = Buffer.from(await whole.arrayBuffer())
  t.equal(whole.status, 200)
  t.equal(whole.headers.get('content-type'), 'audio/mpeg')
  const part = await fetch(`${api.url}/api/audio/stream?${query}`, { headers: { Range: 'bytes=1000-1999' } })
  t.equal(part.status, 206)
  t.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000)))

  t.same(await socket.emitWithAck('suggest_song', { id: sync.track }), { error: 'no_admin' })
  const ping = (await socket.emitWithAck('stream_ping', 123)) as { serverTs: number; clientTs: number }
  t.equal(ping.clientTs, 123)
  t.ok(Math.abs(ping.serverTs - Date.now()) < 60_000)
})

t.test(
  'the server ends a track at its exact moment, the same on every replica',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, { STREAM_MODE: 'false' })
    const apis = await Promise.all([station.startApi(), station.startApi(), station.startWorker()])
    const [one, two] = await Promise.all(
      apis
        .slice(0, 2)
        .map((api) =>
          syncsUntil(connect(t, (api as { url: string }).url), (syncs) => changes(syncs).length === 4),
        ),
    )
    assertExactEnds(t, one!)
    assertExactEnds(t, two!)
    const starts = new Map(one!.map((sync) => [`${sync.track} ${Math.round(startOf(sync))}`, true]))
    t.ok(starts.size > 0)
    const url = (apis[0] as { url: string }).url
    const history = (await (await fetch(`${url}/api/history`)).json()) as HistoryItem[]
    t.ok(history.length >= 3)
    for (const [i, item] of history.slice(1).entries()) {
      const before = history[i]!
      const seconds = tones.find((tone) => tone.name === before.title)!.seconds
      t.ok(
        Math.abs(item.playedAt - before.playedAt - seconds * 1000) <= 2,
        'history holds the moments of the starts',
      )
    }
  },
)

t.test(
  'without a live worker sync continues, and the next worker agrees with it',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, { STREAM_MODE: 'false', AIRCHECK_DAYS: '1' })
    const [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
    const socket = connect(t, api.url)
    await untilLibraryIsLogged(t, station)
    const all = syncsUntil(socket, (syncs) => changes(syncs).length === 5)
    await syncsUntil(socket, (syncs) => changes(syncs).length === 2)
    await worker.end('SIGKILL')
    await syncsUntil(socket, (syncs) => changes(syncs).length === 2)
    const next = await station.startWorker()
    assertExactEnds(t, await all)
    await assertReplayed(t, station, next)
  },
)

/** Until then a killed worker takes the library with it, which no state holds. */
async function untilLibraryIsLogged(t: Test, station: Station) {
  const media = await openMedia(readConfig(station.env).config, pino({ level: 'silent' }))
  t.teardown(() => media.close())
  await until('the library is logged', async () => {
    const chapters = await storedChapters(media)
    const lines = (await Promise.all(chapters.map((chapter) => readLines(media, chapter)))).flat()
    return lines.some(({ input }) => input?.type === 'fact' && input.fact.type === 'library')
  })
}

/** The command line comes to the history of the station, and knows why the last track was played. */
async function assertReplayed(t: Test, station: Station, worker: Process) {
  const { bus } = await openBus(t, station.env.REDIS_URL!)
  t.match(await bus.send({ type: 'skip' }), { ok: true })
  const skippedMs = Date.now()
  await worker.end('SIGTERM')
  const program = await programOf('scripts/station.ts')
  const run = async (...args: string[]) => {
    const command = start(t, process.execPath, [program, ...args], station.env)
    t.equal(await command.exited, 0, command.output)
    return command.output
  }
  const span = ['--from', new Date(skippedMs - 3_600_000).toISOString()]
  span.push('--to', new Date(skippedMs + 60_000).toISOString())
  const replayed = await run('replay', ...span)
  t.match(replayed, /the same result as then: \d+ steps\n$/)
  const played = [...replayed.matchAll(/^([\d-]+) ([\d:]+) (\S+) {2}.*\(day\/(\w+)\.mp3\)$/gm)]
  const data = await station.openData()
  const history = (await data.history.find()).toSorted((a, b) => a.playedAt - b.playedAt)
  await data.close()
  t.same(
    played.map(([, , , , title]) => title),
    history.map(({ title }) => title),
  )
  for (const [i, [, day, time, zone]] of played.entries())
    t.ok(Math.abs(Date.parse(`${day}T${time}${zone}`) - history[i]!.playedAt) < 2_000)

  t.notMatch(replayed, 'written by')
  t.match(await run('why', new Date(skippedMs + 100).toISOString()), /an admin skipped .* \(rule A7\)/)
  await ascribeLogbook(t, station, '0.0.1')
  const isTold = /written by 0\.0\.1, run again by \d+\.\d+\.\d+/
  t.match(await run('why', new Date(skippedMs + 100).toISOString()), isTold)
  t.match(await run('replay', ...span), isTold)
  const report = join(station.env.DATA_DIR!, 'report.gz')
  t.match(await run('report', ...span, report), isTold)
  const again = await run('replay', '--report', report)
  t.match(again, isTold)
  t.match(again, /the same result as then/)
}

/** Makes another version the writer of the logbook. */
async function ascribeLogbook(t: Test, station: Station, version: string) {
  const media = await openMedia(readConfig(station.env).config, pino({ level: 'silent' }))
  t.teardown(() => media.close())
  for (const { id } of await storedChapters(media)) {
    const lines = await linesOf(media, linesKey(id))
    const others = lines.map((line) => `${line.replace(/"version":"[^"]+"/, `"version":"${version}"`)}\n`)
    await media.put(linesKey(id), gzipSync(others.join('')))
  }
}

t.test(
  'kill -9 of Redis: sync continues, and the place in the programme is kept',
  { buffered: true },
  async (t) => {
    const station = await prepareStation(t, tones, { STREAM_MODE: 'false' })
    const [api] = await Promise.all([station.startApi(), station.startWorker()])
    const socket = connect(t, api.url)
    const all = syncsUntil(socket, (syncs) => changes(syncs).length === 5)
    await syncsUntil(socket, (syncs) => changes(syncs).length === 2)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await station.redis.process.end('SIGKILL')
    await syncsUntil(socket, (syncs) => syncs.length === 2)
    await station.redis.restart()
    assertExactEnds(t, await all)
    await until('the replica is ready again', async () => (await fetch(`${api.url}/readyz/stream`)).ok)
  },
)
