import type { AddressInfo } from 'node:net'
import type { NowPlaying } from '@solstice/contracts'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { followEvents } from '../../../../tests/harness/people/event-source.ts'
import { until } from '../../../../tests/harness/until.ts'
import { useContract } from '../http/contract.ts'
import { createNowPlayingEvents, type NowPlayingEventsDeps } from './events.ts'
import type { Snapshot } from './snapshots.ts'

/** Events of an air made by hand, behind one proxy. */
async function open(t: Test, options: Partial<NowPlayingEventsDeps> = {}) {
  let taken = 0
  let now: Snapshot = snapshotOf('one', 1)
  const followers = new Set<() => void>()
  const events = createNowPlayingEvents({
    snapshots: {
      now: () => {
        taken++
        return now
      },
      renew() {},
    },
    air: {
      onState(listener) {
        const tell = () => listener({} as never, null)
        followers.add(tell)
        return () => followers.delete(tell)
      },
    },
    config: { trustProxyHops: 1 },
    origins: { ownOrigin: ({ headers }) => `http://${headers.host}` },
    ...options,
  })
  const app = Fastify()
  useContract(app, { knows: () => true, admit: async () => undefined as never })
  app.get('/', { config: { contract: 'internal' } }, (request, reply) => {
    events.serve(request, reply)
    return reply
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    events.close()
    await app.close()
  })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`
  return {
    events,
    url,
    get taken() {
      return taken
    },
    get followers() {
      return followers.size
    },
    follow: (address: string, headers = {}) =>
      followEvents(t, url, { 'x-forwarded-for': address, ...headers }),
    say(song: string, listeners: number) {
      now = snapshotOf(song, listeners)
      for (const tell of followers) tell()
    },
  }
}

function snapshotOf(song: string, listeners: number): Snapshot {
  const reply = (origin: string) => ({ song, listeners, origin }) as unknown as NowPlaying
  return { digest: song, etag: `W/"${song}-${listeners}"`, replyFor: reply }
}

interface Event {
  song: string
  listeners: number
  origin: string
}

t.test('a client gets the present state at once, and each change when it comes', async (t) => {
  const station = await open(t)
  const client = await station.follow('203.0.113.1', { 'last-event-id': 'of yesterday' })
  t.equal(client.status, 200)
  t.match(client.headers, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  const { origin } = await client.event<Event>(({ song }) => song === 'one')
  t.equal(`${origin}/`, station.url)
  station.say('two', 1)
  await client.event<Event>(({ song }) => song === 'two')
  t.match(client.text, /^retry: \d{4}\n\nid: one-1\ndata: \{.*\}\n\nid: two-1\ndata: \{.*\}\n\n$/)
})

t.test('clients share one look at the air, which ends with the last of them', async (t) => {
  const station = await open(t)
  const clients = await Promise.all(Array.from({ length: 20 }, (_, i) => station.follow(`203.0.113.${i}`)))
  const before = station.taken
  t.equal(station.followers, 1)
  station.say('two', 1)
  t.equal(station.taken - before, 1)
  for (const client of clients) client.close()
  await until('nobody follows', () => station.events.clients === 0)
  t.equal(station.followers, 0)
})

t.test('listeners who come and go are no news of their own', async (t) => {
  const station = await open(t)
  const client = await station.follow('203.0.113.1')
  station.say('one', 2)
  station.say('two', 3)
  await client.event<Event>(({ song }) => song === 'two')
  t.same(
    client.events<Event>().map(({ listeners }) => listeners),
    [1, 3],
  )
})

t.test('a silent connection gets a comment now and then', async (t) => {
  const station = await open(t, { heartbeatMs: 0 })
  const client = await station.follow('203.0.113.1')
  await until('a comment', () => client.text.includes('\n\n:\n\n'))
  t.equal(client.events().length, 1)
})

t.test('clients are bounded per address and for the replica; one that leaves makes room', async (t) => {
  const station = await open(t, { maxPerAddress: 2, maxClients: 3 })
  const first = await station.follow('203.0.113.1')
  t.equal((await station.follow('203.0.113.1')).status, 200)
  const refused = await station.follow('203.0.113.1')
  t.equal(refused.status, 429)
  t.equal(refused.headers['retry-after'], '30')
  t.equal((await station.follow('203.0.113.2')).status, 200)
  t.equal((await station.follow('203.0.113.3')).status, 429, 'the replica is full')
  first.close()
  await until('there is room', () => station.events.clients === 2)
  t.equal((await station.follow('203.0.113.1')).status, 200)
})

t.test('a replica that shuts down ends all connections, and takes no new ones', async (t) => {
  const station = await open(t)
  const client = await station.follow('203.0.113.1')
  await client.event<Event>(() => true)
  station.events.close()
  await client.ended
  t.match(client.text, /\n\n$/, 'behind a whole event')
  t.equal((await station.follow('203.0.113.1')).status, 503)
})
