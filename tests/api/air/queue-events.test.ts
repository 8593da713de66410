import { coded, type QueueItem, type RadioState } from '@solstice/contracts'
import { apply, initialState, type PlayoutState } from '@solstice/playout'
import t from 'tap'
import { asAdmin, command } from '../../harness/people/admin.ts'
import type { SocketClient } from '../../harness/people/socket-client.ts'
import { openReplica } from '../../harness/stations/replica.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { DAY, FREE, logged, station, WISH } from './queue-station.ts'

useStores('sql+local')

const everything: [event: string, ...args: unknown[]][] = [
  ['admin_add_song', { id: WISH.id, orderType: 'lastinline' }],
  ['admin_remove_song', 1],
  ['admin_restore_song', { entryId: 'e1' }],
  ['admin_move_song', { id: WISH.id, from: 1, to: 2 }],
  ['admin_insert_jingle', { id: 'x' }],
  ['admin_cancel_jingle', { id: 'x' }],
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
    ['admin_add_song', { id: WISH.id, orderType: 'lastinline', position: 0 }],
    ['admin_remove_song', '1'],
    ['admin_remove_song', { position: 1 }],
    ['admin_remove_song', { entryId: 5 }],
    ['admin_remove_song', null],
    ['admin_restore_song', {}],
    ['admin_restore_song', 'e1'],
    ['admin_remove_song', undefined],
    ['admin_move_song', { id: WISH.id, from: 0, to: 2 }],
    ['admin_move_song', { id: WISH.id, from: 1 }],
    ['admin_move_song', { from: 1, to: 2 }],
    ['admin_insert_jingle', {}],
    ['admin_cancel_jingle', { id: 5 }],
    ['admin_insert_jingle', { id: '' }],
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

t.test('queue changes by admins', async (t) => {
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
  const songOnAir = () => (air.state.onAir.phase === 'track' ? air.state.onAir.entry.track : null)
  const add = (client: SocketClient, id: string, more: object = { orderType: 'lastinline' }) =>
    command(client, 'admin_add_song', { id, title: 'Mine', artist: 'Me', ...more })

  const failed = { code: 'QUEUE_ADD_FAILED' }

  t.test('a song that cannot be queued is refused with the reason', async (t) => {
    const pending = (inMs: number) =>
      bus.send({ type: 'switch-mode', target: 'night', atMs: clock.nowMs() + inMs })
    await pending(300_000)
    t.match(await add(admin, WISH.id), { code: 'QUEUE_ADD_FAILED', reason: 'no_time', en: /in \d min/ })
    await pending(72_000_000)
    t.match(await add(admin, 'day/nowhere.mp3'), { ...failed, reason: 'not_found' })
    t.match(await add(admin, 'night/owl.mp3'), { ...failed, reason: 'wrong_mode' })
    t.match(await add(admin, songOnAir()!.id), { ...failed, reason: 'duplicate_nearby' })
  })

  t.test('a queued song is shown at once, logged, and starts the cooldown of all replicas', async (t) => {
    t.match(await add(admin, WISH.id, { orderType: 'donated', tier: 3 }), { code: 'QUEUE_SONG_ADDED' })
    const shown = await sync(({ playlist }) => playlist[0]?.id === WISH.id)
    t.match(shown.playlist[0], { ...WISH, orderType: 'donated', tier: 3 })
    t.match(await logged(boss, 'queue_add'), {
      adminId,
      data: { title: 'wish', artist: 'Wished', orderType: 'donated' },
    })
    t.match(
      await add(other, WISH.id),
      { ...failed, reason: 'cooldown', secsLeft: Number },
      'over all replicas',
    )
    t.match(await add(other, 'day/nowhere.mp3'), { ...failed, reason: 'cooldown' }, 'before all else')
  })

  t.test('the entry at a position is removed', async (t) => {
    for (const position of [0, -1, 1.5, 1e9]) {
      t.match(await command(other, 'admin_remove_song', position), {
        code: 'QUEUE_REMOVE_FAILED',
        reason: 'not_found',
      })
    }
    const [third] = (
      (await other.ask('get_queue', { offset: 2, limit: 1 })) as { items: RadioState['playlist'] }
    ).items
    const { entryId } = third!
    t.match(await command(other, 'admin_remove_song', 3), {
      code: 'QUEUE_SONG_REMOVED',
      entry: { entryId, title: third!.title, artist: third!.artist },
    })
    await sync(({ playlist }) => playlist[0]?.id === WISH.id && playlist[2]?.id !== third!.id)
    const { title, artist } = third!
    t.match(await logged(boss, 'queue_remove'), { data: { position: 3, title, artist } })
    t.match(await command(admin, 'admin_remove_song', 1), { code: 'QUEUE_REMOVE_FAILED', reason: 'cooldown' })
  })

  t.test('A13: and is put back by its id, without a cooldown', async (t) => {
    const third = async () => {
      const { items } = (await other.ask('get_queue', { offset: 2, limit: 1 })) as { items: QueueItem[] }
      return items[0]!
    }
    const removed = (await data.audit.find({ operationType: 'queue_remove' })).at(-1)!.data
    const record = air.state.removed?.at(-1)
    const { entryId } = record!.entry
    listener.forget()
    t.match(await command(admin, 'admin_restore_song', { entryId }), { code: 'QUEUE_SONG_RESTORED' })
    t.match(await logged(boss, 'queue_restore'), { adminId, data: removed })
    await sync(({ playlist }) => playlist[2]?.id === record!.entry.track.id)
    t.match(await third(), { entryId, title: record!.entry.track.title })
    t.match(await command(other, 'admin_restore_song', { entryId }), {
      code: 'QUEUE_RESTORE_FAILED',
      reason: 'forgotten',
    })
    const named = { entryId: 'nothing' }
    t.match(await command(other, 'admin_remove_song', named), {
      code: 'QUEUE_REMOVE_FAILED',
      reason: 'not_found',
    })
  })

  t.test('a skipped song gives way to the next entry', async (t) => {
    const skipped = songOnAir()!
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
  })

  t.test('a song group is inserted as a whole, over REST and sockets alike', async (t) => {
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
  })

  t.test('a decision about an unknown request is refused', async (t) => {
    t.match(await command(admin, 'admin_suggestion_action', { uid: 'nobody', action: 'add' }), {
      code: 'SUGGESTION_NOT_FOUND',
    })
  })

  t.test('the log is announced to admins only', async (t) => {
    for (const client of [listener, other]) t.same(client.all('audit_new_entry').length > 0, client === other)
  })
})

t.test('J4: nothing is skipped during a jingle', async (t) => {
  const one = await openReplica(t, { ...DAY, ...FREE })
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
