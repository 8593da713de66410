import type { AirLease } from '@solstice/station'
import t from 'tap'
import { handMadeAir } from '../../../../../tests/harness/air/hand-made-air.ts'
import { type OpenApp, openApp } from '../../../../../tests/harness/stations/app.ts'
import { inTime, until } from '../../../../../tests/harness/until.ts'

/** The first, another MP3 and AAC. */
const MOUNTS = ['mp3-128', 'mp3-64', 'aac-64'] as const

/** A mount that is about to begin segment 1000, with a title for each chunk. */
function openMount(lease: AirLease, id: (typeof MOUNTS)[number], beganMs: number) {
  const [codec, bitrate] = id.split('-') as ['mp3' | 'aac', string]
  const perSegment = codec === 'mp3' ? 232 : 261
  const air = handMadeAir(Number(bitrate), beganMs, codec)
  let next = perSegment * 1_000 - 5
  air.jump({ frame: next })
  /** As many frames as a segment has. */
  const publish = () => {
    const about = { entryId: `${next}`, trackId: `${next}`, title: `Ранок ${next}`, artist: 'Артист' }
    const chunk = air.chunk(perSegment, [{ frame: next, ...about, positionMs: 0, durationMs: null }])
    next += perSegment
    return lease.publish(chunk, id === MOUNTS[0] ? undefined : id)
  }
  return { id, codec, publish }
}

t.test('the same head for everybody, segments for ever, playlists for a second', async (t) => {
  const { app, ports } = await openApp(t, { STREAM_MODE: 'true', STREAM_BITRATE: '128' })
  const lease = await ports.bus.acquireLease(new AbortController().signal)
  const air = handMadeAir(128, ports.clock.nowMs() - 20_000)
  air.jump({ frame: 232 * 1_000 - 5 })
  for (let i = 0; i < 40; i++) await lease.publish(air.chunk())
  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ method, url: `/api/hls/${path}`, headers: { host: 'localhost', ...headers } })
  await until('there are segments', async () => (await get('mp3-128/1002.mp3')).statusCode === 200)
  const [, variant] = /^(mp3-128.*)$/m.exec((await get('live.m3u8')).body)!
  t.match(variant, /^mp3-128\/live\.m3u8\?listener=[\w-]{11}$/)
  for (const [path, type, kept] of [
    [variant!, 'application/vnd.apple.mpegurl', 'public, max-age=1, stale-while-revalidate=2'],
    ['mp3-128/1001.mp3', 'audio/mpeg', 'public, max-age=31536000, immutable'],
  ] as const) {
    const replies = [await get(path), await get(path, { origin: 'http://localhost' }, 'HEAD')]
    const { etag } = replies[0]!.headers
    replies.push(await get(path, { 'if-none-match': String(etag) }))
    t.same(
      replies.map(({ statusCode, rawPayload }) => [statusCode, rawPayload.length > 0]),
      [
        [200, true],
        [200, false],
        [304, false],
      ],
      path,
    )
    for (const { headers } of replies) {
      t.match(headers, { etag, 'cache-control': kept, 'access-control-allow-origin': '*' })
      t.notOk(headers.vary)
      t.notOk(headers['access-control-allow-credentials'])
    }
    t.match(replies[0]!.headers['content-type'], type)
  }
  await lease.release()
})

t.test(
  'two replicas tell the same of each mount, and one that leaves hands out what comes next',
  async (t) => {
    const env = { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:128,mp3:64,aac:64' }
    const one = await openApp(t, env)
    const { bus, clock } = one.ports
    const lease = await bus.acquireLease(new AbortController().signal, ['mp3-64', 'aac-64'])
    const mounts = MOUNTS.map((id) => openMount(lease, id, clock.nowMs() - 25_000))
    const ask = async ({ app }: OpenApp, path: string) => {
      const { statusCode, headers, rawPayload } = await app.inject(`/api/hls/${path}`)
      const { etag, 'cache-control': kept } = headers
      return { statusCode, etag, kept, bytes: rawPayload }
    }
    const has = (replica: OpenApp, number: number) => async () =>
      (await Promise.all(mounts.map(({ id, codec }) => ask(replica, `${id}/${number}.${codec}`)))).every(
        ({ statusCode }) => statusCode === 200,
      )

    for (const { publish } of [...mounts, ...mounts]) await publish()
    await until('a segment', has(one, 1_000))
    // It has to read what was before its time.
    const two = await openApp(t, env, undefined, one)
    for (const { publish } of mounts) await publish()
    for (const replica of [one, two]) await until('all segments', has(replica, 1_001))
    for (const { id, codec } of mounts) {
      for (const file of ['live.m3u8', `1000.${codec}`, `1001.${codec}`]) {
        const [told, same] = await Promise.all([one, two].map((replica) => ask(replica, `${id}/${file}`)))
        t.equal(told!.statusCode, 200, `${id}/${file}`)
        t.same(told, same, `${id}/${file}`)
      }
      const { bytes } = await ask(two, `${id}/1001.${codec}`)
      t.match(bytes.toString('latin1', 0, 3), 'ID3')
      t.ok(bytes.includes('transportStreamTimestamp') && bytes.includes('Ранок'), 'the tag is the same, too')
    }
    const listed = await Promise.all([one, two].map((replica) => ask(replica, 'live.m3u8')))
    const [master, sameMaster] = listed.map(({ bytes }) => bytes.toString().replace(/listener=.*/g, ''))
    t.equal(master, sameMaster, 'but for the id of the listener')

    const url = await two.app.listen({ port: 0, host: '127.0.0.1' })
    let asked = 0
    two.app.server.on('request', () => asked++)
    const answers = Promise.all(mounts.map(({ id, codec }) => fetch(`${url}/api/hls/${id}/1002.${codec}`)))
    await until('the requests', () => asked === mounts.length)
    const closed = two.app.close()
    for (const { publish } of mounts) await publish()
    for (const [i, answer] of (await inTime('the answers', answers)).entries()) {
      const { id, codec } = mounts[i]!
      t.equal(answer.status, 200, `${id} was waited for while the replica left`)
      const bytes = Buffer.from(await answer.arrayBuffer())
      await until('the other one has it', has(one, 1_002))
      t.same(bytes, (await ask(one, `${id}/1002.${codec}`)).bytes)
    }
    await inTime('the end of the replica', closed)
    await lease.release()
  },
)

t.test('caches keep for a second that something is not there, and no other refusal', async (t) => {
  const { app } = await openApp(t, { STREAM_MODE: 'true' })
  const headOf = async (path: string) => {
    const { statusCode, headers } = await app.inject({
      url: `/api/hls/${path}`,
      headers: { origin: 'http://localhost', host: 'localhost' },
    })
    return [statusCode, headers['cache-control'], headers['access-control-allow-origin'], headers.vary]
  }
  const kept = ['public, max-age=1', '*', undefined]
  t.same(await headOf('mp3-64/live.m3u8'), [404, ...kept])
  t.same(await headOf('mp3-64/1.mp3'), [404, ...kept])
  for (const path of ['live.m3u8', 'mp3-192/live.m3u8']) t.same(await headOf(path), [503, ...kept], path)
  const [status, cacheControl] = await headOf('mp3-192/one.mp3')
  t.same([status, cacheControl], [400, 'no-store'])
})

t.test('an address may ask 4 000 times in 10 s', async (t) => {
  const { app } = await openApp(t, { TRUST_PROXY_HOPS: '1', STREAM_MODE: 'true' })
  const ask = (address: string) =>
    app.inject({ url: '/api/hls/mp3-192/live.m3u8', headers: { 'x-forwarded-for': address } })
  for (let i = 0; i < 3_999; i++) await ask('203.0.113.7')
  t.equal((await ask('203.0.113.7')).statusCode, 503)
  const refused = await ask('203.0.113.7')
  t.equal(refused.statusCode, 429)
  t.equal(refused.headers['cache-control'], 'no-store')
  t.ok(Number(refused.headers['retry-after']) <= 10)
  t.equal((await ask('203.0.113.8')).statusCode, 503, 'others may')
})
