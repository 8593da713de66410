import { type Ack, type BanEntry, clientEvents, coded, type Participant } from '@solstice/contracts'
import type { Command } from '@solstice/playout'
import { pino } from 'pino'
import t from 'tap'
import { openApp } from '../../harness/stations/app.ts'
import {
  answerTo,
  asHost,
  GUEST_ADDRESS,
  HOST,
  HOST_LOGIN,
  HOSTING,
  LISTENER_ADDRESS,
  MODERATOR,
  MODERATOR_LOGIN,
  openLiveStation,
  refused,
  WITHOUT_HOSTS,
} from '../../harness/stations/live-station.ts'
import { openReplica } from '../../harness/stations/replica.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

const off = refused('FEATURE_UNAVAILABLE')

/** A valid payload of each event. */
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
const isForAdmins = (access: unknown) => access !== 'anyone' && access !== 'live'

t.test('without live hosting every live event is refused', async (t) => {
  const one = await openReplica(t, WITHOUT_HOSTS)
  const [listener, boss] = await Promise.all([one.join(), one.joinAs()])
  const lossy = await openReplica(t, { ...HOSTING, EPHEMERAL_STORAGE: 'true' }, one)
  for (const [event, { access, ack }] of events) {
    const payload = payloads[event] === undefined ? [] : [payloads[event]]
    const expected = event === 'guest_check_ban' ? { banned: false } : ack ? off : null
    t.match(await answerTo(boss, event, ...payload), expected, event)
    // A socket of its own, because no listener may send as many events at once.
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

t.test('unauthorised events are refused or ignored', async (t) => {
  const { one, boss, third, idle, listener, guest, other } = await openLiveStation(t)
  t.same(listener.all('radio_hosts_online'), [false])
  for (const [event, { access, ack }] of events) {
    const payload = payloads[event] === undefined ? [] : [payloads[event]]
    const stranger = await one.join(LISTENER_ADDRESS)
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
  t.match(await boss.ask('guest_request', { nickname: 'Boss' }), refused('FORBIDDEN', { reason: 'is_admin' }))
  t.same(await listener.ask('guest_request', { nickname: 'Ivha' }), { error: 'no_admin' })
  t.match(await guest.ask('guest_connect'), refused('GUEST_NOT_APPROVED'))
  const shown = { code: 'x', nickname: 'Ivha' }
  t.match(
    await other.ask('special_guest_connect', shown),
    refused('GUEST_CODE_REFUSED', { reason: 'no_code' }),
  )
  t.same(listener.all('admin_error'), [])
})

t.test('hosts go on the air, and everybody is told', async (t) => {
  const { two, host, boss, third, moderator, idle, listener, guest, everybody, forget } =
    await openLiveStation(t)
  forget()
  t.same(await host.ask('admin_go_live'), {
    ok: true,
    queuePaused: false,
    hosts: [asHost(host, HOST_LOGIN)],
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
  t.same(moderator.all('live_hosts_roster'), [[asHost(host, HOST_LOGIN)]])
  t.same(host.all('guest_queue_update'), [[]])
  const newcomer = await two.join()
  t.same(newcomer.all('radio_hosts_online'), [true])

  host.forget()
  t.match(await boss.ask('admin_go_live', null), {
    ok: true,
    hosts: [{ login: HOST_LOGIN }, { login: 'admin' }],
  })
  t.match(await third.ask('admin_go_live'), refused('SLOTS_TAKEN'), 'at most two')
  await host.first('live_hosts_roster')
  const roster = [asHost(host, HOST_LOGIN), asHost(boss, 'admin')]
  t.same(host.all('live_hosts_roster'), [roster])
  t.same(await moderator.ask('moderator_get_live_roster'), { roster, hostsOnline: true })
  t.same(await idle.ask('moderator_get_live_roster'), { roster: [], hostsOnline: true })
  for (const client of [listener, idle, third, guest]) t.same(client.all('live_hosts_roster'), [])
  t.same(listener.all('radio_hosts_online'), [true], 'told once')
})

t.test('a guest asks, is admitted, is heard and is removed', async (t) => {
  const { one, air, host, boss, third, moderator, idle, guest, other, uidOf, logged, goLive } =
    await openLiveStation(t)
  await goLive(host, boss)
  t.same(await guest.ask('guest_request', { nickname: ' Ївга\u202e ' }), { ok: true })
  const queue = [{ uid: uidOf(GUEST_ADDRESS), nickname: 'Ївга' }]
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
  const everybodyLive = [asHost(host, HOST_LOGIN), asHost(boss, 'admin'), asGuest]
  const rosters = () => guest.all('live_hosts_roster')
  await until('the guest is told who talks, and again after its answer', () => rosters().length === 2)
  t.same(await guest.ask('guest_connect'), session, 'twice is once')
  await until('and so each time', () => rosters().length === 3)
  t.same(rosters(), [everybodyLive, everybodyLive, everybodyLive])
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
  await air.until(({ live }) => live.participants.some(({ socketId, gain }) => socketId === id && gain === 7))
  t.equal(await answerTo(guest, 'host_guest_kick', { targetId: id }), null, 'is no host')

  t.match(await host.ask('host_guest_kick', { targetId: boss.socket.id }), refused('GUEST_NOT_FOUND'))
  t.same(await host.ask('host_guest_kick', { targetId: id }), { ok: true })
  t.same(await guest.first('guest_force_disconnect'), { reason: 'kick' })
  const kick = { adminLogin: HOST_LOGIN, nickname: 'Ївга', ip: GUEST_ADDRESS, role: 'guest' }
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

t.test('special guests join with an access code', async (t) => {
  const { host, third, moderator, idle, listener, guest, other, logged, goLive } = await openLiveStation(t)
  await goLive(host)
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
  const by = MODERATOR_LOGIN
  t.same(await logged('guest_code_generate'), [
    { adminLogin: by, ttlHours: 1 },
    { adminLogin: by, ttlHours: 168 },
  ])
  t.same(await logged('guest_code_regenerate'), [{ adminLogin: HOST_LOGIN, ttlHours: 8 }])
  t.same(await logged('guest_code_deactivate'), [{ adminLogin: by }])
  t.match((await logged('guest_kick')).at(-1), { nickname: 'Ліна', role: 'specialGuest' })
})

t.test('a ban covers the whole household of an address', async (t) => {
  const { one, two, air, host, boss, third, moderator, uidOf, logged, goLive } = await openLiveStation(t)
  await goLive(host)
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
  const by = MODERATOR_LOGIN
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
  await air.until(({ live }) => live.requests.length === 0)
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

t.test('a household has limited open requests, and a deleted helper goes off air', async (t) => {
  const { one, data, listener, host, goLive } = await openLiveStation(t)
  await goLive(host)
  const sockets = await Promise.all(Array.from({ length: 4 }, () => one.join('192.0.2.50')))
  const asks = sockets.flatMap((client) =>
    Array.from({ length: 5 }, () => client.ask('guest_request', { nickname: 'Q' })),
  ) as Promise<{ ok?: true; error?: { code: string } }>[]
  const answers = (await Promise.all(asks)).map(({ ok, error }) => ok ?? error?.code)
  t.same(new Set(answers), new Set([true, 'RATE_LIMITED']))
  t.same(await sockets[0]!.ask('guest_request', { nickname: 'Q' }), { ok: true }, 'and more afterwards')

  await data.admins.delete({ adminId: HOST_LOGIN })
  one.ports.announcer.accountChanged({ adminId: HOST_LOGIN, kind: 'deleted' })
  t.same(await host.first('force_logout'), { reason: 'admin_deleted' })
  await listener.first('radio_hosts_online', () => listener.all('radio_hosts_online').at(-1) === false)
  t.same(await sockets[0]!.first('guest_request_result'), {
    accepted: false,
    auto: false,
    reason: 'no_admin',
  })
  t.equal(await answerTo(host, 'admin_go_live'), null)
})

t.test('an access code ends with the service, not with a replica; a demoted host is told', async (t) => {
  const base = await openApp(t, HOSTING, pino({ level: 'silent' }))
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
  const two = await openReplica(t, HOSTING, base)
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
  await openReplica(t, HOSTING, base)
  await air.until(({ live }) => live.code === null)
})
