import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import t from 'tap'
import type { Teardown } from '../harness/processes/processes.ts'
import { startNginx } from '../harness/servers/nginx.ts'
import { inTime, until } from '../harness/until.ts'

t.test('nginx limits the connections of an IPv6 network as a whole, and of no other', async (t) => {
  let held = 0
  const port = await openReplica(t, ({ url }, response) => {
    if (url?.endsWith('/held')) held++
    else response.end('answer')
  })
  const { url } = await startNginx(t, [port], { isBehindProxy: true })
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const ask = (path: string, address: string) =>
    fetch(`${url}${path}`, { headers: { 'x-forwarded-for': address }, signal: leaving.signal })
  for (let i = 0; i < 50; i++) ask('/held', `2001:db8:1:2:${i.toString(16)}::a`).catch(() => {})
  for (let i = 0; i < 49; i++) ask('/held', '203.0.113.7').catch(() => {})
  for (let i = 0; i < 60; i++) ask('/socket.io/held', '203.0.113.9').catch(() => {})
  await until('all are held', () => held === 159)
  t.equal((await ask('/', '2001:db8:1:2:ffff::1')).status, 429)
  t.equal((await ask('/', '2001:db8:1:3::1')).status, 200, 'another network')
  t.equal((await ask('/', '2001:db8:1:20a::1')).status, 200, 'a line feed is a byte like others')
  t.equal((await ask('/', '203.0.113.8')).status, 200, 'of IPv4 the whole address counts')
  t.equal((await ask('/', '203.0.113.7')).status, 200, 'its fiftieth')
  t.equal((await ask('/', '203.0.113.9')).status, 200, 'sockets are counted by themselves')
})

/** One for each way to listen. */
const LISTENED = [
  '/api/stream',
  '/api/stream/public.mp3',
  '/api/stream/public-64.mp3',
  '/api/stream/public-64.aac',
  '/api/stream/public.opus',
  '/api/stream/public-64.opus',
  '/api/hls/live.m3u8',
  '/api/hls/aac-64/live.m3u8',
  '/api/hls/aac-64/7.aac',
  '/api/hls/mp3-128/7.mp3',
]
const MAX_LISTENERS = 1_000

t.test(
  'a mount without sound at one replica is asked for at the other one, and nothing else is',
  async (t) => {
    const refused = new Set<string>()
    const ports = await Promise.all([
      openReplica(t, ({ url }, response) => {
        refused.add(url!)
        response.writeHead(503).end('no sound')
      }),
      openReplica(t, (_, response) => response.end('sound')),
    ])
    const nginx = await startNginx(t, ports)
    /** Statuses of a path until the replica that refuses was asked: at the second request, as both have equally much to do. */
    const statusesOf = async (path: string) => {
      const statuses = new Set<number>()
      refused.clear()
      await until(`${path} is refused`, async () => {
        statuses.add((await fetch(nginx.url + path)).status)
        return refused.has(path)
      })
      return [...statuses]
    }
    for (const path of [...LISTENED, '/readyz', '/readyz/stream']) t.same(await statusesOf(path), [200], path)
    for (const path of ['/api/public/config', '/api/stream/status', '/api/stream/public.mp3/more'])
      t.ok((await statusesOf(path)).includes(503), `${path}: the refusal is the reply`)
  },
)

t.test(
  'a thousand listeners of an address share the mounts and HLS, and are counted by themselves',
  async (t) => {
    let held = 0
    const port = await openReplica(t, ({ url }, response) => {
      if (url?.endsWith('?held')) held++
      else response.end('sound')
    })
    const nginx = await startNginx(t, [port], { isBehindProxy: true })
    const statusOf = async (path: string, address = '203.0.113.7') =>
      (await fetch(nginx.url + path, { headers: { 'x-forwarded-for': address } })).status
    // The cache of HLS lets one request through for each playlist.
    const paths = LISTENED.filter((path) => path.startsWith('/api/stream'))
    const hold = async (count: number) => {
      const wanted = held + count
      for (let i = 0; i < count; i++) {
        const socket = connect(nginx.port, '127.0.0.1').on('error', () => {})
        t.teardown(() => socket.destroy())
        const head = `GET ${paths[i % paths.length]}?held HTTP/1.1\r\nhost: localhost`
        socket.write(`${head}\r\nx-forwarded-for: 203.0.113.7\r\n\r\n`)
      }
      await until(`${wanted} are held`, () => held === wanted)
    }
    await hold(MAX_LISTENERS - 1)
    const last = [...LISTENED, '/api/now-playing/events']
    for (const path of last)
      await until(`${path} has room for one`, async () => (await statusOf(path)) === 200)
    await hold(1)
    for (const path of last) {
      t.equal(await statusOf(path), 429, path)
      t.equal(await statusOf(path, '203.0.113.8'), 200, `${path} from another address`)
    }
    for (const path of ['/', '/api/public/config', '/socket.io/'])
      t.equal(await statusOf(path), 200, `${path} is not counted with them`)
  },
)

const KEPT = {
  'live.m3u8': 'public, max-age=3',
  '7.mp3': 'public, max-age=31536000, immutable',
  '8.mp3': 'public, max-age=1',
}

t.test('however many ask for a playlist or a segment, one request reaches a replica', async (t) => {
  const asked = { 'live.m3u8': 0, '7.mp3': 0, '8.mp3': 0 }
  const held: (() => void)[] = []
  const port = await openReplica(t, ({ url }, response) => {
    const file = /[^/?]+(?=\?|$)/.exec(url!)![0] as keyof typeof asked
    if (!(file in asked)) return void response.end()
    const body = `${file} ${++asked[file]}`
    // Long enough for a crowd to arrive on a busy machine, and without `stale-while-revalidate`, which ends.
    const kept = KEPT[file]
    if (file === '8.mp3') response.statusCode = 404
    held.push(() => response.setHeader('cache-control', kept).end(body))
  })
  const { url } = await startNginx(t, [port])
  const ask = async (file: string) => {
    const answer = await fetch(`${url}/api/hls/mp3-128/${file}`)
    return answer.text()
  }
  const crowd = (file: string, ending = '') =>
    Array.from({ length: 20 }, (_, i) => ask(file + ending + (ending && i)))
  const answerOne = async () => {
    await until('a request reaches the replica', () => held.length > 0)
    held.pop()!()
  }

  for (const [file, ending] of [
    ['live.m3u8', '?listener='],
    ['7.mp3', ''],
  ] as const) {
    const first = crowd(file, ending)
    await answerOne()
    t.same(new Set(await inTime('the answers', Promise.all(first))), new Set([`${file} 1`]), file)
    t.equal(asked[file], 1)
  }

  const waiting: Promise<string>[] = []
  await until('the playlist is old', () => {
    if (asked['live.m3u8'] === 1) waiting.push(ask('live.m3u8'))
    return asked['live.m3u8'] === 2
  })
  const others = await inTime('the others', Promise.all(crowd('live.m3u8', '?listener=')))
  t.same(new Set(others), new Set(['live.m3u8 1']), 'they get the former one while it is fetched')
  t.equal(asked['live.m3u8'], 2)
  await answerOne()
  t.ok((await inTime('who asked', Promise.all(waiting))).includes('live.m3u8 2'), 'and who asked the new one')

  t.same(new Set(await Promise.all(crowd('7.mp3'))), new Set(['7.mp3 1']))
  t.equal(asked['7.mp3'], 1, 'a segment is kept')

  const tooEarly = crowd('8.mp3')
  await answerOne()
  t.same(new Set(await inTime('the refusals', Promise.all(tooEarly))), new Set(['8.mp3 1']))
  t.equal(asked['8.mp3'], 1, 'nor does a crowd that asks too early')
  await until('it is asked for again', () => {
    if (asked['8.mp3'] === 1) ask('8.mp3').catch(() => {})
    return asked['8.mp3'] === 2
  })
  await answerOne()
})

/** A replica that answers like this, until the test ends. @returns its port. */
async function openReplica(t: Teardown, answer: RequestListener): Promise<number> {
  const replica = createServer(answer).listen(0, '127.0.0.1')
  t.teardown(() => {
    replica.closeAllConnections()
    replica.close()
  })
  await once(replica, 'listening')
  return (replica.address() as AddressInfo).port
}
