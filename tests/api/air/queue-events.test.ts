import { type AuditEntry, coded, failures, type Privilege, type RadioState } from '@solstice/contracts'
import { apply, initialState, type PlayoutState } from '@solstice/playout'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { type Air, startAir } from '../../harness/stations/workers.ts'

useStores('sql+local')

interface Replica extends OpenApp {
  /** A socket from this address that has received all the events of a new connection. */
  join(address?: string): Promise<SocketClient>
  /** An admin socket, the super admin unless privileges are given, that has received the list of requests. */
  joinAs(privileges?: Privilege[]): Promise<SocketClient>
}

/** Always day, though a switch can still be requested. Behind a proxy, so that tests can use several addresses. */
const DAY = { ...SUPER_ADMIN, DAY_START_HOUR: '6', NIGHT_START_HOUR: '6', TRUST_PROXY_HOPS: '1' }
const FREE = {
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  GROUP_INSERT_COOLDOWN_S: '0',
}

async function replica(t: Test, env: Record<string, string>, beside?: OpenApp): Promise<Replica> {
  const open = await openApp(t, env, pino({ level: 'silent' }), beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async (address = '203.0.113.1') => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    await client.first('radio_hosts_mode')
    return client
  }
  return {
    ...open,
    join,
    async joinAs(privileges) {
      const client = await join()
      client.socket.emit('admin_active', (await asAdmin(open, privileges)).token)
      await client.first('admin_confirmed')
      if (!privileges || privileges.includes('queue_manage')) await client.first('suggestions_update')
      client.forget()
      return client
    },
  }
}

/** Fifteen songs of ten minutes are on air; `wish` was added later, so that no list has it by chance. */
async function station(t: Test, env: Record<string, string>): Promise<[Replica, Replica, Air]> {
  const one = await replica(t, env)
  const two = await replica(t, env, one)
  const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
  await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
  await one.addTrack('night/owl.mp3', null, { duration: 600 })
  const air = await startAir(t, one.ports)
  await one.addTrack('day/wish.mp3', null, { artist: 'Wished', duration: 600 })
  return [one, two, air]
}

const WISH = { id: 'day/wish.mp3', title: 'wish', artist: 'Wished' }

const logged = (client: SocketClient, operationType: string) =>
  client.first<AuditEntry>('audit_new_entry', (entry) => entry.operationType === operationType)

const everything: [event: string, ...args: unknown[]][] = [
  ['admin_add_song', { id: WISH.id, orderType: 'lastinline' }],
  ['admin_remove_song', 1],
  ['admin_skip_song'],
  ['admin_insert_song_group', { groupId: 'x' }],
  ['admin_suggestion_action', { uid: 'x', action: 'reject' }],
]

t.test('the queue is changed only by those who may, and only by well-formed events', async (t) => {
  const [one, , air] = await station(t, { ...DAY, ...FREE })
  const { appliedThrough } = air.state
  const [stranger, waiting, idle, half] = await Promise.all([
    one.join(),
    one.join(),
    one.joinAs(['stats']),
    one.joinAs(['queue_manage']),
  ])
  const { token } = await asAdmin(one, ['queue_manage', 'settings_groups'])
  const adminId = 'helper with queue_manage,settings_groups'
  await one.ports.data.admins.update({ adminId }, { authorized: false })
  waiting.socket.emit('admin_active', token)
  await waiting.first('admin_confirmed')
  const missing = coded('INSUFFICIENT_PRIVILEGES')
  for (const asked of everything) {
    stranger.socket.emit(...asked, () => t.fail('no callback'))
    for (const client of [waiting, idle]) {
      client.forget()
      client.socket.emit(...asked, () => t.fail('no callback'))
      t.same(JSON.parse(await client.first('admin_error')), missing, asked[0])
    }
  }
  half.socket.emit('admin_insert_song_group', { groupId: 'x' })
  t.same(JSON.parse(await half.first('admin_error')), missing, 'two privileges are needed')
  half.forget()
  const malformed: [string, unknown][] = [
    ...[undefined, null, 5, 'x', [], {}].flatMap((payload): [string, unknown][] => [
      ['admin_add_song', payload],
      ['admin_suggestion_action', payload],
    ]),
    ['admin_add_song', { id: WISH.id }],
    ['admin_add_song', { id: WISH.id, orderType: null }],
    ['admin_add_song', { id: WISH.id, orderType: 'donated', tier: 0 }],
    ['admin_add_song', { id: WISH.id, orderType: 'donated', tier: '1' }],
    ['admin_add_song', { id: 'x'.repeat(600), orderType: 'donated' }],
    ['admin_remove_song', '1'],
    ['admin_remove_song', { position: 1 }],
    ['admin_remove_song', null],
    ['admin_remove_song', undefined],
    ['admin_suggestion_action', { uid: 'x' }],
    ['admin_suggestion_action', { uid: 5, action: 'add' }],
  ]
  for (const [event, payload] of malformed) half.socket.emit(event, payload)
  for (const client of [stranger, half]) {
    await client.ask('stream_ping', 1)
    t.same(client.all('admin_success'), [])
    t.equal(client.all('admin_error').length, client === half ? malformed.length : 0)
  }
  t.equal(air.state.appliedThrough, appliedThrough, 'nothing has reached the air')
})

t.test('queue changes by admins are acknowledged, broadcast at once, and logged', async (t) => {
  const [one, two, air] = await station(t, DAY)
  const { bus, clock, data } = one.ports
  const [admin, other, boss, listener] = [
    await one.joinAs(['queue_manage', 'settings_groups']),
    await two.joinAs(['queue_manage']),
    await two.joinAs(),
    await two.join(),
  ]
  const { adminId } = (await data.admins.find()).find(({ privileges }) => privileges.length === 2)!
  const sync = (isSo: (state: RadioState) => boolean) => listener.first<RadioState>('sync', isSo)
  const current = () => (air.state.onAir.phase === 'track' ? air.state.onAir.entry.track : null)
  const add = (client: SocketClient, id: string, more: object = { orderType: 'lastinline' }) =>
    command(client, 'admin_add_song', { id, title: 'Mine', artist: 'Me', ...more })

  const pending = (inMs: number) =>
    bus.send({ type: 'switch-mode', target: 'night', atMs: clock.nowMs() + inMs })
  await pending(300_000)
  t.match(await add(admin, WISH.id), { code: 'QUEUE_ADD_FAILED', reason: 'no_time', en: /in \d min/ })
  await pending(72_000_000)
  const failed = { code: 'QUEUE_ADD_FAILED' }
  t.match(await add(admin, 'day/nowhere.mp3'), { ...failed, reason: 'not_found' })
  t.match(await add(admin, 'night/owl.mp3'), { ...failed, reason: 'wrong_mode' })
  t.match(await add(admin, current()!.id), { ...failed, reason: 'duplicate_nearby' })

  t.match(await add(admin, WISH.id, { orderType: 'donated', tier: 3 }), { code: 'QUEUE_SONG_ADDED' })
  const shown = await sync(({ playlist }) => playlist[0]?.id === WISH.id)
  t.match(shown.playlist[0], { ...WISH, orderType: 'donated', tier: 3 })
  t.match(await logged(boss, 'queue_add'), {
    adminId,
    data: { title: 'wish', artist: 'Wished', orderType: 'donated' },
  })
  t.match(await add(other, WISH.id), { ...failed, reason: 'cooldown', secsLeft: Number }, 'over all replicas')
  t.match(await add(other, 'day/nowhere.mp3'), { ...failed, reason: 'cooldown' }, 'before all else')

  for (const position of [0, -1, 1.5, 1e9]) {
    t.match(await command(other, 'admin_remove_song', position), {
      code: 'QUEUE_REMOVE_FAILED',
      reason: 'not_found',
    })
  }
  const [third] = (
    (await other.ask('get_queue', { offset: 2, limit: 1 })) as { items: RadioState['playlist'] }
  ).items
  t.match(await command(other, 'admin_remove_song', 3), { code: 'QUEUE_SONG_REMOVED' })
  await sync(({ playlist }) => playlist[0]?.id === WISH.id && playlist[2]?.id !== third!.id)
  const { title, artist } = third!
  t.match(await logged(boss, 'queue_remove'), { data: { position: 3, title, artist } })
  t.match(await command(admin, 'admin_remove_song', 1), { code: 'QUEUE_REMOVE_FAILED', reason: 'cooldown' })

  const skipped = current()!
  t.match(await command(admin, 'admin_skip_song', {}), { code: 'QUEUE_SONG_SKIPPED' })
  t.match(await sync(({ track }) => track === WISH.id), {
    orderType: 'donated',
    skipCooldownSecsLeft: Number,
    seek: Number,
  })
  t.ok(listener.all('sync').some((state) => (state as RadioState).skipCooldownSecsLeft > 0))
  t.match(await logged(boss, 'queue_skip'), { data: { title: skipped.title, artist: skipped.artist } })
  t.match(await command(other, 'admin_skip_song'), {
    code: 'QUEUE_SKIP_FAILED',
    reason: 'cooldown',
    secsLeft: Number,
  })

  const { ask } = await asAdmin(one)
  const group = async (mode: string, songs: string[]): Promise<string> =>
    (await ask('POST /api/admin/song-groups', { name: `${mode} ${songs}`, mode, songs })).body.group.id
  const songs = ['day/song 1.mp3', 'day/song 2.mp3']
  await one.addTrack('day/gone.mp3', null)
  const [whole, night, empty] = [
    await group('day', songs),
    await group('night', ['night/owl.mp3']),
    await group('day', ['day/gone.mp3']),
  ]
  await data.tracks.delete({ id: 'day/gone.mp3' })
  const insert = (groupId: string) => command(admin, 'admin_insert_song_group', { groupId })
  const refused = { code: 'QUEUE_GROUP_INSERT_FAILED' }
  t.match(await insert('nowhere'), { ...refused, reason: 'not_found' })
  t.match(await insert(night), { ...refused, reason: 'wrong_mode' })
  t.match(await insert(empty), { ...refused, reason: 'empty' })
  t.match(await insert(whole), { code: 'QUEUE_GROUP_INSERTED' })
  await sync(({ playlist }) => {
    const next = playlist.slice(0, 2).map(({ id }) => id)
    return JSON.stringify(next.sort()) === JSON.stringify(songs)
  })
  t.match(await logged(boss, 'group_insert'), { adminId, data: { groupId: whole, name: String } })
  t.match((await ask(`POST /api/admin/song-groups/${whole}/insert`)).body, {
    error: { ...refused, reason: 'cooldown', secsLeft: Number },
  })
  t.match(await insert(whole), { ...refused, reason: 'cooldown' }, 'REST and sockets share it')
  t.match(await insert('nowhere'), { ...refused, reason: 'cooldown' }, 'before all else')

  t.match(await command(admin, 'admin_suggestion_action', { uid: 'nobody', action: 'add' }), {
    code: 'SUGGESTION_NOT_FOUND',
  })
  for (const client of [listener, other]) t.same(client.all('audit_new_entry').length > 0, client === other)
})

t.test(
  'listeners ask and admins decide, on any replica; a request outlives sockets and workers',
  async (t) => {
    const env = { ...DAY, QUEUE_ADD_COOLDOWN_S: '0' }
    const one = await replica(t, env)
    const two = await replica(t, env, one)
    const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
    await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
    const ends: (() => unknown)[] = []
    const air = await startAir({ teardown: (end) => void ends.push(end) }, one.ports)
    // Neither the song on air nor the next one may be requested.
    const later = air.state.playlist.entries[3]!.track.id
    await one.addTrack(WISH.id, null, { artist: 'Wished', duration: 600 })
    await one.addTrack('night/owl.mp3', null)

    const [ann, sameAnn, bob, carol] = [
      await one.join('203.0.113.10'),
      await two.join('203.0.113.10'),
      await two.join('203.0.113.11'),
      await two.join('203.0.113.12'),
    ]
    const suggest = (client: SocketClient, id: unknown = WISH.id) =>
      client.ask('suggest_song', { id, title: 'Mine', artist: 'Me' })
    const anything = [WISH.id, 'day/nowhere.mp3', 'night/owl.mp3', '', 5, null, 'x'.repeat(600)]
    for (const id of anything) t.same(await suggest(ann, id), { error: 'no_uid' })
    for (const payload of [[], [null], ['x'], [5]]) {
      t.same(await ann.ask('suggest_song', ...payload), { error: 'no_uid' })
    }
    const uids: string[] = []
    for (const client of [ann, sameAnn, bob, carol]) {
      client.socket.emit('listener_init')
      const life = await client.first<{ uid: string }>('listener_uid')
      t.match(life, { cooldownSecsLeft: 0 })
      uids.push(life.uid)
    }
    for (const id of anything) t.same(await suggest(ann, id), { error: 'no_admin' })
    const admin = await one.joinAs(['queue_manage'])
    await Promise.all(
      [ann, sameAnn, bob, carol].map((client) =>
        client.first<boolean>('admin_online', (isOnline) => isOnline),
      ),
    )
    for (const id of anything.slice(1)) t.same(await suggest(ann, id), { error: 'not_found' })
    t.same(await ann.ask('suggest_song'), { error: 'not_found' })

    const asked = await Promise.all([ann, ann, sameAnn, sameAnn].map((client) => suggest(client)))
    const accepted = asked.findIndex((answer) => (answer as { ok?: true }).ok)
    const late = (answer: unknown) => {
      const { error, secsLeft } = answer as { error: string; secsLeft: number }
      return error === 'cooldown' && secsLeft > 200 && secsLeft <= 300
    }
    t.equal(asked.filter(late).length, 3, 'one of four that come at the same time')
    const [requester, bystander] = accepted < 2 ? [ann, sameAnn] : [sameAnn, ann]
    t.same(await requester.first('suggest_cooldown_update'), 300)
    t.same(await bystander.first('suggest_cooldown_update'), 300, 'all sockets of the listener, everywhere')
    t.same(bob.all('suggest_cooldown_update'), [])
    for (const id of anything)
      t.ok(late(await suggest(bystander, id)), 'the cooldown comes before what is asked for')
    const again = await two.join('203.0.113.10')
    again.socket.emit('listener_init')
    const { cooldownSecsLeft } = await again.first<{ cooldownSecsLeft: number }>('listener_uid')
    t.ok(cooldownSecsLeft > 200 && cooldownSecsLeft <= 300)
    const request = { uid: uids[0], song: WISH }
    t.match(await admin.first<object[]>('suggestions_update', (list) => list.length === 1), [request])

    admin.forget()
    const boss = await two.join()
    boss.socket.emit('admin_active', (await asAdmin(two)).token)
    t.match(await boss.first('suggestions_update'), [request], 'an admin who joins is told')
    t.match(await admin.first('suggestions_update'), [request], 'and so does everybody else')
    t.equal(requester.all('suggestion_result').length, 0)
    const decide = (uid: string | undefined, action: string) =>
      command(boss, 'admin_suggestion_action', { uid, action })
    t.match(await decide(uids[0], 'add'), { code: 'QUEUE_SUGGESTION_ACCEPTED' })
    t.same(await requester.first('suggestion_result'), { accepted: true, auto: false, song: WISH })
    const next = await bob.first<RadioState>('sync', ({ playlist }) => playlist[0]?.id === WISH.id)
    t.match(next.playlist[0], { ...WISH, orderType: 'lastinline' })
    t.match(await logged(boss, 'suggestion_accept'), { data: { title: 'wish', artist: 'Wished' } })
    await admin.first<object[]>('suggestions_update', (list) => list.length === 0)
    t.match(await decide(uids[0], 'add'), { code: 'SUGGESTION_NOT_FOUND' })
    t.match(await decide(uids[0], 'reject'), { code: 'SUGGESTION_NOT_FOUND' })

    t.same(await suggest(bob), { ok: true })
    t.match(await decide(uids[2], 'add'), {
      code: 'QUEUE_SUGGESTION_INJECT_FAILED',
      reason: 'duplicate_nearby',
    })
    t.same(bob.all('suggestion_result'), [], 'it is still to be decided')
    boss.forget()
    // Any action other than `add` rejects.
    boss.socket.emit('admin_suggestion_action', { uid: uids[2], action: 'skip' })
    t.same(await bob.first('suggestion_result'), { accepted: false, auto: false, song: WISH })
    t.match(await logged(boss, 'suggestion_reject'), { data: { title: 'wish', artist: 'Wished' } })
    for (const event of ['admin_success', 'admin_error']) t.same(boss.all(event), [], event)
    t.same(bystander.all('suggestion_result'), [], 'only the socket that asked')
    for (const client of [ann, bob, carol]) t.same(client.all('suggestions_update'), [])

    t.same(await suggest(carol, later), { ok: true })
    const byCarol = [{ uid: uids[3], song: { id: later } }]
    const isCarols = ([first]: { uid: string }[]) => first?.uid === uids[3]
    carol.socket.disconnect()
    await admin.first('suggestions_update', isCarols)
    for (const end of ends.toReversed()) await end()

    // Nobody is on air: the reply says so, and the command is not carried out later.
    const [refusal, dave] = [
      command(admin, 'admin_add_song', { id: 'day/song 5.mp3', orderType: 'donated' }),
      await one.join('203.0.113.13'),
    ]
    dave.socket.emit('listener_init')
    t.same(await suggest(dave), { error: 'cooldown', secsLeft: 10 })
    t.match(await refusal, { code: 'QUEUE_ADD_FAILED', ...failures.AIR_UNAVAILABLE.text })
    admin.forget()
    const restarted = await startAir(t, one.ports)
    t.equal(restarted.state.trackRequests.length, 1)
    t.same(await suggest(dave), { ok: true }, 'asking again is safe')
    t.match(await admin.first('suggestions_update', isCarols), byCarol)
    const { trackRequests, playlist } = await restarted.until((state) => state.trackRequests.length === 2)
    t.equal(trackRequests[0]?.uid, uids[3])
    t.notOk(playlist.entries.some(({ orderType }) => orderType === 'donated'))
    t.ok(late(await suggest(ann)), 'its predecessor’s cooldowns hold')

    await Promise.all([one.app.close(), two.app.close()])
    const three = await replica(t, env, one)
    const sameAgain = await three.join('203.0.113.10')
    sameAgain.socket.emit('listener_init')
    t.ok((await sameAgain.first<{ cooldownSecsLeft: number }>('listener_uid')).cooldownSecsLeft > 100)
    t.match(await suggest(sameAgain), { error: 'cooldown' }, 'before it is said that no admin is there')
    const back = await three.join()
    back.socket.emit('admin_active', (await asAdmin(three)).token)
    t.match(await back.first('suggestions_update'), [...byCarol, { song: WISH }])
    t.match(await command(back, 'admin_suggestion_action', { uid: uids[3], action: 'add' }), {
      code: 'QUEUE_SUGGESTION_ACCEPTED',
    })
  },
)

t.test('limits of 0 are off; undecided requests expire; a new privilege shows the requests', async (t) => {
  const limits = { ...FREE, SUGGEST_COOLDOWN_S: '0', SUGGEST_EXPIRY_S: '1' }
  const [one, two] = await station(t, { ...DAY, ...limits })
  const { data, announcer } = one.ports
  const [admin, listener, helper] = [await one.joinAs(), await two.join(), await two.joinAs(['stats'])]
  listener.socket.emit('listener_init')
  const { uid } = await listener.first<{ uid: string }>('listener_uid')
  await listener.first<boolean>('admin_online', (isOnline) => isOnline)
  for (let round = 0; round < 2; round++) {
    listener.forget()
    admin.forget()
    t.same(await listener.ask('suggest_song', { id: WISH.id }), { ok: true }, 'no cooldown')
    t.same(await listener.first('suggest_cooldown_update'), 0)
    await admin.first<object[]>('suggestions_update', (list) => list.length === 1)
    t.same(await listener.first('suggestion_result'), { accepted: false, auto: true, song: WISH })
    await admin.first<object[]>('suggestions_update', (list) => list.length === 0)
  }
  t.match(await command(admin, 'admin_suggestion_action', { uid, action: 'add' }), {
    code: 'SUGGESTION_NOT_FOUND',
  })
  for (let i = 0; i < 2; i++) {
    t.match(await command(admin, 'admin_skip_song'), { code: 'QUEUE_SONG_SKIPPED' })
    t.match(await command(admin, 'admin_remove_song', 1), { code: 'QUEUE_SONG_REMOVED' })
  }

  helper.forget()
  const { adminId } = (await data.admins.find())[0]!
  await data.admins.update({ adminId }, { privileges: ['queue_manage'] })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  t.match(await helper.first('privileges_updated'), { privileges: ['queue_manage'] })
  t.same(await helper.first('suggestions_update'), [])
})

t.test('J4: nothing is skipped during a jingle', async (t) => {
  const one = await replica(t, { ...DAY, ...FREE })
  const { bus, clock } = one.ports
  const nowMs = clock.nowMs()
  const song = { id: 'day/one.mp3', title: 'one', artist: 'Ann', album: '', year: null, durationMs: 600_000 }
  const entry = { entryId: 'e1', track: song, orderType: null, tier: null }
  const clip = { id: 'bell', media: 'jingles/day/bell.mp3', durationMs: 60_000 }
  const state = initialState(1, 'sound', { natural: 'day', changes: [] }, nowMs)
  const ringing: PlayoutState = {
    ...state,
    onAir: { phase: 'jingle', jingle: { entryId: 'j1', clip }, startedAtMs: nowMs, entry, shownMs: 600_000 },
    playlist: { ...state.playlist, entries: [entry] },
  }
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const lease = await bus.acquireLease(ending.signal)
  await lease.save(ringing)
  const admin = await one.joinAs(['queue_manage'])
  const answer = command(admin, 'admin_skip_song')
  for await (const { asker, command: asked } of lease.commands('0-0')) {
    await lease.answer(asker, apply(ringing, asked, clock.nowMs()).outcome)
    break
  }
  t.match(await answer, { code: 'JINGLE_IN_PROGRESS' })
})
