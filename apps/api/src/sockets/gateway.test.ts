import type { RadioState } from '@solstice/contracts'
import { initialState, type PlayoutState, type TrackRef } from '@solstice/playout'
import t from 'tap'
import { replica } from '../../../../tests/harness/servers/gateway.ts'
import { until } from '../../../../tests/harness/until.ts'

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

function jingling(name: string, startedAtMs: number, jingleId: string): PlayoutState {
  const state = playing(name, startedAtMs - 60_000)
  if (state.onAir.phase !== 'track') throw new Error()
  const clip = { id: jingleId, media: `jingles/day/${jingleId}.mp3`, durationMs: 5_000 }
  const { entry } = state.onAir
  const jingle = { entryId: `j-${jingleId}`, clip }
  return { ...state, onAir: { phase: 'jingle', jingle, startedAtMs, entry, shownMs: 59_500 } }
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

t.test(
  'sync has the cover of the track, also one that is read while it plays; a chat has none',
  async (t) => {
    const { join, air, data } = await replica(t)
    const cover = { id: 'c'.repeat(32), color: '#123456' }
    await data.covers.put({ ...cover, sizes: [96] })
    await data.trackCovers.put({ trackId: 'day/one.mp3', size: 1, modifiedMs: 1, coverId: cover.id })
    air.say(playing('one', 1_000_000))
    const listener = await join()
    t.same((await listener.first<RadioState>('sync', ({ track, cover }) => !!track && !!cover)).cover, cover)
    air.say(playing('two', 1_000_500))
    t.equal((await listener.first<RadioState>('sync', ({ track }) => track === 'day/two.mp3')).cover, null)
    await data.trackCovers.put({ trackId: 'day/two.mp3', size: 1, modifiedMs: 1, coverId: cover.id })
    const found = await listener.first<RadioState>(
      'sync',
      (s) => s.track === 'day/two.mp3' && s.cover !== null,
    )
    t.same(found.cover, cover)
    const state = playing('two', 1_000_500)
    if (state.onAir.phase !== 'track') throw new Error()
    const background = { entryId: 'none', clip: null, startedAtMs: 1_001_000 }
    const since = { sinceMs: 1_001_000, modeAsOfMs: 1_001_000 }
    const { entry } = state.onAir
    air.say({ ...state, onAir: { phase: 'chat', entry, interrupted: null, background, ...since } })
    t.equal((await listener.first<RadioState>('sync', (s) => s.title === 'Just chatting')).cover, null)
  },
)

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
