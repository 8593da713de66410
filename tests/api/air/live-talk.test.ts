import { join as path } from 'node:path'
import type { AuditEntry, Participant, RadioState } from '@solstice/contracts'
import { upcoming } from '@solstice/playout'
import { defaultSettings, type MicrophonePiece } from '@solstice/station'
import t from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import {
  answerTo,
  HOST_LOGIN,
  openLiveStation,
  refused,
  SONGS,
  settled,
} from '../../harness/stations/kinds/live-station.ts'
import { waiting } from '../../harness/until.ts'

const isEnd = (entry: unknown): entry is AuditEntry =>
  (entry as AuditEntry).operationType === 'radio_host_live_end'

t.test('hosts pause the queue to talk', async (t) => {
  const { two, air, host, boss, moderator, listener, guest, forget, goLive } = await openLiveStation(t)
  await goLive(host, boss)
  const playing = (await listener.first<RadioState>('sync')).track
  host.socket.emit('host_pause_queue')
  for (const client of [host, boss]) t.same(await client.first('host_queue_pause_state'), { paused: true })
  for (const client of [listener, guest]) {
    t.match(await client.first('stream_chat_mode_start'), { serverTs: Number })
    const sync = await client.first<RadioState>('sync', ({ title }) => title === 'Just chatting')
    t.match(sync, { artist: '', duration: 0, seek: 0, isPlaying: true, track: playing })
    t.same(await client.ask('stream_get_seek', 1), { seek: 0, duration: 0, trackId: playing })
  }
  const [start] = listener.all('stream_chat_mode_start')
  const late = await two.join()
  t.same(late.all('stream_chat_mode_start'), [])
  late.socket.emit('listener_init')
  t.same(await late.first('stream_chat_mode_start'), start, 'a latecomer learns when it began')
  late.socket.disconnect()
  for (const client of [listener, guest, moderator]) t.same(client.all('host_queue_pause_state'), [])
  host.forget()
  boss.forget()
  boss.socket.emit('host_pause_queue', { when: 'now' })
  t.same(await boss.first('host_queue_pause_state'), { paused: true }, 'as it is already')
  boss.socket.emit('host_pause_queue', { when: 'never' })
  listener.forget()
  host.socket.emit('host_resume_queue', null)
  t.same(await host.first('host_queue_pause_state'), { paused: false })
  t.match(await listener.first('stream_chat_mode_end'), { serverTs: Number })
  t.match(
    await listener.first<RadioState>(
      'sync',
      ({ title, track }) => title !== 'Just chatting' && track === playing,
    ),
    {
      isPlaying: true,
    },
  )
  t.same(listener.all('stream_track_start'), [], 'the song that was interrupted goes on')
  listener.forget()
  listener.socket.emit('listener_init')
  await listener.first('listener_uid')
  await settled(listener)
  t.same(listener.all('stream_chat_mode_start'), [], 'no talk, no news of one')

  forget()
  boss.socket.emit('host_pause_queue', { when: 'afterTrack' })
  t.same(await host.first('host_queue_pause_state'), { paused: true })
  await settled(listener)
  t.same(listener.all('stream_chat_mode_start'), [], 'not before the song is over')
  boss.socket.emit('admin_skip_song')
  await listener.first('stream_chat_mode_start')
  host.forget()
  host.socket.emit('host_resume_queue')
  await host.first('host_queue_pause_state', ({ paused }: { paused: boolean }) => !paused)
  await listener.first('stream_chat_mode_end')
  t.match(await listener.first('stream_track_start'), { duration: 300 })

  const { onAir } = air.state
  const near = [onAir.phase === 'track' ? onAir.entry : null, upcoming(air.state)[0]]
  const ids = near.map((entry) => entry?.track.id)
  const paid = SONGS.find((id) => !ids.includes(id))
  boss.forget()
  boss.socket.emit('admin_add_song', { id: paid, orderType: 'donated' })
  await boss.first('admin_success')
  forget()
  host.socket.emit('host_pause_queue', {})
  t.same(await host.first('host_queue_pause_state'), {
    paused: false,
    denied: true,
    reason: 'donatedInQueue',
  })
  await settled(boss)
  t.same(boss.all('host_queue_pause_state'), [], 'told to the host who asked')
  boss.socket.emit('admin_remove_song', 1)
  await boss.first('admin_success')
})

t.test('hosts choose the music under their talk', async (t) => {
  const { air, data, config, bus, host, boss, third, listener, forget, goLive } = await openLiveStation(t)
  await goLive(host, boss)
  const clip = (id: string, used: boolean, createdAt: number) => {
    const filename = `${id}.mp3`
    return {
      id,
      filename,
      mode: 'day' as const,
      duration: 20,
      used,
      createdAt,
      family: 'background-music' as const,
    }
  }
  for (const one of [clip('quiet', true, 1), clip('piano', true, 2), clip('gone', false, 3)]) {
    await data.clips.put({ ...one, nameKey: one.filename })
    await makeTone(path(config.mediaDir, 'background', 'day', one.filename), { hz: 330, seconds: 20 })
  }
  const radioHosts = { ...defaultSettings.radioHosts, backgroundMusicMode: 'hostChoice' as const }
  await data.settings.put({ section: 'radioHosts', value: radioHosts, revision: 1 })
  await bus.send({ type: 'clips-changed' })
  await air.until(
    ({ clips }) => clips.background.usable.day.length === 2 && clips.background.chosenBy === 'hosts',
  )
  const { family: _, ...piano } = clip('piano', true, 2)
  t.match(await host.ask('host_get_background_music_list', {}), {
    items: [piano, { id: 'quiet' }],
    total: 2,
    mode: 'day',
  })
  t.match(await boss.ask('host_get_background_music_list', { offset: 1, limit: 500 }), {
    items: [{ id: 'quiet' }],
    total: 2,
  })
  t.same(await third.ask('host_get_background_music_list', {}), { items: [], total: 0 }, 'is not on the air')

  forget()
  t.match(await host.ask('host_set_background_music', { trackId: 'gone' }), refused('NOT_FOUND'))
  t.same(await host.ask('host_set_background_music', { trackId: 'piano' }), { ok: true })
  t.same(await boss.first('background_music_selection_changed'), { trackId: 'piano' })
  host.socket.emit('host_pause_queue')
  t.same(await boss.first('background_music_now_playing'), { trackId: 'piano', filename: 'piano.mp3' })
  boss.forget()
  t.same(await host.ask('host_set_background_music', { trackId: null }), { ok: true })
  t.same(await boss.first('background_music_selection_changed'), { trackId: null })
  t.same(await boss.first('background_music_now_playing'), { trackId: null, filename: null })
  host.socket.emit('host_resume_queue')
  await boss.first('host_queue_pause_state', ({ paused }: { paused: boolean }) => !paused)
  t.same(listener.all('background_music_now_playing'), [])
})

t.test('recordings reach the worker while the microphone is on', async (t) => {
  const { two, air, host, boss, goLive } = await openLiveStation(t)
  await goLive(host, boss)
  const head = Buffer.from('1a45dfa30102', 'hex')
  const heard: MicrophonePiece[] = []
  /** The worker cannot decode these pieces, so it asks for headers as well. */
  const heads: MicrophonePiece[] = []
  const pieces = waiting()
  const stop = await two.ports.microphones.receive((piece) => {
    const kind = piece.bytes.equals(head) ? heads : heard
    kind.push(piece)
    pieces.changed()
  })
  const first = Buffer.concat([head, Buffer.from('1f43b675', 'hex'), Buffer.alloc(100)])
  const id = host.socket.id
  host.socket.emit('host_audio_chunk', first)
  await settled(host)
  host.socket.emit('host_mic_toggle', { on: true })
  await air.until(({ live }) => live.participants.some(({ socketId, isMicOn }) => socketId === id && isMicOn))
  host.socket.emit('host_audio_chunk', 'not bytes')
  host.socket.emit('host_audio_chunk', Buffer.alloc(256 * 1024 + 1))
  for (let i = 0; i < 120; i++) host.socket.emit('host_audio_chunk', Buffer.alloc(1_000, i))
  await pieces.until('all pieces', () => heard.length === 120)
  t.equal(heard[0]?.bytes[0], 0, 'pieces sent before the microphone was on are dropped')
  t.ok(heard.every(({ bytes, socketId }, i) => bytes[0] === i && socketId === id))

  two.ports.microphones.askForHead(String(id))
  await host.first('host_mic_restart')
  await pieces.until('a head', () => heads.length > 0)
  t.equal(heads[0]?.socketId, id)
  two.ports.microphones.askForHead(String(boss.socket.id))
  host.socket.emit('host_mic_toggle', { on: false })
  await air.until(({ live }) => !live.participants.some(({ isMicOn }) => isMicOn))
  host.socket.emit('host_audio_chunk', first)
  await settled(host)
  await settled(boss)
  t.same(boss.all('host_mic_restart'), [])
  stop()
})

t.test('a live session ends with its socket, and with the privileges of its account', async (t) => {
  const { one, two, air, data, host, boss, idle, listener, uidOf, goLive } = await openLiveStation(t)
  await goLive(host, boss)
  const visitor = await two.join('192.0.2.99')
  t.same(await visitor.ask('guest_request', { nickname: 'W' }), { ok: true })
  await host.first<unknown[]>('guest_queue_update', (list) => list.length === 1)
  visitor.socket.disconnect()
  await host.first<unknown[]>('guest_queue_update', (list) => list.length === 0)

  const [asking, invited] = [await two.join('192.0.2.97'), await two.join('192.0.2.98')]
  const nickname = 'V'
  for (const client of [asking, invited])
    t.same(await client.ask('guest_request', { nickname }), { ok: true })
  const accept = { uid: uidOf('192.0.2.98'), action: 'accept' }
  t.same(await host.ask('admin_guest_action', accept), { ok: true })
  const newer = await one.joinAs()
  t.match(await newer.ask('admin_go_live'), refused('LIVE_ELSEWHERE'))
  t.match(await newer.ask('admin_go_live', { takeOver: false }), refused('LIVE_ELSEWHERE'))
  t.match(await newer.ask('admin_go_live', { takeOver: 1 }), refused('BAD_REQUEST'))
  t.same(boss.all('host_force_disconnect'), [], 'a second window ends nothing')
  t.match(await newer.ask('admin_go_live', { takeOver: true }), {
    ok: true,
    hosts: [{ login: HOST_LOGIN }, { login: 'admin', id: newer.socket.id }],
    pendingGuests: [{ id: invited.socket.id, nickname, role: 'guest' }],
    guestRequests: [{ uid: uidOf('192.0.2.97'), nickname }],
  })
  t.same(await boss.first('host_force_disconnect'), { reason: 'session_replaced' })
  t.same(await boss.ask('get_queue', {}).then((page) => Object.keys(page as object)), ['items', 'total'])
  t.match(await boss.ask('admin_go_live'), refused('LIVE_ELSEWHERE'), 'it may take over again')

  const { adminId } = (await data.admins.find()).find(({ login: of }) => of === HOST_LOGIN)!
  await data.admins.update({ adminId }, { privileges: ['stats'] })
  one.ports.announcer.accountChanged({ adminId, kind: 'privileges' })
  await newer.first<Participant[]>(
    'live_hosts_roster',
    (list) => list.length === 1 && list[0]?.login === 'admin',
  )
  t.match(await answerTo(host, 'host_pause_queue'), null)

  newer.socket.emit('host_pause_queue')
  await listener.first('stream_chat_mode_start')
  newer.socket.emit('admin_leave_live')
  await listener.first('radio_hosts_online', (isOnline) => isOnline === false)
  await listener.first('stream_chat_mode_end')
  t.equal(air.state.isPaused, false, 'with the last host the queue goes on')

  const last = await two.joinAs(['radio_host', 'queue_manage'])
  t.match(await last.ask('admin_go_live'), { ok: true })
  await two.app.close()
  await air.until(({ live }) => live.participants.length === 0)
  await listener.first('radio_hosts_online', (isOnline) => isOnline === false)
  const ends = () => idle.all('audit_new_entry').filter(isEnd)
  await idle.first<AuditEntry>('audit_new_entry', () => ends().length === 4)
  const reasons = ends().map(({ data }) => (data as Record<string, unknown>).reason)
  t.same(reasons, ['session_replaced', 'self', 'self', 'self'])
})
