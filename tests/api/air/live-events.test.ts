import { join as path } from 'node:path'
import {
  type Ack,
  type AuditEntry,
  type BanEntry,
  clientEvents,
  coded,
  type failureBody,
  type Participant,
  type Privilege,
  type RadioState,
} from '@solstice/contracts'
import {
  advance,
  apply,
  type Command,
  initialState,
  learn,
  type PlayoutState,
  upcoming,
} from '@solstice/playout'
import { cleanNickname, defaultSettings, type MicrophonePiece } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createLiveEvents } from '../../../apps/api/src/sockets/live/events.ts'
import { RecordingHead } from '../../../apps/api/src/sockets/live/microphone-relay.ts'
import { makeTone } from '../../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { waiting } from '../../harness/until.ts'

interface Replica extends OpenApp {
  /** A socket from this address that has heard all that a new one is told. */
  join(address?: string): Promise<SocketClient>
  /** One that is an admin: the super admin unless privileges are given. */
  joinAs(privileges?: Privilege[]): Promise<SocketClient>
}

/** Always day, and behind a proxy, so that tests have several addresses. */
const ENV = {
  ...SUPER_ADMIN,
  NIGHT_MODE: 'false',
  STREAM_MODE: 'true',
  TRUST_PROXY_HOPS: '1',
  MEDIA_STORAGE: 'local',
}
const HOSTING = { ...ENV, RADIO_HOSTS_MODE: 'true', MAX_LIVE_HOST_SLOTS: '4' }
const FREE = {
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  GUEST_REQUEST_COOLDOWN_S: '600',
}
const [HOST, MODERATOR]: [Privilege[], Privilege[]] = [['radio_host'], ['radio_moderator']]

async function replica(t: Test, env: Record<string, string>, beside?: OpenApp): Promise<Replica> {
  const open = await openApp(t, env, pino({ level: 'silent' }), beside)
  const url = await open.app.listen({ port: 0, host: '127.0.0.1' })
  const join = async (address = '203.0.113.1') => {
    const client = openSocket(t, url, { headers: { 'x-forwarded-for': address } })
    await client.first(open.ports.config.radioHostsMode ? 'radio_hosts_online' : 'radio_hosts_mode')
    return client
  }
  return {
    ...open,
    join,
    async joinAs(privileges) {
      const client = await join()
      client.socket.emit('admin_active', (await asAdmin(open, privileges)).token)
      await client.first('admin_confirmed')
      await client.ask('stream_ping', 1)
      return client
    },
  }
}

/** Resolves when all that a socket was told before is heard. */
const settled = (client: SocketClient) => client.ask('stream_ping', 1)

/** What an event with a callback is answered, or null when what was asked after it is answered first. */
async function answerTo(client: SocketClient, event: string, ...args: unknown[]): Promise<unknown> {
  let answer: unknown = null
  client.socket.emit(event, ...args, (given: unknown) => {
    answer = given
  })
  await settled(client)
  return answer
}

const refused = (code: Parameters<typeof failureBody>[0], details = {}) => ({
  error: { code, ...details, uk: /\S/, en: /\S/ },
})
const off = refused('FEATURE_UNAVAILABLE')

/** A payload that each event takes. */
const payloads: Record<string, unknown> = {
  host_mic_toggle: { on: true },
  host_mic_gain: { gain: 3 },
  host_audio_chunk: Buffer.alloc(10),
  host_set_background_music: { trackId: null },
  host_guest_mute: { targetId: 'x', muted: true },
  host_guest_kick: { targetId: 'x' },
  guest_request: { nickname: 'Ivha' },
  admin_guest_action: { uid: 'x', action: 'accept' },
  special_guest_connect: { code: 'x', nickname: 'Ivha' },
  moderator_mute: { targetId: 'x', muted: true },
  moderator_kick: { targetId: 'x' },
  moderator_ban_participant: { targetId: 'x' },
  moderator_ban_ip: { ip: '192.0.2.1' },
  moderator_unban_ip: { ip: '192.0.2.1' },
}
const isOfLive = (event: string) =>
  /^(host|guest|special_guest|moderator)_|^admin_(go|leave)_live|^admin_guest_action/.test(event)
const events = Object.entries(clientEvents).filter(([event]) => isOfLive(event))
const isEnd = (entry: unknown): entry is AuditEntry =>
  (entry as AuditEntry).operationType === 'radio_host_live_end'
const isForAdmins = (access: unknown) => access !== 'anyone' && access !== 'live'

t.test('a nickname is one line of visible text', async (t) => {
  t.equal(cleanNickname('  Їв\u0000га\n\u202e \u200b '), 'Ївга')
  t.equal(cleanNickname('🙂'.repeat(40)), '🙂'.repeat(32))
  t.equal(cleanNickname('👩\u200d🚀'), '👩\u200d🚀', 'joiners hold it together')
  t.equal(cleanNickname(`${'a'.repeat(31)} b`), 'a'.repeat(31))
  t.equal(cleanNickname(' \u200d\u2028\ud800 '), '')
  for (const unseen of ['\u3164', '\u2800', '\u115f', '\u034f', ' \ufe0f', '\u0301'])
    t.equal(cleanNickname(unseen), '', 'nothing is seen of it')
  t.equal(cleanNickname('<b>'), '<b>')
})

t.test('the head of a recording is all before its first cluster, however it is cut', async (t) => {
  const head = Buffer.from('1a45dfa301020304', 'hex')
  const recording = Buffer.concat([head, Buffer.from('1f43b67599', 'hex'), Buffer.alloc(100, 7)])
  for (const size of [1, 5, 10, 200]) {
    const kept = new RecordingHead()
    kept.follow(Buffer.alloc(50, 9))
    for (let at = 0; at < recording.length; ) {
      // The first piece has the whole of what tells that it is the first.
      const end = at + (at === 0 ? Math.max(4, size) : size)
      kept.follow(recording.subarray(at, end))
      at = end
    }
    t.same(kept.bytes(), head, `pieces of ${size}`)
    kept.follow(Buffer.concat([head, Buffer.alloc(70_000)]))
    t.equal(kept.bytes().length, 0, 'that is no head of a recording')
  }
})

t.test('without live hosting all of it is refused', async (t) => {
  const one = await replica(t, ENV)
  const [listener, boss] = await Promise.all([one.join(), one.joinAs()])
  const lossy = await replica(t, { ...HOSTING, EPHEMERAL_STORAGE: 'true' }, one)
  for (const [event, { access, ack }] of events) {
    const payload = payloads[event] === undefined ? [] : [payloads[event]]
    const expected = event === 'guest_check_ban' ? { banned: false } : ack ? off : null
    t.match(await answerTo(boss, event, ...payload), expected, event)
    // A socket of its own, as no listener may send as many events at once.
    const told = await answerTo(await one.join(), event, ...payload)
    t.match(told, isForAdmins(access) ? null : expected, event)
  }
  t.equal(boss.all('admin_error').length, 2, 'host_pause_queue and host_resume_queue have no callback')
  for (const client of [listener, boss]) {
    t.same(client.all('radio_hosts_mode'), [false])
    for (const event of ['radio_hosts_online', 'guest_queue_update']) t.same(client.all(event), [], event)
  }

  const before = await lossy.joinAs(MODERATOR)
  const noBans = refused('FEATURE_UNAVAILABLE', { capability: 'ipModeration' })
  for (const event of ['moderator_ban_ip', 'moderator_unban_ip', 'moderator_ban_participant'])
    t.match(await before.ask(event, payloads[event]), noBans, event)
  t.same(await before.ask('moderator_get_banlist'), { list: [], total: 0 })
  t.same(await before.ask('moderator_get_guest_code'), { code: null }, 'before any worker came')
})

t.test('hosts, guests and moderators on two replicas', async (t) => {
  const one = await replica(t, { ...HOSTING, ...FREE })
  const two = await replica(t, { ...HOSTING, ...FREE }, one)
  const { config, data, bus } = one.ports
  const songs = ['a', 'b', 'c']
  for (const [i, name] of songs.entries()) {
    await makeTone(path(config.mediaDir, 'music', 'day', `${name}.mp3`), { hz: 220 * (i + 1), seconds: 300 })
    await one.addTrack(`day/${name}.mp3`, null, { duration: 300, artist: name })
  }
  const air = await startAir(t, one.ports)
  await air.until(({ hosting }) => hosting.isOn)
  const known = async (isLikeThis: (state: PlayoutState) => boolean) => {
    await air.until(isLikeThis)
  }
  const logged = async (operationType: string): Promise<Record<string, unknown>[]> =>
    (await data.audit.find({ operationType })).map(({ adminLogin, data }) => ({ adminLogin, ...data }))

  const [host, boss, third, moderator, idle] = await Promise.all([
    one.joinAs(HOST),
    two.joinAs(),
    two.joinAs(['radio_host', 'stats']),
    two.joinAs(MODERATOR),
    one.joinAs(['stats']),
  ])
  const [listener, guest, other] = await Promise.all([
    one.join('203.0.113.9'),
    two.join('2001:db8:1:2::5'),
    one.join('198.51.100.7'),
  ])
  const everybody = [host, boss, third, moderator, idle, listener, guest, other]
  const login = 'helper with radio_host'
  const asHost = (client: SocketClient, name: string, muted = false): Participant => {
    return { id: String(client.socket.id), login: name, role: 'host', muted }
  }
  const uidOf = (address: string) => one.tokens.uidOf(address)

  t.test('who may not is refused, or not even answered', async (t) => {
    t.same(listener.all('radio_hosts_online'), [false])
    for (const [event, { access, ack }] of events) {
      const payload = payloads[event] === undefined ? [] : [payloads[event]]
      const stranger = await one.join('203.0.113.9')
      if (access !== 'anyone') t.equal(await answerTo(stranger, event, ...payload), null, event)
      t.same(stranger.all('admin_error'), [], event)
      stranger.socket.disconnect()
      if (access === 'host')
        t.match(await answerTo(third, event, ...payload), ack ? refused('NOT_LIVE') : null, event)
      if (typeof access === 'object')
        t.same(await idle.ask(event, ...payload), { error: coded('INSUFFICIENT_PRIVILEGES') }, event)
    }
    for (const [event, payload] of [
      ['guest_request', 5],
      ['guest_request', undefined],
      ['guest_request', { nickname: 5 }],
      ['guest_request', { nickname: 'x'.repeat(2_000) }],
      ['special_guest_connect', { code: 'x' }],
    ] as const)
      t.match(await listener.ask(event, payload), refused('BAD_REQUEST'), event)
    t.match(await boss.ask('moderator_ban_ip', { ip: 5 }), refused('BAD_REQUEST'))
    t.same(await idle.ask('moderator_get_live_roster'), { roster: [], hostsOnline: false })
    t.same(await idle.ask('host_get_background_music_list', {}), { items: [], total: 0 })
    t.same(await listener.ask('guest_check_ban'), { banned: false })
    t.match(
      await listener.ask('guest_request', { nickname: ' \n' }),
      refused('BAD_REQUEST', { reason: 'missing' }),
    )
    t.match(
      await boss.ask('guest_request', { nickname: 'Boss' }),
      refused('FORBIDDEN', { reason: 'is_admin' }),
    )
    t.same(await listener.ask('guest_request', { nickname: 'Ivha' }), { error: 'no_admin' })
    t.match(await guest.ask('guest_connect'), refused('GUEST_NOT_APPROVED'))
    const shown = { code: 'x', nickname: 'Ivha' }
    t.match(
      await other.ask('special_guest_connect', shown),
      refused('GUEST_CODE_REFUSED', { reason: 'no_code' }),
    )
    t.same(listener.all('admin_error'), [])
  })

  t.test('hosts come on the air, and everybody hears of it', async (t) => {
    for (const client of everybody) client.forget()
    t.same(await host.ask('admin_go_live'), {
      ok: true,
      queuePaused: false,
      hosts: [asHost(host, login)],
      pendingGuests: [],
      guestRequests: [],
      backgroundMusicMode: 'random',
      selectedBackgroundMusicId: null,
    } satisfies Ack<'admin_go_live'>)
    t.same(await host.ask('admin_go_live', {}), { ok: true })
    await Promise.all(
      everybody.map((client) => client.first('radio_hosts_online', (isOnline) => isOnline === true)),
    )
    await Promise.all([host, moderator, boss].map((client) => client.first('live_hosts_roster')))
    t.same(moderator.all('live_hosts_roster'), [[asHost(host, login)]])
    t.same(host.all('guest_queue_update'), [[]])
    const newcomer = await two.join()
    t.same(newcomer.all('radio_hosts_online'), [true])

    host.forget()
    t.match(await boss.ask('admin_go_live', null), { ok: true, hosts: [{ login }, { login: 'admin' }] })
    t.match(await third.ask('admin_go_live'), refused('SLOTS_TAKEN'), 'at most two')
    await host.first('live_hosts_roster')
    const roster = [asHost(host, login), asHost(boss, 'admin')]
    t.same(host.all('live_hosts_roster'), [roster])
    t.same(await moderator.ask('moderator_get_live_roster'), { roster, hostsOnline: true })
    t.same(await idle.ask('moderator_get_live_roster'), { roster: [], hostsOnline: true })
    for (const client of [listener, idle, third, guest]) t.same(client.all('live_hosts_roster'), [])
    t.same(listener.all('radio_hosts_online'), [true], 'told once')
  })

  t.test('a guest asks, is let in, is heard and is taken off', async (t) => {
    for (const client of everybody) client.forget()
    t.same(await guest.ask('guest_request', { nickname: ' Ївга\u202e ' }), { ok: true })
    const queue = [{ uid: uidOf('2001:db8:1:2::5'), nickname: 'Ївга' }]
    for (const client of [host, boss, third]) t.match(await client.first('guest_queue_update'), queue)
    const late = await one.joinAs(['radio_host', 'radio_moderator'])
    t.match(await late.first('guest_queue_update'), queue, 'told when it becomes one')
    t.match(
      await host.ask('admin_guest_action', { uid: 'nobody', action: 'accept' }),
      refused('GUEST_REQUEST_NOT_FOUND'),
    )
    t.same(await third.ask('admin_guest_action', { uid: queue[0]!.uid, action: 'accept' }), { ok: true })
    t.same(await guest.first('guest_request_result'), { accepted: true, nickname: 'Ївга' })
    const id = guest.socket.id
    const pending = [{ id, nickname: 'Ївга', role: 'guest' }]
    for (const client of [host, boss]) t.same(await client.first('guest_pending_status'), pending)
    await host.first<unknown[]>('guest_queue_update', (list) => list.length === 0)
    t.match(await other.ask('guest_connect'), refused('GUEST_NOT_APPROVED'))

    const session = (await guest.ask('guest_connect', {})) as { expiresAt: number }
    t.match(session, { ok: true, role: 'guest', nickname: 'Ївга', expiresAt: Number })
    const asGuest = { id, login: 'Ївга', role: 'guest', muted: false }
    const everybodyLive = [asHost(host, login), asHost(boss, 'admin'), asGuest]
    guest.forget()
    t.same(await guest.first('live_hosts_roster'), everybodyLive, 'again after the answer')
    t.same(await guest.ask('guest_connect'), session, 'twice is once')
    guest.forget()
    t.same(await guest.first('live_hosts_roster'), everybodyLive, 'and so each time')
    await boss.first<unknown[]>('guest_pending_status', (list) => list.length === 0)
    await Promise.all([guest, host, moderator].map((client) => client.first('live_hosts_roster')))

    t.match(
      await host.ask('host_guest_mute', { targetId: boss.socket.id, muted: true }),
      refused('GUEST_NOT_FOUND'),
    )
    t.match(
      await moderator.ask('moderator_mute', { targetId: 'x', muted: true }),
      refused('PARTICIPANT_NOT_FOUND'),
    )
    t.same(await host.ask('host_guest_mute', { targetId: id, muted: true }), { ok: true })
    t.same(await moderator.ask('moderator_mute', { targetId: host.socket.id, muted: true }), { ok: true })
    await guest.first<Participant[]>(
      'live_hosts_roster',
      (list) => list.filter(({ muted }) => muted).length === 2,
    )
    await moderator.ask('moderator_mute', { targetId: host.socket.id, muted: false })
    guest.socket.emit('host_mic_gain', { gain: 100 })
    await known(({ live }) => live.participants.some(({ socketId, gain }) => socketId === id && gain === 7))
    t.equal(await answerTo(guest, 'host_guest_kick', { targetId: id }), null, 'is no host')

    t.match(await host.ask('host_guest_kick', { targetId: boss.socket.id }), refused('GUEST_NOT_FOUND'))
    t.same(await host.ask('host_guest_kick', { targetId: id }), { ok: true })
    t.same(await guest.first('guest_force_disconnect'), { reason: 'kick' })
    const kick = { adminLogin: login, nickname: 'Ївга', ip: '2001:db8:1:2::5', role: 'guest' }
    t.same(await logged('guest_kick'), [kick])

    t.same(await guest.ask('guest_request', { nickname: 'Ївга' }), { ok: true })
    t.same(await host.ask('admin_guest_action', { uid: queue[0]!.uid, action: 'reject' }), { ok: true })
    t.same(await guest.first('guest_request_result', (result: { accepted: boolean }) => !result.accepted), {
      accepted: false,
      auto: false,
    })
    const wait = (await guest.ask('guest_request', { nickname: 'Ївга' })) as { secsLeft: number }
    t.match(wait, { error: 'cooldown', secsLeft: Number })
    t.ok(wait.secsLeft > 500 && wait.secsLeft <= 600)
    t.same(idle.all('guest_queue_update'), [])
    t.same(moderator.all('guest_queue_update'), [])
    late.socket.disconnect()
  })

  t.test('hosts pause the queue to talk', async (t) => {
    for (const client of everybody) client.forget()
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
    t.same(await late.first('stream_chat_mode_start'), start, 'who comes in the middle is told when it began')
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

    for (const client of everybody) client.forget()
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
    const paid = songs.map((name) => `day/${name}.mp3`).find((id) => !ids.includes(id))
    boss.forget()
    boss.socket.emit('admin_add_song', { id: paid, orderType: 'donated' })
    await boss.first('admin_success')
    for (const client of everybody) client.forget()
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

  t.test('hosts choose what is heard under their talk', async (t) => {
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
    await known(
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
    t.same(
      await third.ask('host_get_background_music_list', {}),
      { items: [], total: 0 },
      'is not on the air',
    )

    for (const client of everybody) client.forget()
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

  t.test('special guests come with an access code', async (t) => {
    for (const client of everybody) client.forget()
    t.same(await other.ask('guest_request', { nickname: 'Lev' }), { ok: true })
    t.same(await host.ask('moderator_get_guest_code'), { code: null })
    const made = (await moderator.ask('moderator_generate_guest_code', { ttlHours: 0.5 })) as { code: string }
    t.match(made, { ok: true, code: /^[A-Za-z0-9]{12}$/, expiresAt: Number })
    t.match(
      await host.ask('moderator_generate_guest_code', {}),
      refused('GUEST_CODE_REFUSED', { reason: 'exists' }),
    )
    const { code, ...about } = (await host.ask('moderator_regenerate_guest_code')) as { code: string }
    t.not(code, made.code)
    t.match(await moderator.ask('moderator_get_guest_code'), { ...about, code, ok: undefined })
    for (const client of [host, moderator, third]) {
      await client.first('guest_code_updated', (told: { code: string }) => told.code === code)
      t.equal(client.all('guest_code_updated').length, 2)
    }
    for (const client of [idle, guest, listener]) t.same(client.all('guest_code_updated'), [])
    t.same(
      await other.first('guest_request_result'),
      { accepted: false, auto: false, reason: 'special_guest_active' },
      'other requests end',
    )
    t.same(await listener.ask('guest_request', { nickname: 'Lev' }), { error: 'special_guest_active' })

    const show = (shown: string, nickname = 'Ліна') =>
      guest.ask('special_guest_connect', { code: shown, nickname })
    t.match(await show(made.code), refused('GUEST_CODE_REFUSED', { reason: 'wrong_code' }))
    t.match(await show(code, ' '), refused('BAD_REQUEST'))
    t.same(await show(` ${code} `), { ok: true })
    t.match(await guest.ask('guest_connect'), { ok: true, role: 'specialGuest', nickname: 'Ліна' })
    t.match(
      await moderator.ask('moderator_ban_participant', { targetId: guest.socket.id }),
      refused('GUEST_NOT_FOUND'),
    )
    t.same(await moderator.ask('moderator_kick', { targetId: guest.socket.id }), { ok: true })
    t.same(await guest.first('guest_force_disconnect'), { reason: 'kick' })
    t.same(await third.first('guest_code_updated', (told: { code: unknown }) => told.code === null), {
      code: null,
    })

    await moderator.ask('moderator_generate_guest_code', { ttlHours: 1_000 })
    t.same(await moderator.ask('moderator_deactivate_guest_code'), { ok: true })
    t.same(await moderator.ask('moderator_deactivate_guest_code'), { ok: true }, 'twice is once')
    const by = 'helper with radio_moderator'
    t.same(await logged('guest_code_generate'), [
      { adminLogin: by, ttlHours: 1 },
      { adminLogin: by, ttlHours: 168 },
    ])
    t.same(await logged('guest_code_regenerate'), [{ adminLogin: login, ttlHours: 8 }])
    t.same(await logged('guest_code_deactivate'), [{ adminLogin: by }])
    t.match((await logged('guest_kick')).at(-1), { nickname: 'Ліна', role: 'specialGuest' })
  })

  t.test('an address is banned, with all of its household', async (t) => {
    for (const client of everybody) client.forget()
    const visitor = await one.join('2001:db8:9:9::1')
    t.same(await visitor.ask('guest_request', { nickname: 'Z' }), { ok: true })
    const uid = uidOf('2001:db8:9:9::1')
    t.same(await host.ask('admin_guest_action', { uid, action: 'accept' }), { ok: true })
    t.match(await visitor.ask('guest_connect'), { ok: true })
    const targetId = visitor.socket.id
    t.match(
      await moderator.ask('moderator_ban_participant', { targetId: host.socket.id }),
      refused('GUEST_NOT_FOUND'),
    )
    t.same(await moderator.ask('moderator_ban_participant', { targetId }), { ok: true })
    t.same(await visitor.first('guest_force_disconnect'), { reason: 'ban' })
    const by = 'helper with radio_moderator'
    t.same(await logged('guest_ban'), [{ adminLogin: by, ip: '2001:db8:9:9::1', nickname: 'Z' }])

    const sibling = await two.join('2001:db8:9:9:ffff::2')
    t.same(await sibling.ask('guest_check_ban'), { banned: true })
    for (const event of ['guest_request', 'special_guest_connect', 'guest_connect'])
      t.match(await sibling.ask(event, { nickname: 'Z', code: 'x' }), refused('BANNED'), event)

    const asked = await one.join('192.0.2.77')
    t.same(await asked.ask('guest_request', { nickname: 'Y' }), { ok: true })
    t.match(await moderator.ask('moderator_ban_ip', { ip: '192.0.2.300' }), refused('BAD_REQUEST'))
    const ban = { ip: ' ::ffff:192.0.2.77', nickname: null }
    const { entry } = (await moderator.ask('moderator_ban_ip', ban)) as { entry: BanEntry }
    t.match(entry, { ip: '192.0.2.77', nickname: '', bannedBy: by })
    await known(({ live }) => live.requests.length === 0)
    t.same(await asked.ask('guest_check_ban'), { banned: true })
    t.match(await moderator.ask('moderator_ban_ip', { ip: '2001:db8:9:9::7', nickname: 'All' }), { ok: true })
    const page = { list: [{ ip: '2001:db8:9:9::7', nickname: 'All' }, { ip: '192.0.2.77' }], total: 2 }
    t.match(await moderator.ask('moderator_get_banlist'), page, 'newest first, one per household')
    t.match(await moderator.ask('moderator_get_banlist', { offset: 1, limit: 0 }), {
      list: [entry],
      total: 2,
    })
    t.same(await moderator.ask('moderator_unban_ip', { ip: '192.0.2.77' }), { ok: true })
    t.match(await moderator.ask('moderator_unban_ip', { ip: '192.0.2.77' }), refused('NOT_FOUND'))
    t.same(await asked.ask('guest_check_ban'), { banned: false })
    t.same(await logged('guest_unban'), [{ adminLogin: by, ip: '192.0.2.77' }])
    for (const client of [host, boss, third]) t.notMatch(JSON.stringify(client.heard), /"address"/)
  })

  t.test('speech reaches the worker while the microphone is on', async (t) => {
    host.forget()
    const head = Buffer.from('1a45dfa30102', 'hex')
    const heard: MicrophonePiece[] = []
    /** The worker cannot understand what is sent here, so it asks for heads as well. */
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
    await known(({ live }) => live.participants.some(({ socketId, isMicOn }) => socketId === id && isMicOn))
    host.socket.emit('host_audio_chunk', 'not bytes')
    host.socket.emit('host_audio_chunk', Buffer.alloc(256 * 1024 + 1))
    for (let i = 0; i < 120; i++) host.socket.emit('host_audio_chunk', Buffer.alloc(1_000, i))
    await pieces.until('all pieces', () => heard.length === 120)
    t.equal(heard[0]?.bytes[0], 0, 'what came before the microphone was on is dropped')
    t.ok(heard.every(({ bytes, socketId }, i) => bytes[0] === i && socketId === id))

    two.ports.microphones.askForHead(String(id))
    await host.first('host_mic_restart')
    await pieces.until('a head', () => heads.length > 0)
    t.equal(heads[0]?.socketId, id)
    two.ports.microphones.askForHead(String(boss.socket.id))
    host.socket.emit('host_mic_toggle', { on: false })
    await known(({ live }) => !live.participants.some(({ isMicOn }) => isMicOn))
    host.socket.emit('host_audio_chunk', first)
    await settled(host)
    await settled(boss)
    t.same(boss.all('host_mic_restart'), [])
    stop()
  })

  t.test('all of it ends with the socket, and with what its account may do', async (t) => {
    for (const client of everybody) client.forget()
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
      hosts: [{ login }, { login: 'admin', id: newer.socket.id }],
      pendingGuests: [{ id: invited.socket.id, nickname, role: 'guest' }],
      guestRequests: [{ uid: uidOf('192.0.2.97'), nickname }],
    })
    t.same(await boss.first('host_force_disconnect'), { reason: 'session_replaced' })
    t.same(await boss.ask('get_queue', {}).then((page) => Object.keys(page as object)), ['items', 'total'])
    t.match(await boss.ask('admin_go_live'), refused('LIVE_ELSEWHERE'), 'it may take over again')

    const { adminId } = (await data.admins.find()).find(({ login: of }) => of === login)!
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
    await known(({ live }) => live.participants.length === 0)
    await listener.first('radio_hosts_online', (isOnline) => isOnline === false)
    const ends = () => idle.all('audit_new_entry').filter(isEnd)
    await idle.first<AuditEntry>('audit_new_entry', () => ends().length === 4)
    const reasons = ends().map(({ data }) => (data as Record<string, unknown>).reason)
    t.same(reasons, ['session_replaced', 'self', 'self', 'self'])
  })

  t.test('a household asks a few things at a time, and a helper who is deleted is off the air', async (t) => {
    const lead = await one.joinAs(HOST)
    t.match(await lead.ask('admin_go_live'), { ok: true })
    const sockets = await Promise.all(Array.from({ length: 4 }, () => one.join('192.0.2.50')))
    const asks = sockets.flatMap((client) =>
      Array.from({ length: 5 }, () => client.ask('guest_request', { nickname: 'Q' })),
    ) as Promise<{ ok?: true; error?: { code: string } }>[]
    const answers = (await Promise.all(asks)).map(({ ok, error }) => ok ?? error?.code)
    t.same(new Set(answers), new Set([true, 'RATE_LIMITED']))
    t.same(await sockets[0]!.ask('guest_request', { nickname: 'Q' }), { ok: true }, 'and more afterwards')

    await data.admins.delete({ adminId: login })
    one.ports.announcer.accountChanged({ adminId: login, kind: 'deleted' })
    t.same(await lead.first('force_logout'), { reason: 'admin_deleted' })
    await listener.first('radio_hosts_online', () => listener.all('radio_hosts_online').at(-1) === false)
    t.same(await sockets[0]!.first('guest_request_result'), {
      accepted: false,
      auto: false,
      reason: 'no_admin',
    })
    t.equal(await answerTo(lead, 'admin_go_live'), null)
  })
})

t.test('who is taken off the air is told by its replica, whoever else should have', async (t) => {
  const told: unknown[] = []
  const left = new Set<string>()
  const events = createLiveEvents({
    replica: 'here',
    hasLeft: (socketId) => left.has(socketId),
    emit: (rooms, event, payload) => {
      if (event.endsWith('_force_disconnect')) told.push([rooms, event, payload])
    },
  })
  const schedule = { natural: 'day' as const, changes: [] }
  const hosting = { isOn: true, slots: 4, guestRequestExpiryMs: 0, guestCooldownMs: 0 }
  const isOn = { type: 'hosting' as const, hosting: { ...hosting, guestMs: 60_000, specialGuestMs: 60_000 } }
  const station = learn(initialState(1, 'sound', schedule, 0), isOn, 0).state
  const speaker = (socketId: string, replica = 'here') => ({ socketId, replica, uid: socketId, address: 'x' })
  const goLive = (name: string, replica?: string): Command => {
    return { type: 'go-live', speaker: speaker(name, replica), adminId: name, login: name, takeOver: true }
  }
  const toGuest: Command[] = [
    { type: 'request-guest', speaker: speaker('gus'), nickname: 'gus' },
    { type: 'answer-guest', uid: 'gus', action: 'accept' },
    { type: 'connect-guest', socketId: 'gus' },
  ]
  /** What is told when a replica hears of nothing between two moments. */
  const unheard = (before: Command[], meanwhile: Command[], atMs = 0) => {
    const follow = (state: PlayoutState, commands: Command[]) =>
      commands.reduce((at, command) => apply(at, command, 0).state, state)
    const state = follow(station, before)
    events.peopleChanged(state, 0)
    told.length = 0
    events.peopleChanged(advance(follow(state, meanwhile), atMs).state, atMs)
    return told.splice(0)
  }
  const gone: Command = { type: 'replica-gone', replica: 'here' }
  const leave: Command = { type: 'leave-live', socketId: 'ann' }
  const toHost = (reason: string) => [['ann'], 'host_force_disconnect', { reason }]
  const guestIs = (reason: string) => [['gus'], 'guest_force_disconnect', { reason }]

  t.same(unheard([goLive('ann'), ...toGuest], [gone]), [toHost('kick'), guestIs('no_hosts')])
  t.same(unheard([goLive('bob', 'there'), ...toGuest], [gone]), [guestIs('kick')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [leave]), [guestIs('no_hosts')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [{ type: 'ban-uid', uid: 'gus' }]), [guestIs('ban')])
  t.same(unheard([goLive('ann', 'there'), ...toGuest], [], 60_000), [guestIs('timeout')])
  const elsewhere: Command = {
    type: 'go-live',
    speaker: speaker('new'),
    adminId: 'ann',
    login: 'ann',
    takeOver: true,
  }
  t.same(unheard([goLive('ann')], [elsewhere]), [toHost('session_replaced')])
  const off = learn(
    apply(station, goLive('ann'), 0).state,
    { ...isOn, hosting: { ...isOn.hosting, isOn: false } },
    0,
  )
  t.same(off.state.live.ends, [{ socketId: 'ann', reason: 'kick' }])
  left.add('ann')
  t.same(unheard([goLive('ann')], [leave]), [], 'who goes by itself knows that')
})

t.test(
  'an access code ends with the service, not with a replica; who may not host any more is told',
  async (t) => {
    const env = { ...HOSTING, ...FREE }
    const base = await openApp(t, env, pino({ level: 'silent' }))
    await t.test('a worker that ends leaves nothing to be logged twice', async (t) => {
      const before = await startAir(t, base.ports)
      await before.until(({ hosting }) => hosting.isOn)
      const speaker = { socketId: 'ann', replica: 'gone', uid: 'ann', address: 'x' }
      await base.ports.bus.send({ type: 'go-live', speaker, adminId: 'ann', login: 'ann', takeOver: true })
      await base.ports.bus.send({ type: 'leave-live', socketId: 'ann' })
    })
    const air = await startAir(t, base.ports)
    await air.until(({ hosting }) => hosting.isOn)
    const code: Command = { type: 'set-code', code: 'c0de', lifeMs: 0, isReplacing: true }
    await base.ports.bus.send(code)
    const two = await replica(t, env, base)
    const host = await two.joinAs(HOST)
    t.match(await host.ask('admin_go_live'), { ok: true })
    const { adminId } = (await base.ports.data.admins.find())[0]!
    await base.ports.data.admins.update({ adminId }, { privileges: ['stats'] })
    two.ports.announcer.accountChanged({ adminId, kind: 'privileges' })
    t.same(await host.first('host_force_disconnect'), { reason: 'kick' })
    t.equal(air.state.live.code?.code, 'c0de', 'one replica lives on')
    const logged = (await base.ports.data.audit.find()).filter(({ adminLogin }) => adminLogin === 'ann')
    t.same(
      logged.map(({ operationType }) => operationType),
      ['radio_host_live_start', 'radio_host_live_end'],
    )

    await two.app.close()
    await base.app.close()
    t.same(await base.ports.replicas.present(), [])
    await replica(t, env, base)
    await air.until(({ live }) => live.code === null)
  },
)
