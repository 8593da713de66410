import type { BanEntry, Participant } from '@solstice/contracts'
import t from 'tap'
import {
  answerTo,
  asHost,
  GUEST_ADDRESS,
  HOST_LOGIN,
  MODERATOR_LOGIN,
  openLiveStation,
  refused,
} from '../../harness/stations/kinds/live-station.ts'
import { until } from '../../harness/until.ts'

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
  t.match(made, { ok: true, code: /^[A-HJ-NP-Z2-9]{12}$/, expiresAt: Number })
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
  await boss.firstOf(['moderator_bans_updated'])
  t.match(await boss.ask('moderator_get_banlist'), page, 'another moderator is told, and reads the same')
  t.match(await moderator.ask('moderator_get_banlist'), page, 'newest first, one per household')
  t.match(await moderator.ask('moderator_get_banlist', { offset: 1, limit: 0 }), {
    list: [entry],
    total: 2,
  })
  boss.forget()
  t.same(await moderator.ask('moderator_unban_ip', { ip: '192.0.2.77' }), { ok: true })
  await boss.firstOf(['moderator_bans_updated'])
  t.same(host.all('moderator_bans_updated'), [], 'hosts are no moderators')
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
  for (const client of [sockets[1]!, sockets[0]!])
    t.same(await client.ask('guest_request', { nickname: 'Q' }), { ok: true }, 'and more afterwards')
  const isReplaced = ({ reason }: { reason?: string }) => reason === 'replaced'
  t.same(
    await sockets[1]!.first('guest_request_result', isReplaced),
    { accepted: false, auto: false, reason: 'replaced' },
    'there is one request of a household',
  )

  await data.admins.delete({ adminId: HOST_LOGIN })
  one.ports.announcer.accountChanged({ adminId: HOST_LOGIN, kind: 'deleted' })
  t.same(await host.first('force_logout'), { reason: 'admin_deleted' })
  await listener.first('radio_hosts_online', () => listener.all('radio_hosts_online').at(-1) === false)
  t.same(
    await sockets[0]!.first('guest_request_result', (result: { reason?: string }) => !isReplaced(result)),
    { accepted: false, auto: false, reason: 'no_admin' },
  )
  t.equal(await answerTo(host, 'admin_go_live'), null)
})
