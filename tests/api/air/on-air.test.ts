import { type Bus, defaultSettings, rotationSettings, sleep, trackRef } from '@solstice/station'
import t from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

interface Update {
  uid: string
  song: { id: string; title: string; artist: string }
  addedAt: number
}

t.test('the outcome of a request is sent to the socket that asked and to those who may decide', async (t) => {
  const opened = await openApp(t, { ...SUPER_ADMIN, NIGHT_MODE: 'false', QUEUE_ADD_COOLDOWN_S: '0' })
  const { app, ports } = opened
  for (let i = 0; i < 15; i++) await opened.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const air = await startAir(t, ports)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [ann, bob, admin] = [openSocket(t, url), openSocket(t, url), openSocket(t, url)]
  admin.socket.emit('admin_active', (await asAdmin(opened)).token)
  await Promise.all([ann.first('sync'), bob.first('sync'), admin.first('admin_confirmed')])
  admin.forget()

  const track = trackRef(await opened.addTrack('day/wish.mp3', null, { artist: 'Wished', duration: 600 }))
  const song = { id: track.id, title: 'wish', artist: 'Wished' }
  const { bus } = ports
  const ask = (uid: string, socketId: string) =>
    bus.send({ type: 'request-track', uid, socketId, track, mode: 'day' })
  const [before] = [ports.clock.nowMs(), await ask('ann', ann.socket.id!)]
  const [pending] = await admin.first<Update[]>('suggestions_update', (list) => list.length === 1)
  t.match(pending, { uid: 'ann', song })
  t.ok(pending!.addedAt >= before)
  t.match(await ask('ann', ann.socket.id!), {
    ok: false,
    code: 'SUGGESTION_REFUSED',
    details: { reason: 'cooldown', secsLeft: Number },
  })
  t.same(await ask('bob', bob.socket.id!), { ok: true, secsLeft: 300 })
  await admin.first<Update[]>('suggestions_update', (list) => list.length === 2)

  t.same(await bus.send({ type: 'answer-track-request', uid: 'ann', action: 'add' }), { ok: true, track })
  t.same(await ann.first('suggestion_result'), { accepted: true, auto: false, song })
  const left = await admin.first<Update[]>('suggestions_update', ([first]) => first?.uid === 'bob')
  t.equal(left.length, 1)
  t.match(
    await admin.first<{ playlist: object[] }>(
      'sync',
      ({ playlist }) => 'orderType' in playlist[0]! && playlist[0]!.orderType === 'lastinline',
    ),
    {
      playlist: [{ id: track.id }],
    },
  )

  t.match(await bus.send({ type: 'answer-track-request', uid: 'bob', action: 'add' }), {
    ok: false,
    code: 'QUEUE_SUGGESTION_INJECT_FAILED',
    details: { reason: 'duplicate_nearby' },
  })
  t.equal(air.state.trackRequests.length, 1, 'it goes back')
  const settled = [{ trackId: track.id, track: null }]
  await bus.send({ type: 'library-changed', settled })
  t.same(await bob.first('suggestion_result'), { accepted: false, auto: true, song })
  await admin.first<Update[]>('suggestions_update', (list) => list.length === 0)
  t.equal(ann.all('suggestion_result').length, 1, 'everybody hears of the own request only')
  t.same(
    [ann, bob].flatMap((client) => client.all('suggestions_update')),
    [],
  )
  t.same(admin.all('suggestion_result'), [])
})

t.test('limits come from the configuration, 0 turns one off; requests outlive their worker', async (t) => {
  const opened = await openApp(t, {
    ...SUPER_ADMIN,
    NIGHT_MODE: 'false',
    QUEUE_SKIP_COOLDOWN_S: '700',
    QUEUE_REMOVE_COOLDOWN_S: '0',
    SUGGEST_COOLDOWN_S: '0',
    SUGGEST_EXPIRY_S: '0',
  })
  const { app, ports } = opened
  for (let i = 0; i < 15; i++) await opened.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const { bus } = ports
  const ends: (() => unknown)[] = []
  const air = await startAir({ teardown: (end) => void ends.push(end) }, ports)
  // Added after the lists were made, so that no list has it by chance.
  const track = trackRef(await opened.addTrack('day/wish.mp3', null, { duration: 600 }))
  const current = () => (air.state.onAir.phase === 'track' ? air.state.onAir.entry.track : null)

  const first = current()
  t.same(await bus.send({ type: 'skip' }), { ok: true, track: first })
  t.not(current()?.id, first?.id)
  const isNearly = (refused: unknown, seconds: number) => {
    const { secsLeft } = (refused as { details: { secsLeft: number } }).details
    t.ok(secsLeft <= seconds && secsLeft > 0.7 * seconds, `${secsLeft} of ${seconds} s are left`)
  }
  const secondSkip = await bus.send({ type: 'skip' })
  t.match(secondSkip, { code: 'QUEUE_SKIP_FAILED' })
  isNearly(secondSkip, 700)
  for (let i = 0; i < 3; i++) t.match(await bus.send({ type: 'remove-entry', position: 1 }), { ok: true })
  t.match(await bus.send({ type: 'add-song', track, mode: 'day', orderType: 'donated', tier: 2 }), {
    ok: true,
  })
  const secondSong = await bus.send({ type: 'add-song', track, mode: 'day', orderType: 'donated', tier: 2 })
  t.match(secondSong, { code: 'QUEUE_ADD_FAILED', details: { reason: 'cooldown' } })
  isNearly(secondSong, 30)
  t.same(await bus.send({ type: 'request-track', uid: 'ann', socketId: 'gone', track, mode: 'day' }), {
    ok: true,
    secsLeft: 0,
  })
  for (const end of ends.toReversed()) await end()

  const admin = openSocket(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  admin.socket.emit('admin_active', (await asAdmin(opened)).token)
  await admin.first('admin_confirmed')
  const second = await startAir(t, ports)
  t.match(await admin.first<Update[]>('suggestions_update', (list) => list.length === 1), [{ uid: 'ann' }])
  t.equal(second.state.onAir.phase === 'track' && second.state.onAir.entry.track.id, current()?.id)
  t.match(second.state.playlist.entries[second.state.playlist.index + 1], { orderType: 'donated', tier: 2 })
})

t.test('C1: events that a worker saved and did not live to send are sent by the next one', async (t) => {
  const opened = await openApp(t, { NIGHT_MODE: 'false' })
  const { app, ports } = opened
  for (let i = 0; i < 15; i++) await opened.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const ann = openSocket(t, await app.listen({ port: 0, host: '127.0.0.1' }))
  await ann.first('sync')
  let isDying = false
  let isRefused = false
  const { bus } = ports
  const dyingBus: Bus = {
    ...bus,
    async acquireLease(signal) {
      const lease = await bus.acquireLease(signal)
      return {
        ...lease,
        async save(state, due) {
          if (isRefused) {
            isRefused = false
            throw new Error('refused by the test')
          }
          await lease.save(state, due)
          if (!isDying) return
          isDying = false
          await lease.release()
          lease.lost.throwIfAborted()
        },
      }
    },
  }
  const ends: (() => unknown)[] = []
  const air = await startAir({ teardown: (end) => void ends.push(end) }, { ...ports, bus: dyingBus })
  const track = trackRef(await opened.addTrack('day/wish.mp3', null, { duration: 600 }))

  await bus.send({ type: 'request-track', uid: 'ann', socketId: ann.socket.id!, track, mode: 'day' })
  isDying = true
  t.match(await bus.send({ type: 'answer-track-request', uid: 'ann', action: 'add' }), { ok: true, track })
  t.match(await ann.first('suggestion_result'), { accepted: true })
  isDying = true
  t.match(await bus.send({ type: 'skip' }), { ok: true })
  t.equal(air.state.playlist.index, 1)
  isRefused = true
  t.match(await bus.send({ type: 'request-track', uid: 'bob', socketId: '', track, mode: 'day' }), {
    ok: true,
  })

  const played = air.state.playlist.entries.slice(0, 2).map((entry) => entry.track.id)
  const recorded = async () => (await ports.data.history.find()).map(({ trackId }) => trackId)
  await until('both starts are in the history', async () => (await recorded()).length >= played.length)
  t.same((await recorded()).toSorted(), played.toSorted(), 'each start once')
  for (const end of ends.toReversed()) await end()
  const lease = await bus.acquireLease(new AbortController().signal)
  const { outbox: due } = (await lease.resume())!
  t.notOk(
    due.some(({ type }) => type === 'answer'),
    'events that were sent are not left to the next worker',
  )
  await lease.release()
})

t.test('an acknowledged song stays in the queue, once, even when Redis is killed meanwhile', async (t) => {
  const opened = await openApp(t, { NIGHT_MODE: 'false', QUEUE_ADD_COOLDOWN_S: '0' })
  const { bus } = opened.ports
  const songs = await Promise.all(
    Array.from({ length: 15 }, (_, i) => opened.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })),
  )
  const ends: (() => unknown)[] = []
  const air = await startAir({ teardown: (end) => void ends.push(end) }, opened.ports)
  const queued: string[] = []
  let isOver = false
  const ordering = [0, 1, 2].map(async (who) => {
    for (let n = 0; !isOver; n++) {
      const track = trackRef(songs[(5 * who + n) % songs.length]!)
      const orderId = `${who} ${n}`
      const order = { type: 'add-song', track, mode: 'day', orderType: 'requested', tier: null } as const
      const outcome = await bus.send({ ...order, orderId }).catch(() => null)
      if (outcome?.ok) queued.push(orderId)
      await sleep(20)
    }
  })
  const more = async () => {
    const wanted = queued.length + 12
    await until('more orders are queued', () => queued.length >= wanted)
  }
  await more()
  await opened.redis.process.end('SIGKILL')
  await opened.redis.restart()
  await more()
  isOver = true
  await Promise.all(ordering)
  const orders = air.state.playlist.entries.flatMap(({ orderId }) => orderId ?? [])
  t.equal(new Set(orders).size, orders.length)
  t.same(
    queued.filter((orderId) => !orders.includes(orderId)),
    [],
    `${queued.length} songs are there`,
  )

  for (const end of ends.toReversed()) await end()
  await opened.ports.redis.flushall()
  const wait = async () => void t.fail('music is known')
  const anew = await startAir(t, { ...opened.ports, reconciliation: { mark: async () => {}, wait } })
  t.equal(anew.state.onAir.phase, 'track', 'and where Redis was emptied the programme starts anew at once')
})

t.test('song, queue, orders and requests survive the emptying of Redis under a worker', async (t) => {
  const opened = await openApp(t, { NIGHT_MODE: 'false', QUEUE_ADD_COOLDOWN_S: '0' })
  const { bus, redis } = opened.ports
  for (let i = 0; i < 15; i++) await opened.addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const air = await startAir(t, opened.ports)
  const track = trackRef(await opened.addTrack('day/wish.mp3', null, { duration: 600 }))
  const order = {
    type: 'add-song',
    track,
    mode: 'day',
    orderType: 'donated',
    tier: 1,
    orderId: 'one',
  } as const
  t.match(await bus.send(order), { ok: true })
  t.match(await bus.send({ type: 'request-track', uid: 'ann', socketId: '', track, mode: 'day' }), {
    ok: true,
  })
  const before = air.state
  const fencingToken = async () => Number((await redis.get('solstice:epoch')) ?? 0)
  const old = await fencingToken()
  await redis.flushall()
  const isKept = async () => (await redis.exists('solstice:air')) === 1
  await until('the lease is acquired again', async () => (await fencingToken()) > old && (await isKept()))
  t.match(await bus.send({ ...order, track }), { ok: true }, 'an order that it knows')
  const { onAir, playlist, trackRequests, trackRequestCooldowns } = air.state
  t.same(onAir, before.onAir, 'the same song, at the same position')
  t.same(playlist, before.playlist, 'the same queue, and nothing twice')
  t.same([trackRequests, trackRequestCooldowns], [before.trackRequests, before.trackRequestCooldowns])
})

t.test('G8: each mode is generated by its own settings, group sections before sections', async (t) => {
  const opened = await openApp(t, { DAY_START_HOUR: '6', NIGHT_START_HOUR: '6' })
  const { ports } = opened
  for (let i = 0; i < 36; i++) {
    await opened.addTrack(`day/${i}.mp3`, null, { artist: 'ABBBCC'[i % 6]!, duration: 60 })
    await opened.addTrack(`night/${i}.mp3`, null, { artist: 'ABBBCC'[i % 6]!, duration: 60 })
  }
  const groups = { one: ['A'], two: ['B'], rest: [] }
  const value = {
    ...defaultSettings.generation,
    MAX_DAY_DURATION: 7_200,
    DAY_ALGORYTM: true,
    GROUP_SECTIONS_ALGORYTM: true,
    GROUP_DEFS: groups,
    USE_ALL_NIGHT_SONGS: true,
    NIGHT_ALGORYTM: true,
    NIGHT_SONGS_PER_SECTION: 6,
    NIGHT_GROUP_DEFS: groups,
  }
  await ports.data.settings.put({ section: 'generation', value, revision: 1 })
  t.match(await rotationSettings(ports.data, 'day'), {
    useAll: false,
    maxDurationMs: 7_200_000,
    algorithm: 'group-sections',
    groups,
  })
  const night = { useAll: true, algorithm: 'sections', groups, songsPerSection: 6 }
  t.match(await rotationSettings(ports.data, 'night'), night)

  const air = await startAir(t, ports)
  const artists = (entries: { track: { artist: string } }[], size: number, from: number) =>
    entries
      .slice(from, from + size)
      .map((entry) => entry.track.artist)
      .sort()
      .join('')
  const { entries } = air.state.playlist
  t.equal(entries.length, 18, 'as many sections as the smallest group has songs')
  for (let from = 0; from < 18; from += 3) t.equal(artists(entries, 3, from), 'ABC')

  t.match(await ports.bus.send({ type: 'switch-mode', target: 'night', atMs: null }), { ok: true })
  const { playlist } = await air.until(({ mode, onAir }) => mode === 'night' && onAir.phase === 'track')
  t.equal(playlist.entries.length, 36, 'all of it')
  for (let from = 0; from < 36; from += 6) t.equal(artists(playlist.entries, 6, from), 'ABBBCC')
})
