import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import {
  openAnnouncer,
  openJsonData,
  openMicrophones,
  openRedisBus,
  openReplicaLink,
  openReplicas,
} from '@solstice/adapters'
import { failureBody, type RadioState } from '@solstice/contracts'
import { initialState, type PlayoutState, type TrackRef } from '@solstice/playout'
import { createAudit, createSessions, defaultSettings } from '@solstice/station'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { handMadeAir } from '../../../../tests/harness/air/hand-made-air.ts'
import { openSocket, type SocketClient } from '../../../../tests/harness/people/socket-client.ts'
import { startRedis, type Teardown, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { PATIENCE_MS, until } from '../../../../tests/harness/until.ts'
import { createAdminTokens } from '../auth/admin-tokens.ts'
import { createTokens } from '../auth/tokens.ts'
import { clientAddress, createOrigins } from '../limits/client-address.ts'
import { createAirMirror } from '../stream/mirror.ts'
import { attachGateway } from './gateway.ts'
import { aliases } from './presence/aliases.ts'

const redisServer = await startRedis(t)
const redis = new Redis(redisServer.url)
t.teardown(() => redis.disconnect())
const replicas = openReplicas(redis, { onSet: () => () => {} })

async function replica(
  t: Teardown,
  overrides: { streamMode?: boolean; rosterLimit?: number } = {},
  mostPerAddress?: number,
) {
  const air = handMadeAir()
  const log = pino({ level: 'silent' })
  const mirror = createAirMirror({ bus: air.bus, log })
  const config = {
    trustProxyHops: 1,
    streamMode: true,
    radioHostsMode: false,
    rosterLimit: 100,
    timeZone: 'Europe/Kyiv',
    nightMode: false,
    dayStartHour: 6,
    nightStartHour: 0,
    publicServerUrl: '',
    clientOrigins: ['http://page.example'],
    artTokenSecret: 'a secret of the test',
    artTokenTtlS: 3600,
    audioTokenTtlS: 900,
    suggestCooldownS: 300,
    ...overrides,
  }
  const uiSettings = { ...defaultSettings.branding, artistArts: defaultSettings.artistArts }
  const tokens = createTokens(config)
  const data = await openJsonData(await temporaryFolder(t))
  const bus = openRedisBus(redis, { ...air.clock, aheadMs: () => 0 }, log)
  const announcer = openAnnouncer(redis)
  const microphones = openMicrophones(redis)
  const link = await openReplicaLink(redis, log)
  const app = Fastify()
  await app.register(cookie)
  await app.register(jwt, { secret: 'a secret of the test' })
  const gateway = await attachGateway(app, {
    config,
    mirror,
    clock: air.clock,
    data,
    bus,
    audit: createAudit({ data, announcer, clock: air.clock, isOn: true }),
    microphones,
    replicas,
    capabilities: { ipModeration: true },
    link,
    tokens,
    origins: createOrigins(config),
    adminTokens: createAdminTokens(app.jwt, 'a secret of the test', air.clock),
    sessions: createSessions({ data, announcer, clock: air.clock, log }),
    findAdmin: async () => null,
    announcer,
    settings: { now: () => uiSettings, onChange: () => () => {}, close() {} },
    aliases,
    log,
    maxPerAddress: mostPerAddress,
  })
  app.get('/uid', (request) =>
    tokens.uidOf(clientAddress(request.ip, request.headers['x-forwarded-for']?.toString(), 1)),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const clients: SocketClient[] = []
  t.teardown(async () => {
    for (const { socket } of clients) socket.disconnect()
    await until('all sockets are gone', () => gateway.sockets === 0)
    await app.close()
    await link.close()
    await mirror.close()
    microphones.close()
    await Promise.all([bus.close(), data.close()])
  })
  const join = async (options: Parameters<typeof openSocket>[2] = {}) => {
    const client = openSocket(t, url, options)
    clients.push(client)
    await client.first('radio_hosts_mode')
    return client
  }
  return { air, url, gateway, tokens, join, clients }
}

const gone = ({ socket }: SocketClient) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('not closed')), PATIENCE_MS)
    socket.once('disconnect', (why) => {
      clearTimeout(timer)
      resolve(why)
    })
  })

const track = (name: string): TrackRef => ({
  id: `day/${name}.mp3`,
  title: name,
  artist: 'Ann',
  album: '',
  year: null,
  durationMs: 60_000,
})

function playing(name: string, startedAtMs: number): PlayoutState {
  const state = initialState(1, 'sound', { natural: 'day', changes: [] }, startedAtMs)
  const entry = { entryId: name, track: track(name), orderType: null, tier: null }
  return {
    ...state,
    onAir: { phase: 'track', entry, startedAtMs },
    playlist: { ...state.playlist, entries: [entry] },
  }
}

t.test('a new socket gets the roster, `sync`, and the features that are on, in this order', async (t) => {
  const { join, air } = await replica(t)
  const early = await join()
  t.same(
    early.heard.slice(0, 4).map(({ event }) => event),
    ['usersUpdate', 'sync', 'admin_online', 'radio_hosts_mode'],
  )
  const before = await early.first<RadioState>('sync')
  t.match(before, { isPreparing: true, track: null, mode: 'day', playlist: [], dayStartHour: 6 })
  air.say(playing('one', 1_000_000))
  const now = await early.first<RadioState>('sync', ({ track }) => track === 'day/one.mp3')
  t.match(now, { isPreparing: false, title: 'one', duration: 60, isPlaying: true })
  const late = await join({ transports: ['polling'] })
  t.equal((await late.first<RadioState>('sync')).track, 'day/one.mp3')
})

t.test('every socket gets a sync every 2 s, and at once when listeners would see a difference', async (t) => {
  const { join, air } = await replica(t)
  air.say(playing('one', 1_000_000))
  const clients = await Promise.all(Array.from({ length: 9 }, () => join()))
  air.say(playing('two', 1_000_500))
  await Promise.all(
    clients.map((client) => client.first<RadioState>('sync', (s) => s.track === 'day/two.mp3')),
  )
  const counts = clients.map((client) => client.all('sync').length)
  const startedMs = performance.now()
  air.say({ ...playing('two', 1_000_500), appliedThrough: '9-9' })
  for (const [i, client] of clients.entries()) {
    await until(`client ${i} gets a sync`, () => client.all('sync').length > counts[i]!)
  }
  const most = Math.ceil((performance.now() - startedMs) / 2_000) + 1
  for (const [i, client] of clients.entries()) {
    const more = client.all('sync').length - counts[i]!
    t.ok(more <= most, `${more} without a change`)
  }
})

function jingling(name: string, startedAtMs: number, jingleId: string): PlayoutState {
  const state = playing(name, startedAtMs - 60_000)
  if (state.onAir.phase !== 'track') throw new Error()
  const clip = { id: jingleId, media: `jingles/day/${jingleId}.mp3`, durationMs: 5_000 }
  const { entry } = state.onAir
  const jingle = { entryId: `j-${jingleId}`, clip }
  return { ...state, onAir: { phase: 'jingle', jingle, startedAtMs, entry, shownMs: 59_500 } }
}

t.test('starts of tracks and jingles are announced once, in order, and only in stream mode', async (t) => {
  for (const streamMode of [true, false]) {
    const { join, air } = await replica(t, { streamMode })
    air.say(jingling('none', 998_000, 'early'))
    const client = await join()
    air.say(playing('two', 999_000.4))
    air.say({ ...playing('two', 999_001), appliedThrough: '2-0' })
    air.say(jingling('two', 999_400, 'bell'))
    await client.first<RadioState>('sync', ({ track, seek }) => track === 'day/two.mp3' && seek === 59.5)
    if (streamMode)
      t.match(await client.ask('stream_get_seek', 1), { seek: 59.5, duration: 60, trackId: 'day/two.mp3' })
    air.say(playing('three', 1_000_000))
    await client.first<RadioState>('sync', ({ track }) => track === 'day/three.mp3')
    await client.ask('stream_ping', 1)
    const told = client.heard.filter(({ event }) => event.startsWith('stream_'))
    const expected = [
      ['stream_jingle_end', { serverTs: 999_000 }],
      ['stream_track_start', { trackId: 'day/two.mp3', duration: 60, serverTs: 999_000 }],
      ['stream_jingle_start', { jingleId: 'bell', serverTs: 999_400 }],
      ['stream_jingle_end', { serverTs: 1_000_000 }],
      ['stream_track_start', { trackId: 'day/three.mp3', duration: 60, serverTs: 1_000_000 }],
    ]
    t.same(
      told.map(({ event, payload }) => [event, payload]),
      streamMode ? expected : [],
    )
  }
})

t.test('a start is announced when its first sample is due, not before', async (t) => {
  const { join, air } = await replica(t)
  air.say(playing('one', 999_000))
  const client = await join()
  const saidMs = performance.now()
  air.say(playing('two', 1_000_950))
  t.match(await client.ask('stream_get_seek', 1), { trackId: 'day/one.mp3' })
  t.match(await client.first('stream_track_start'), { trackId: 'day/two.mp3', serverTs: 1_000_950 })
  t.ok(performance.now() - saidMs > 940)
  await client.first<RadioState>('sync', ({ track }) => track === 'day/two.mp3')
  const start = client.heard.findIndex(({ event }) => event === 'stream_track_start')
  const syncs = client.heard.slice(0, start).filter(({ event }) => event === 'sync')
  for (const { payload } of syncs) t.match(payload, { track: 'day/one.mp3' }, 'shown as long as it is heard')
})

t.test('without sound nothing inaudible is shown; in sync mode the clock continues', async (t) => {
  for (const streamMode of [true, false]) {
    const { join, air } = await replica(t, { streamMode })
    const state = {
      ...playing('one', 1_000_000),
      pace: streamMode ? ('sound' as const) : ('clock' as const),
    }
    const two = { ...state.playlist.entries[0]!, entryId: 'two', track: track('two') }
    state.playlist.entries.push(two)
    air.say(state)
    air.send(air.chunk(19 * 100))
    const endMs = air.clock.nowMs()
    const client = await join()
    const shown = async () => {
      client.forget()
      return client.first<RadioState>('sync')
    }
    // The worker is away: 13 s later, when the track should have ended, nothing has come.
    const late = air.chunk(19 * 26)
    const nowMs = air.clock.nowMs()
    let { seek, track: shownTrack, serverTimeMs } = await shown()
    if (!streamMode) {
      t.same([shownTrack, seek], ['day/two.mp3', (nowMs - 1_060_000) / 1000])
      continue
    }
    await until('the position is that of the sound', async () => {
      ;({ seek, track: shownTrack, serverTimeMs } = await shown())
      return seek * 1000 <= endMs - 1_000_000 + 1_000.5
    })
    t.same([shownTrack, serverTimeMs], ['day/one.mp3', Math.round(nowMs)])
    t.ok(seek * 1000 >= endMs - 1_000_000, 'to the end of what was sent')
    t.match(await client.ask('stream_get_seek', 1), { seek, trackId: 'day/one.mp3' })

    air.say({ ...state, onAir: { phase: 'track', entry: two, startedAtMs: 1_060_000 } })
    air.send(late)
    const heard = await client.first<RadioState>(
      'sync',
      ({ track, seek }) => track === 'day/two.mp3' && seek > 0,
    )
    t.equal(
      heard.seek,
      (nowMs - 1_060_000) / 1000,
      'sound that was caught up with is shown as if nothing had happened',
    )
  }
})

t.test("listeners' questions are answered in the contract’s shape", async (t) => {
  const { join, air, url, tokens } = await replica(t)
  air.say(playing('one', 999_000))
  const client = await join({ headers: { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' } })
  t.same(await client.ask('stream_ping', 12.5), { serverTs: 1_000_000, clientTs: 12.5 })
  t.same(await client.ask('stream_get_seek', 1), { seek: 1, duration: 60, trackId: 'day/one.mp3' })
  t.same(await client.ask('suggest_song', { id: 'day/one.mp3' }), { error: 'no_uid' })
  const counts = client.all('usersUpdate').length
  client.socket.emit('listener_init', 'a uid of my own')
  const pass = await client.first<{ uid: string; artToken: string; artTokenExpiresIn: number }>(
    'listener_uid',
  )
  const response = await fetch(`${url}/uid`, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  t.equal(pass.uid, await response.text(), 'the same uid as over HTTP, whatever the client says')
  t.equal(tokens.readArtToken(pass.artToken, 1_000_000)?.uid, pass.uid)
  t.equal(pass.artTokenExpiresIn, 3600)
  t.same(await client.ask('suggest_song', { id: 'day/one.mp3' }), { error: 'no_admin' })
  t.same(await client.ask('suggest_song', 'nonsense'), { error: 'no_admin' })
  await until('the roster is told, too', () => client.all('usersUpdate').length > counts)
  for (const args of [[], [{}], [null]]) {
    client.socket.emit('listener_init', ...args)
  }
  await client.ask('stream_ping', 1)
  t.equal(client.all('listener_uid').length, 4, 'bare, with {} and with null')
})

t.test('in sync mode the stream has no position', async (t) => {
  const { join } = await replica(t, { streamMode: false })
  const client = await join()
  let isAnswered = false
  client.socket.emit('stream_get_seek', 1, () => {
    isAnswered = true
  })
  await client.ask('stream_ping', 1)
  t.notOk(isAnswered)
})

t.test('pages of other origins are refused, own and listed ones are not', async (t) => {
  const { join, url } = await replica(t)
  for (const transports of [['websocket'], ['polling']]) {
    await t.rejects(join({ transports, headers: { origin: 'http://other.example' } }))
    await t.resolves(join({ transports, headers: { origin: 'http://page.example' } }))
    await t.resolves(join({ transports, headers: { origin: url } }))
  }
  const handshake = `${url}/socket.io/?EIO=4&transport=polling`
  const refused = await fetch(handshake, { headers: { origin: 'http://other.example' } })
  t.equal(refused.status, 403)
  const upgrade = get(`${url}/socket.io/?EIO=4&transport=websocket`, {
    headers: {
      origin: 'http://other.example',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    },
  })
  const [refusedUpgrade] = (await once(upgrade, 'response')) as [IncomingMessage]
  t.equal(refusedUpgrade.statusCode, 403)
  t.same(JSON.parse(await text(refusedUpgrade)), failureBody('FORBIDDEN'))
  const allowed = await fetch(handshake, { headers: { origin: 'http://page.example' } })
  t.equal(allowed.headers.get('access-control-allow-origin'), 'http://page.example')
  t.equal(allowed.headers.get('access-control-allow-credentials'), 'true')
  const { sid } = JSON.parse((await allowed.text()).slice(1)) as { sid: string }
  await fetch(`${handshake}&sid=${sid}`, { method: 'POST', body: '1' })
})

t.test('an address may open a limited number of sockets', async (t) => {
  const most = 20
  const { url, gateway, clients } = await replica(t, {}, most)
  const enter = (address: string) => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    clients.push(client)
    return client.first('radio_hosts_mode').then(
      () => client,
      () => null,
    )
  }
  const first: (SocketClient | null)[] = []
  for (let i = 0; i < most; i++) first.push(await enter('203.0.113.7'))
  t.ok(first.every(Boolean))
  t.notOk(await enter('203.0.113.7'), 'one too many')
  t.ok(await enter('203.0.113.8'), 'another address is another matter')
  first[0]!.socket.disconnect()
  await until('its place is free', () => gateway.sockets === most)
  t.ok(await enter('203.0.113.7'), 'who leaves makes room')
})

t.test('the roster is the union of all replicas, the newest first, with a limit', async (t) => {
  const [one, two] = [await replica(t, { rosterLimit: 3 }), await replica(t, { rosterLimit: 3 })]
  const a = await one.join()
  const b = await two.join()
  const both = (list: unknown[]) => list.length === 2
  await Promise.all([a.first('usersUpdate', both), b.first('usersUpdate', both)])
  await Promise.all([two.join(), two.join(), one.join()])
  await a.first('usersUpdate', (list: unknown[]) => list.length === 3)
  a.socket.disconnect()
  const third = await replica(t, { rosterLimit: 3 })
  const c = await third.join()
  await c.first('usersUpdate', (list: unknown[]) => list.length === 3)
  t.pass('a new replica learns of the others')
})

t.test('events that other processes announce reach the sockets of every replica', async (t) => {
  const replicas = [await replica(t), await replica(t)]
  const clients = await Promise.all(replicas.map(({ join }) => join()))
  openAnnouncer(redis).announce('library_updated')
  await Promise.all(clients.map((client) => client.first('library_updated')))
  t.pass('heard')
})

t.test('no client message stops the process', async (t) => {
  const { join, gateway, url, clients } = await replica(t)
  const well = await join()
  const random = seeded(20_240_621)
  const events = [
    'listener_init',
    'suggest_song',
    'stream_get_seek',
    'stream_ping',
    'sync',
    'usersUpdate',
    'error',
    'message',
    'admin_active',
    'get_queue',
    'search_queue',
    'admin_skip_song',
    'host_audio_chunk',
    'constructor',
    '__proto__',
    'toString',
    '',
    ' ',
  ]
  const values = () => [
    undefined,
    null,
    true,
    0,
    -1,
    1e308,
    'x',
    '',
    'й'.repeat(3_000),
    {},
    [],
    [[[[]]]],
    { id: 1 },
    { id: {} },
    { id: 'day/one.mp3' },
    { __proto__: null, id: '' },
    { length: 1e9 },
    Buffer.alloc(2_000),
    { id: Buffer.from('x') },
  ]
  let sent = 0
  while (sent < 10_000) {
    const client = openSocket(t, url, { transports: [random(4) === 0 ? 'polling' : 'websocket'] })
    clients.push(client)
    await client.first('radio_hosts_mode')
    const flood = random(3) === 0 ? 1_500 : 200
    for (let i = 0; i < flood; i++, sent++) {
      const args = Array.from({ length: random(4) }, () => values()[random(values().length)])
      if (random(2) === 0) args.push(() => {})
      client.socket.emit(events[random(events.length)]!, ...args)
    }
    if (random(2) === 0) client.socket.disconnect()
    t.match(await well.ask('stream_ping', sent), { clientTs: sent })
  }

  const big = await join()
  big.socket.emit('suggest_song', { id: 'x'.repeat(1_000_000) })
  await gone(big)
  const raw = await join()
  for (const packet of [
    '2"not an array"',
    '9',
    '{"',
    '51-',
    '2[1e999]',
    '451-["x",{"_placeholder":true,"num":9}]',
    '2["connect"]',
  ]) {
    const evil = await join()
    ;(evil.socket.io.engine as unknown as { write(data: string): void }).write(packet)
    await raw.ask('stream_ping', 1)
  }
  const flooder = await join()
  for (let i = 0; i < 3_000; i++) flooder.socket.emit('stream_ping', i)
  await gone(flooder)
  t.match(await well.ask('stream_ping', 1), { clientTs: 1 }, 'a flood closes its own socket only')
  t.ok(gateway.sockets >= 2)
})

/** Whole numbers below a limit, the same ones in every run. */
function seeded(seed: number) {
  return (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((seed / 0x80000000) * below)
  }
}
