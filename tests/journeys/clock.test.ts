import type { RadioState, ServerPayload } from '@solstice/contracts'
import { trackRef } from '@solstice/station'
import t from 'tap'
import { openSocket } from '../harness/people/socket-client.ts'
import { machineClock } from '../harness/processes/machine-clock.ts'
import { freePort } from '../harness/processes/processes.ts'
import { chunksApart, followOthers, prepareWithMounts } from '../harness/stations/heard.ts'
import { segmentsIn } from '../harness/stations/players/hls-player.ts'
import { playSegments } from '../harness/stations/players/segments.ts'
import { followBroadcast, mustBeWhole, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const EIGHT_HOURS_MS = 8 * 60 * MINUTE_MS
/** Pitches that rise, or the monitor would hear a second again and again. */
const tones = [
  { name: 'One', hz: 440, rise: 20, seconds: 3 },
  { name: 'Two', hz: 660, rise: 20, seconds: 4 },
  { name: 'Three', hz: 880, rise: 20, seconds: 5 },
]
// Most of the time is spent listening: the two stations run side by side.
t.jobs = 2

t.test(
  'the clock of the machine is set while the station is on air, and between two runs',
  { buffered: true },
  async (t) => {
    const wall = await machineClock(t)
    const station = await prepareWithMounts(t, tones, {}, wall.env)
    const port = await freePort()
    let [api, worker] = await Promise.all([station.startApi(port), station.startWorker()])
    const air = await followBroadcast(t, station)
    const others = await followOthers(t, station)
    const segments = playSegments(t, [api.url], { 'mp3-128': air, 'aac-64': others.mounts[1]! })
    await air.more(4)
    let client = openSocket(t, api.url)
    const data = await station.openData()
    t.teardown(() => data.close())
    type Introduced = ServerPayload<'listener_uid'>
    const introduce = async () => {
      const before = client.all('listener_uid').length
      client.socket.emit('listener_init')
      await client.first('listener_uid', () => client.all('listener_uid').length > before)
      return client.all('listener_uid').at(-1) as Introduced
    }
    const isNow = ({ serverTimeMs }: RadioState) => Math.abs(serverTimeMs - wall.nowMs()) < MINUTE_MS
    const { artToken, uid } = await introduce()
    const track = trackRef((await data.tracks.get('day/Two.mp3'))!)
    const asked = await air.bus.send({
      type: 'request-track',
      uid,
      socketId: client.socket.id!,
      track,
      mode: 'day',
    })
    t.match(asked, { ok: true })
    const askedAtMs = performance.now()
    const secsLeft = async () => (await introduce()).cooldownSecsLeft + (performance.now() - askedAtMs) / 1000
    const total = await secsLeft()

    const playlist = () => `${api.url}/api/hls/aac-64/live.m3u8`
    const holds = async (what: string) => {
      const sync = await client.first<RadioState>('sync', isNow)
      t.ok(isNow(sync), `${what}: serverTimeMs is right`)
      await until('there are segments', async () => (await fetch(playlist())).ok)
      const listed = segmentsIn(await (await fetch(playlist())).text())
      const beganMs = wall.nowMs() - listed.at(-1)!.atMs
      t.ok(Math.abs(beganMs) < MINUTE_MS, `${what}: the last segment began ${beganMs} ms ago`)
      t.ok(sync.isPlaying && sync.seek <= sync.duration, `${what}: a song plays`)
      t.ok(Math.abs((await secsLeft()) - total) < 10, `${what}: the cooldown lasts as long as it did`)
      const art = await fetch(`${api.url}/api/avatar/none.png?token=${encodeURIComponent(artToken)}`)
      t.not(art.status, 401, `${what}: a token is good as long as it was`)
      const known = (await data.history.find()).length
      while ((await data.history.find()).length === known) await air.more(1)
      const { playedAt } = (await data.history.find()).at(-1)!
      t.ok(Math.abs(playedAt - wall.nowMs()) < MINUTE_MS, `${what}: what is kept has the right date`)
    }

    station.env.MONITOR_URLS = api.url
    const monitor = await station.startMonitor()
    await monitor.printed(/monitor listening/)
    const wallSetMs = [0]
    const set = (byMs: number) => {
      wall.step(byMs)
      wallSetMs.push(wallSetMs.at(-1)! + byMs)
    }
    for (const byMs of [-EIGHT_HOURS_MS, 5 * MINUTE_MS, EIGHT_HOURS_MS]) {
      set(byMs)
      await holds(`set by ${byMs / MINUTE_MS} min`)
    }
    const alarms = (await data.alarms.find()).map(({ cause, evidence }) => `${cause}: ${evidence}`)
    if (air.machine.isQuick(t)) t.same(alarms, [], 'the monitor hears nothing of it')
    await monitor.end()
    t.match(worker.output, /lease acquired/)
    t.notMatch(worker.output, /lease lost/, 'no lease was lost')
    for (const one of [air, ...others.mounts]) {
      const { chunks, mount } = one
      if (mustBeWhole(t, one)) t.same(chunksApart(chunks, mount), [], `${mount ?? 'the first'}: no gap`)
    }
    await segments.assertWhole(t, (mount) => mustBeWhole(t, mount), wallSetMs)

    for (const byMs of [-DAY_MS, DAY_MS]) {
      client.socket.disconnect()
      await Promise.all([worker.end(), api.process.end()])
      set(byMs)
      ;[api, worker] = await Promise.all([station.startApi(port), station.startWorker()])
      await segments.assertKept(t)
      client = openSocket(t, api.url)
      await holds(`set by ${byMs / MINUTE_MS} min between two runs`)
    }
    others.assertWhole()
    await segments.assertWhole(t, (mount) => mustBeWhole(t, mount), wallSetMs)
    const played = await data.history.find()
    const moments = played.map(({ trackId, startedAtMs }) => `${trackId} ${startedAtMs}`)
    t.equal(new Set(moments).size, moments.length, 'no start is told twice')
  },
)

t.test(
  'in sync mode nothing jumps when the clock is set, on air and between two runs',
  { buffered: true },
  async (t) => {
    const wall = await machineClock(t)
    const station = await prepareStation(t, tones, { STREAM_MODE: 'false' }, wall.env)
    let [api, worker] = await Promise.all([station.startApi(), station.startWorker()])
    let client = openSocket(t, api.url)
    const data = await station.openData()
    t.teardown(() => data.close())
    const isNow = ({ serverTimeMs }: RadioState) => Math.abs(serverTimeMs - wall.nowMs()) < MINUTE_MS
    /** The basis of a player's position: the wall-clock time at which the song on air began. */
    const startOf = ({ serverTimeMs, seek }: RadioState) => serverTimeMs - seek * 1000
    const holds = async (what: string) => {
      client.forget()
      const sync = await client.first<RadioState>('sync', (one) => isNow(one) && one.isPlaying)
      const next = await client.first<RadioState>('sync', (one) => isNow(one) && one.track !== sync.track)
      const [lasts, apart] = [sync.duration * 1000, startOf(next) - startOf(sync)]
      // Times are accurate to half of Redis's response time.
      t.ok(apart > lasts - 500, `${what}: the song is played to its end`)
      const isKept = async () => {
        const { playedAt } = (await data.history.find()).at(-1)!
        return Math.abs(playedAt - wall.nowMs()) < MINUTE_MS
      }
      await until(`${what}: what is kept has the right date`, isKept)
    }

    await holds('before')
    for (const byMs of [-DAY_MS, 5 * MINUTE_MS, DAY_MS]) {
      wall.step(byMs)
      await holds(`set by ${byMs / MINUTE_MS} min`)
    }
    t.notMatch(worker.output, /lease lost/, 'no lease was lost')
    for (const byMs of [-DAY_MS, DAY_MS]) {
      client.socket.disconnect()
      await Promise.all([worker.end(), api.process.end()])
      wall.step(byMs)
      ;[api, worker] = await Promise.all([station.startApi(), station.startWorker()])
      client = openSocket(t, api.url)
      await holds(`set by ${byMs / MINUTE_MS} min between two runs`)
    }
    const played = await data.history.find()
    const moments = played.map(({ trackId, startedAtMs }) => `${trackId} ${startedAtMs}`)
    t.equal(new Set(moments).size, moments.length, 'no start is told twice')
    const starts = played.map(({ startedAtMs }) => startedAtMs!)
    t.same(
      starts,
      starts.toSorted((a, b) => a - b),
      'and positions go on',
    )
  },
)
