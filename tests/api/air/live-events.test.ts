import { type Ack, clientEvents, coded } from '@solstice/contracts'
import type { Command } from '@solstice/playout'
import { pino } from 'pino'
import t from 'tap'
import { openApp } from '../../harness/stations/app.ts'
import {
  answerTo,
  asHost,
  HOST,
  HOST_LOGIN,
  HOSTING,
  LISTENER_ADDRESS,
  MODERATOR,
  openLiveStation,
  refused,
  WITHOUT_HOSTS,
} from '../../harness/stations/kinds/live-station.ts'
import { openReplica } from '../../harness/stations/replica.ts'
import { startAir } from '../../harness/stations/workers.ts'

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
