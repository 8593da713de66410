import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startNginx } from '../harness/servers/nginx.ts'
import { inTime, until } from '../harness/until.ts'

t.test('nginx limits the connections of an IPv6 network as a whole, and of no other', async (t) => {
  let held = 0
  const replica = createServer(({ url }, response) => {
    if (url?.endsWith('/held')) held++
    else response.end('answer')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    replica.closeAllConnections()
    replica.close()
  })
  await once(replica, 'listening')
  const { port } = replica.address() as AddressInfo
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

const KEPT = {
  'live.m3u8': 'public, max-age=3',
  '7.mp3': 'public, max-age=31536000, immutable',
  '8.mp3': 'public, max-age=1',
}

t.test('however many ask for a playlist or a segment, one request reaches a replica', async (t) => {
  const asked = { 'live.m3u8': 0, '7.mp3': 0, '8.mp3': 0 }
  const held: (() => void)[] = []
  const replica = createServer(({ url }, response) => {
    const file = /[^/?]+(?=\?|$)/.exec(url!)![0] as keyof typeof asked
    if (!(file in asked)) return void response.end()
    const body = `${file} ${++asked[file]}`
    // Long enough for a crowd to arrive on a busy machine, and without `stale-while-revalidate`, which ends.
    const kept = KEPT[file]
    if (file === '8.mp3') response.statusCode = 404
    held.push(() => response.setHeader('cache-control', kept).end(body))
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    replica.closeAllConnections()
    replica.close()
  })
  await once(replica, 'listening')
  const { url } = await startNginx(t, [(replica.address() as AddressInfo).port])
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
