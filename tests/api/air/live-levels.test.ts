import type { GuestTime, SpeakerLevel } from '@solstice/contracts'
import t from 'tap'
import {
  GUEST_ADDRESS,
  HOST_LOGIN,
  openLiveStation,
  settled,
} from '../../harness/stations/kinds/live-station.ts'

t.test('those on air and moderators learn how loud everybody is, and nobody else', async (t) => {
  const { one, air, data, host, boss, third, moderator, idle, listener, guest, goLive } =
    await openLiveStation(t)
  await goLive(host, boss)
  const level = (socketId: unknown, peak: number) => ({ socketId: String(socketId), peak, rms: peak / 2 })
  const shown = (socketId: unknown, peak: number) => ({ id: String(socketId), peak, rms: peak / 2 })
  const { tellLevels } = one.ports.microphones
  const hears = (peak: number) => (levels: SpeakerLevel[]) => levels.some((one) => one.peak === peak)
  /** Tells it again until it arrived: the replicas may still be subscribing. */
  const tell = async (peak: number) => {
    const work = () => tellLevels([level(host.socket.id, peak), level(listener.socket.id, 0.9)])
    const again = setInterval(work, 200)
    work()
    const known = [host, boss, moderator].map((client) =>
      client.first<SpeakerLevel[]>('live_levels', hears(peak)),
    )
    const told = await Promise.all(known)
    clearInterval(again)
    return told
  }
  for (const levels of await tell(0.5))
    t.same(levels, [shown(host.socket.id, 0.5)], 'of those who are on air, on both replicas')
  await Promise.all([listener, idle, third, guest].map(settled))
  for (const client of [listener, idle, third, guest]) t.same(client.all('live_levels'), [])

  const { adminId } = (await data.admins.find()).find(({ login }) => login === HOST_LOGIN)!
  await data.admins.update({ adminId }, { privileges: ['stats'] })
  one.ports.announcer.accountChanged({ adminId, kind: 'privileges' })
  await air.until(({ live }) => live.participants.length === 1)
  await boss.first<unknown[]>('live_hosts_roster', (people) => people.length === 1)
  for (const client of [host, boss]) client.forget()
  const late = setInterval(() => tellLevels([level(boss.socket.id, 0.7), level(host.socket.id, 0.6)]), 200)
  t.same(await boss.first<SpeakerLevel[]>('live_levels', hears(0.7)), [shown(boss.socket.id, 0.7)])
  clearInterval(late)
  await settled(host)
  t.same(
    (host.all('live_levels') as SpeakerLevel[][]).filter(hears(0.7)),
    [],
    'a host who was taken off hears no more',
  )
})

t.test('those on air and moderators learn when the time of each guest is up', async (t) => {
  const { one, host, boss, third, moderator, idle, listener, guest, uidOf, goLive } = await openLiveStation(t)
  await goLive(host, boss)
  t.same(await guest.ask('guest_request', { nickname: 'Ivha' }), { ok: true })
  await host.first<unknown[]>('guest_queue_update', (list) => list.length === 1)
  const accept = { uid: uidOf(GUEST_ADDRESS), action: 'accept' }
  t.same(await host.ask('admin_guest_action', accept), { ok: true })
  const { expiresAt } = (await guest.ask('guest_connect')) as { expiresAt: number }
  const times = [{ id: guest.socket.id, endsAt: expiresAt }]
  const isThere = (list: GuestTime[]) => list.length === 1
  for (const client of [host, boss, guest, moderator])
    t.same(await client.first('live_guest_times', isThere), times)
  const late = await one.joinAs(['radio_moderator', 'stats'])
  t.same(await late.first('live_guest_times'), times, 'told when it becomes one')

  guest.socket.emit('guest_leave_live')
  for (const client of [host, moderator, late])
    await client.first<GuestTime[]>('live_guest_times', (list) => list.length === 0)
  await Promise.all([listener, idle, third].map(settled))
  for (const client of [listener, idle, third]) t.same(client.all('live_guest_times'), [])
})
