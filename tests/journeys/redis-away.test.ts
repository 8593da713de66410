import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { User } from '@solstice/contracts'
import { type MountId, sleep } from '@solstice/station'
import { Redis } from 'ioredis'
import t, { type Test } from 'tap'
import { decodeChunk, keys } from '../../packages/adapters/src/air/wire.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { lastReadyMs } from '../harness/processes/last-ready.ts'
import { openLine } from '../harness/servers/line.ts'
import {
  assertConsecutive,
  assertContinuous,
  followOthers,
  LISTENED_BYTES,
  prepareWithMounts,
  startFirst,
  tones,
} from '../harness/stations/heard.ts'
import { playSegments } from '../harness/stations/players/segments.ts'
import { openPlayer } from '../harness/stations/players/stream-player.ts'
import { followBroadcast, listen, mustBeWhole } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

/** On a machine that is quick enough for a gapless broadcast. */
const MAX_EVENTS_MS = 3_000
const MAX_READY_MS = 3_000
/** Some seconds of the smaller mounts. */
const TAIL_BYTES = 32_000
const pathOf = (mount: MountId) => mount.replace(/^(\w+)-(\d+)$/, (_, codec, kbit) => `-${kbit}.${codec}`)

// Two replicas, the second one over a line that can fail.
const station = await prepareWithMounts(t, tones, { TRUST_PROXY_HOPS: '1' })
const { redis } = station
const line = await openLine(t, redis.port)
const [one, two, worker] = await Promise.all([
  station.startApi(),
  station.startApi(undefined, 1, { REDIS_URL: `redis://127.0.0.1:${line.port}` }),
  startFirst(station),
])
const air = await followBroadcast(t, station)
const segments = playSegments(t, [one.url, two.url], {
  'mp3-128': air,
  'aac-64': await followBroadcast(t, station, 'aac-64'),
})
// Nothing else asks over this connection: a script that waits for the end of a pause would hold up what comes behind it.
const direct = new Redis(redis.url).on('error', () => {})
t.teardown(() => direct.disconnect())

t.test('Redis is killed: broadcast, queue and listeners survive until it returns', (t) =>
  endRedis(t, () => redis.process.end('SIGKILL')),
)

t.test('Redis is shut down and saves nothing: the same holds', (t) =>
  endRedis(t, async () => {
    // The connection closes without an answer, and another client would ask again.
    await promisify(execFile)('redis-cli', ['-p', String(redis.port), 'shutdown', 'nosave']).catch(() => {})
    await redis.process.exited
  }),
)

t.test('Redis is emptied and killed: the same holds', (t) =>
  endRedis(t, async () => {
    // In one packet: nothing is written between the two.
    await direct.pipeline().client('UNPAUSE').flushall().exec()
    await redis.process.end('SIGKILL')
  }),
)

/** Lets nobody write any more until all that was written is read: what Redis forgets before that can't be heard by anybody. */
async function untilRead(others: (typeof air)[]): Promise<void> {
  await direct.client('PAUSE', 60_000, 'WRITE')
  for (const { chunks, mount } of [air, ...others])
    await until('everything is read', async () => {
      const entries = await direct.xrevrangeBuffer(keys.frames(mount), '+', '-', 'COUNT', 64)
      const last = entries.map(([, fields]) => decodeChunk(fields)).find((chunk) => chunk !== null)
      return chunks.at(-1)?.frame === last?.frame
    })
}

let users = 0
/** Opens a socket from another address. */
const join = (t: Test, url: string) =>
  openSocket(t, url, { headers: { 'x-forwarded-for': `203.0.113.${++users}` } })

async function endRedis(t: Test, end: () => Promise<void>): Promise<void> {
  const from = air.chunks.length
  const others = await followOthers(t, station)
  const listening = await listen(t, `${one.url}/api/stream/public.mp3`)
  const near = join(t, one.url)
  await near.first<User[]>('usersUpdate', (list) => list.length === 1)
  await air.more(6)
  // The journal is flushed once a second: changes acknowledged longer ago survive.
  await sleep(1_100)
  await untilRead(others.mounts)
  await end()
  await redis.restart()
  const backMs = performance.now()
  near.forget()
  const far = join(t, two.url)
  await near.first<User[]>('usersUpdate', (list) => list.length === 2)
  const eventsMs = Math.round(performance.now() - backMs)
  t.comment(`events of another replica come again after ${eventsMs} ms`)
  await until('the air is kept', async () => (await direct.exists(keys.air)) === 1)
  await air.more(16)
  assertConsecutive(t, air.chunks.slice(from))
  others.assertWhole()
  await segments.assertWhole(t, (mount) => mustBeWhole(t, mount))
  const ids = air.chunks.slice(from).flatMap(({ markers }) => markers.map(({ entryId }) => entryId))
  const heard = ids.filter((id, i) => id !== ids[i - 1])
  const expected = heard.map((_, i) => `e${Number(heard[0]!.slice(1)) + i}`)
  t.same(heard, expected, 'the same queue continues')
  if (mustBeWhole(t, air)) {
    await assertContinuous(t, await listening.received(LISTENED_BYTES))
    t.ok(eventsMs < MAX_EVENTS_MS, 'within 3 s')
  }
  t.notOk(listening.response.destroyed, 'no listener was disconnected')
  far.socket.disconnect()
}

t.test('a replica cut off from Redis plays what it has, ends its streams, and comes back', async (t) => {
  const from = air.chunks.length
  const ready = () => fetch(`${two.url}/readyz`)
  await until('it is ready', async () => (await ready()).ok)
  const player = openPlayer(t, `${two.url}/api/stream/public.mp3`)
  const others = await followOthers(t, station)
  await player.more(400)
  const listening = await Promise.all(
    others.mounts.map(({ mount }) => listen(t, `${two.url}/api/stream/public${pathOf(mount!)}`)),
  )
  const playlist = async (replica: string) => {
    const answer = await fetch(`${replica}/api/hls/aac-64/live.m3u8`)
    const [, last] = /(\d+)\.aac\n$/.exec(await answer.text()) ?? []
    return { status: answer.status, last: Number(last) }
  }
  await until('it has a playlist', async () => (await playlist(two.url)).status === 200)
  const known = air.chunks.at(-2)!
  const saidBefore = worker.output.length
  line.isHanging = true
  const readyMs = Math.round(await lastReadyMs(async () => (await ready()).status))
  t.comment(`ready for ${readyMs} ms`)
  if (air.machine.isQuick(t)) t.ok(readyMs <= MAX_READY_MS, 'it notices within 3 s')
  // A starved machine makes it say first that it is overloaded.
  const reason = async () => ((await (await ready()).json()) as { error?: { reason: string } }).error?.reason
  await until('it says that Redis is away', async () => (await reason()) === 'no_redis')
  t.equal((await fetch(`${one.url}/readyz`)).status, 200, 'the other one is')
  await until('its stream ends', () => player.leftOver.length > 0)
  t.same(player.leftOver, [0], 'behind a whole frame')
  const heard = player.audio
  t.ok(heard.includes(known.audio), 'what it had is heard')
  t.ok(Buffer.concat(air.chunks.map(({ audio }) => audio)).includes(heard), 'and all of it once')
  for (const [i, { response }] of listening.entries())
    await until(`${others.mounts[i]!.mount} ends`, () => response.destroyed)
  const [listed, ahead] = [await playlist(two.url), await playlist(one.url)]
  t.ok(listed.last < ahead.last, `segment ${listed.last} is the last one listed, ${ahead.last} elsewhere`)
  t.equal(
    (await fetch(`${two.url}/api/stream/public.mp3`)).status,
    503,
    'a stream that would be silent is refused',
  )
  line.isHanging = false
  await until('it is ready again', async () => (await ready()).ok)
  await player.more(400)
  t.equal(player.resumed.length, 1, 'its listeners come back')
  await until('its playlist goes on', async () => (await playlist(two.url)).last > ahead.last)
  for (const [i, one] of listening.entries()) {
    const { mount, chunks } = others.mounts[i]!
    const sent = Buffer.concat(chunks.map(({ audio }) => audio))
    // Before it there is what the ring held, and headers of Ogg.
    const tail = one.bytes().subarray(-TAIL_BYTES)
    t.ok(sent.includes(tail), `${mount}: its last sound is that of the broadcast`)
  }
  assertConsecutive(t, air.chunks.slice(from))
  await segments.assertWhole(t, (mount) => mustBeWhole(t, mount))
  t.notMatch(worker.output.slice(saidBefore), /lease lost/, 'the worker noticed nothing')
})
