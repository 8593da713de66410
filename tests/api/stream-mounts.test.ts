import type { NowPlaying } from '@solstice/contracts'
import type { AirLease, MountId } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { Value } from 'typebox/value'
import { createOpusPager } from '../../apps/stream-worker/src/audio/codec/opus-pages.ts'
import { NowPlaying as Shape } from '../../packages/contracts/src/resources/sites/now-playing.ts'
import { adtsFrame, mp3Frame, opusPacket } from '../harness/air/hand-made-air.ts'
import { openApp } from '../harness/stations/app.ts'
import { inTime, until } from '../harness/until.ts'

const URL_OF = '/api/now-playing'
/** Within the limit of requests. */
const EVERY_MS = 600

/** A function that sends a frame of each mount and returns those beside the first. */
function publishFrames(lease: AirLease, atMs: number) {
  const pager = createOpusPager(null)
  return async (frame: number) => {
    const others = {
      'mp3-64': mp3Frame(frame, 64),
      'aac-64': adtsFrame(frame, 64),
      'opus-64': pager.pages({ frame, frames: [opusPacket(frame, 64)], markers: [] }, null),
    }
    const chunk = { frame, frames: 1, atMs, byte: 0, markers: [] }
    await lease.publish({ ...chunk, audio: mp3Frame(frame, 128) })
    for (const [mount, audio] of Object.entries(others))
      await lease.publish({ ...chunk, audio }, mount as MountId)
    return others
  }
}

/** Waits until the status of each replica tells these numbers of listeners, the first mount first. */
async function untilCounted(replicas: FastifyInstance[], listeners: string): Promise<void> {
  let asked = 0
  const count = async (replica: FastifyInstance) => {
    // An address may ask so often a minute.
    const remoteAddress = `203.0.113.${++asked % 256}`
    const { icestats } = (await replica.inject({ url: '/status-json.xsl', remoteAddress })).json()
    return (icestats.source as { listeners: number }[]).map((source) => source.listeners).join()
  }
  const areSo = async () => (await Promise.all(replicas.map(count))).every((each) => each === listeners)
  await until(`all replicas count ${listeners}`, areSo, EVERY_MS)
}

t.test('each mount has an address of its own, and listeners of its own in the status', async (t) => {
  const env = { STREAM_MODE: 'true', NIGHT_MODE: 'false', STREAM_MOUNTS: 'mp3:128, mp3:64, aac:64, opus:64' }
  const station = await openApp(t, env)
  const { app, ports } = station
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const now = (await app.inject(URL_OF)).json() as NowPlaying
  t.ok(Value.Check(Shape, now))
  const at = (name: string) => `http://localhost/api/stream/${name}`
  t.same(now.streams, [
    { url: at('public.mp3'), format: 'audio/mpeg', bitrate: 128 },
    { url: at('public-64.mp3'), format: 'audio/mpeg', bitrate: 64 },
    { url: at('public-64.aac'), format: 'audio/aac', bitrate: 64 },
    { url: at('public-64.opus'), format: 'audio/ogg', bitrate: 64 },
  ])
  t.same(
    (await app.inject('/api/public/config')).json().streams,
    now.streams.map(({ url, ...stream }) => ({ path: new URL(url).pathname, ...stream })),
    'and the page knows them',
  )
  t.match((await app.inject('/api/stream/public-64.mp3')).json(), { error: { code: 'STREAM_NOT_READY' } })
  for (const unknown of ['public-128.mp3', 'public-96.aac', 'public-96.opus'])
    t.match((await app.inject(`/api/stream/${unknown}`)).json(), { error: { code: 'NOT_FOUND' } }, unknown)
  t.match((await app.inject('/api/stream/public-x.aac')).json(), { error: { code: 'BAD_REQUEST' } })

  const lease = await ports.bus.acquireLease(new AbortController().signal, ['mp3-64', 'aac-64', 'opus-64'])
  // Sound that is current to the end of the test.
  const atMs = ports.clock.nowMs() + 60_000
  const publish = publishFrames(lease, atMs)
  const frames = await publish(7)
  for (const [name, type] of [
    ['public-64.mp3', 'audio/mpeg'],
    ['public-64.aac', 'audio/aac'],
    ['public-64.opus', 'audio/ogg'],
    ['public.opus', 'audio/ogg'],
  ] as const) {
    const address = `${url}/api/stream/${name}`
    await until(name, async () => (await fetch(address, { method: 'HEAD' })).status === 200, EVERY_MS)
    const { headers } = await fetch(address, {
      method: 'HEAD',
      headers: { origin: 'https://elsewhere.example' },
    })
    t.equal(headers.get('content-type'), type)
    t.equal(headers.get('icy-br'), '64')
    t.equal(headers.get('x-stream-frame'), '7')
    t.equal(headers.get('access-control-allow-origin'), '*')
  }
  const other = await openApp(t, env, undefined, station)
  const otherUrl = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async (at: string, name: string, mount: keyof typeof frames) => {
    const address = `${at}/api/stream/${name}`
    await until(name, async () => (await fetch(address, { method: 'HEAD' })).status === 200, EVERY_MS)
    const reader = (await fetch(address)).body!.getReader()
    t.same(Buffer.from((await inTime('the burst', reader.read())).value!), frames[mount])
    return reader
  }
  const readers = [
    await join(url, 'public-64.aac', 'aac-64'),
    await join(url, 'public-64.opus', 'opus-64'),
    await join(otherUrl, 'public-64.aac', 'aac-64'),
    await join(otherUrl, 'public-64.mp3', 'mp3-64'),
  ]
  const areCounted = (listeners: string) => untilCounted([app, other.app], listeners)
  await areCounted('0,1,2,1')
  const { source } = (await app.inject('/status-json.xsl')).json().icestats
  t.match(source, [{}, {}, { server_type: 'audio/aac' }, { server_type: 'audio/ogg' }])
  await until(
    'the station has all',
    async () => (await other.app.inject(URL_OF)).json().listeners === 4,
    EVERY_MS,
  )
  await readers[2]!.cancel()
  await areCounted('0,1,1,1')
  for (const reader of readers) await reader.cancel()
  await areCounted('0,0,0,0')

  for (const [mount, audio] of Object.entries(await publish(8))) {
    const address = `${url}/api/stream/public-${mount.split('-').reverse().join('.')}?from=8`
    const resumed = await fetch(address, { headers: { range: 'bytes=0-' } })
    t.match([resumed.status, resumed.headers.get('x-stream-frame')], [200, '8'], mount)
    const reader = resumed.body!.getReader()
    let body = Buffer.alloc(0)
    while (!body.includes(audio))
      body = Buffer.concat([body, (await inTime('the frame', reader.read())).value!])
    t.notOk(
      body.includes(frames[mount as keyof typeof frames]),
      'it begins with the frame that was asked for',
    )
    await reader.cancel()
  }
  await lease.release()
})
