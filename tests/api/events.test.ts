import { initialState } from '@solstice/playout'
import { beginAlarm, createAudit, endAlarm, followOrder, orderIdOf, recordEvents } from '@solstice/station'
import t from 'tap'
import { watchAir } from '../../apps/jobs/src/watch-air.ts'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { asAdmin } from '../harness/people/admin.ts'
import { followEvents } from '../harness/people/event-source.ts'
import { openApp } from '../harness/stations/app.ts'
import { DAY_MS, ENV, openWebhookStation } from '../harness/stations/kinds/webhook-station.ts'
import { startJobs } from '../harness/stations/workers.ts'
import { inTime, until } from '../harness/until.ts'

const { station, ports, data, token, base, receiver, sweep, deliver, subscribe, messages, play, toldTo } =
  await openWebhookStation(t)

t.test('changes of the air are seen in its saved states', async (t) => {
  await putOnAir(station, { mode: 'day' })
  const { id } = await subscribe(['mode.changed', 'live.began', 'live.ended'])
  const host = { uid: 'host', socketId: 's', replica: 'r', address: 'a', role: 'host', adminId: 'x' } as const
  const present = { ...host, name: 'x', isMicOn: true, gain: 2, isMuted: false, sinceMs: 1, endsAtMs: null }
  const live = { participants: [], requests: [], approvals: [], guestCooldowns: [], ends: [] }
  const rest = { code: null, codeFailures: [] }
  await putOnAir(station, { mode: 'night', live: { ...live, ...rest, participants: [present] } })
  await sweep()
  await putOnAir(station, { mode: 'night', live: { ...live, ...rest } })
  await sweep()
  await sweep()
  await deliver(id)
  const told = receiver.taken.map(({ body }) => JSON.parse(body))
  t.match(told, [
    { type: 'mode.changed', data: { mode: 'night', before: 'day' } },
    { type: 'live.began' },
    { type: 'live.ended' },
  ])
  t.equal(told.length, 3)
})

t.test('what came and went between two looks is told, each with its moment', async (t) => {
  await putOnAir(station, { mode: 'day' })
  await sweep()
  const { id, secret } = await subscribe(['mode.changed', 'live.began', 'live.ended'])
  const fromMs = Math.ceil(ports.clock.nowMs())
  const day = { mode: 'day', liveSinceMs: null } as const
  const show = [
    { ...day, atMs: fromMs + 1, liveSinceMs: fromMs + 1 },
    { ...day, atMs: fromMs + 2 },
  ]
  await putOnAir(station, { mode: 'day', turns: show })
  await Promise.all([sweep(), sweep()])
  await putOnAir(station, {
    mode: 'day',
    turns: [
      ...show,
      { ...day, atMs: fromMs + 3, mode: 'night' },
      { ...day, atMs: fromMs + 4, mode: 'night', liveSinceMs: fromMs + 4 },
      { ...day, atMs: fromMs + 5, liveSinceMs: fromMs + 4 },
      { ...day, atMs: fromMs + 6 },
    ],
  })
  await Promise.all([sweep(), sweep()])
  await sweep()
  await deliver(id)
  const told = toldTo(secret) as unknown as { type: string; timestamp: string; data: { mode?: string } }[]
  const aheadMs = Math.round(ports.clock.aheadMs())
  t.same(
    told.map(({ type, timestamp, data }) => [type, Date.parse(timestamp) + aheadMs - fromMs, data.mode]),
    [
      ['live.began', 1, undefined],
      ['live.ended', 2, undefined],
      ['mode.changed', 3, 'night'],
      ['live.began', 4, undefined],
      ['mode.changed', 5, 'day'],
      ['live.ended', 6, undefined],
    ],
  )
})

t.test('a change that the worker announces is recorded at once', async (t) => {
  await putOnAir(station, { mode: 'day' })
  await sweep()
  await startJobs(t, ports)
  t.teardown(await watchAir(ports))
  // Each state is of a worker of its own, which is told as well if it is still on air when somebody looks.
  const count = async () => (await data.events.find({ type: 'mode.changed' })).length
  const before = await count()
  await putOnAir(station, { mode: 'night' })
  await until('it is recorded, though nobody looked', async () => (await count()) === before + 1)
  const turns = (['day', 'night'] as const).map((mode, i) => ({
    ...{ mode, liveSinceMs: null, atMs: Math.ceil(ports.clock.nowMs()) + i },
  }))
  await putOnAir(station, { mode: 'night', turns })
  await until('and what came and went meanwhile', async () => (await count()) === before + 3)
})

t.test('each worker that takes the air is told once', async (t) => {
  const { id, secret } = await subscribe(['station.started'])
  for (const mode of ['day', 'night'] as const) {
    const lease = await ports.bus.acquireLease(new AbortController().signal)
    const schedule = { natural: mode, changes: [] }
    await lease.save({ ...initialState(1, 'clock', schedule, 0), mode })
    await Promise.all([sweep(), sweep()])
    await lease.release()
    await sweep()
  }
  await deliver(id)
  t.match(toldTo(secret), [
    { type: 'station.started', data: { mode: 'day' } },
    { type: 'station.started', data: { mode: 'night' } },
  ])
  t.equal(receiver.taken.length, 2)
  t.match(await messages(id), [{ state: 'delivered' }, { state: 'delivered' }])
})

t.test('a paid song that goes on air is told once, without who paid', async (t) => {
  const { id, secret } = await subscribe(['donation.aired'])
  const nowMs = Math.ceil(ports.clock.nowMs())
  const donation = pendingDonation('aired', {
    ...{ status: 'paid', queue: 'queued', paidAt: nowMs, uid: 'donor', reference: 'secret', tier: 2 },
  })
  await data.donations.put(donation)
  const deps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
  const aired = { type: 'order-aired', orderId: orderIdOf(donation), atMs: nowMs + 10 } as const
  // A worker that takes over reports it again.
  for (let i = 0; i < 2; i++) {
    await followOrder(deps, aired, 4_711)
    await Promise.all([sweep(), sweep()])
  }
  await followOrder(deps, { ...aired, type: 'order-ended', atMs: nowMs + 20 }, 4_800)
  await sweep()
  await deliver(id)
  const { songTitle: title, songArtist: artist } = donation
  const about = { donationId: 'aired', title, artist, amount: 50, currency: 'UAH', tier: 2 }
  const [told, ...others] = toldTo(secret)
  t.match(told, { type: 'donation.aired', timestamp: new Date(nowMs + 10).toISOString() })
  t.same(told!.data, about)
  t.same(others, [])
  t.match(await messages(id), [{ type: 'donation.aired', state: 'delivered', attempts: 1 }])
})

const alarmDeps = { ...ports, audit: createAudit({ ...ports, isOn: true }) }
const fault = { cause: 'silence', source: 'http://user:password@api-1:3001/path' } as const

t.test('an alarm is told at its beginning and its end, without the secrets of its address', async (t) => {
  const { id } = await subscribe(['alarm.began', 'alarm.ended'])
  await beginAlarm(alarmDeps, { ...fault, evidence: 'silent for 8.1 s' })
  await sweep()
  await endAlarm(alarmDeps, fault)
  await sweep()
  await beginAlarm(alarmDeps, { ...fault, evidence: 'between two looks' })
  await endAlarm(alarmDeps, fault)
  await Promise.all([sweep(), sweep()])
  await deliver(id)
  const told = receiver.taken.map(({ body }) => JSON.parse(body))
  const about = { cause: 'silence', source: 'api-1:3001' }
  t.match(told, [
    { type: 'alarm.began', data: { ...about, evidence: 'silent for 8.1 s' } },
    { type: 'alarm.ended', data: { ...about, endedAt: Number } },
    { type: 'alarm.began', data: { ...about, evidence: 'between two looks' } },
    { type: 'alarm.ended', data: about },
  ])
  t.equal(told.length, 4)
})

const follow = (headers: Record<string, string> = {}, at = base) =>
  followEvents(t, `${at}/api/admin/events`, { authorization: `Bearer ${token}`, ...headers })
interface Told {
  type: string
  data: { title?: string }
}

t.test('admins follow events, and go on after the last one they had, at any replica', async (t) => {
  const before = await follow()
  t.match(before, { status: 200, headers: { 'content-type': /^text\/event-stream/ } })
  await play('Followed', 10)
  await sweep()
  const isCalled = (title: string) => (told: Told) => told.data.title === title
  t.match(await before.event<Told>(isCalled('Followed')), { type: 'track.started' })
  t.equal(before.events().length, 1, 'nothing of what was before')
  const [, lastId] = /^id: (msg_\S+)$/m.exec(before.text)!
  before.close()
  await play('Missed', 20)
  await sweep()
  const other = await openApp(t, ENV, undefined, station)
  const elsewhere = await other.app.listen({ port: 0, host: '127.0.0.1' })
  const back = await follow({ 'last-event-id': lastId! }, elsewhere)
  await back.event<Told>(isCalled('Missed'))
  t.equal(back.events().length, 1)
  const lost = await follow({ 'last-event-id': 'msg_forgotten' }, elsewhere)
  await lost.event<Told>(isCalled('Missed'))
  t.equal(lost.events().length, (await data.events.find()).length, 'all that is kept')
})

t.test('each admin is told what it may know', async (t) => {
  const helper = await asAdmin(station, ['stats'])
  const client = await follow({ authorization: `Bearer ${helper.token}` })
  const owner = await follow()
  const atMs = Date.now()
  const about = { donationId: 'd', title: 'Paid', artist: 'Tide', amount: 1, currency: 'UAH', tier: null }
  await recordEvents(data, [{ id: 'paid 1', type: 'donation.paid', atMs, data: about }])
  await beginAlarm(alarmDeps, { ...fault, evidence: 'heard' })
  await endAlarm(alarmDeps, fault)
  await sweep()
  for (const one of [client, owner]) await one.event<Told>(({ type }) => type === 'alarm.ended')
  const types = (one: typeof client) => one.events<Told>().map(({ type }) => type)
  t.same(types(owner), ['donation.paid', 'alarm.began', 'alarm.ended'])
  t.same(types(client), ['alarm.began', 'alarm.ended'])
  await data.admins.update({ adminId: 'helper with stats' }, { privileges: ['donations_manage'] })
  await recordEvents(data, [{ id: 'paid 2', type: 'donation.paid', atMs: atMs + 1, data: about }])
  await client.event<Told>(({ type }) => type === 'donation.paid')
  t.equal((await station.app.inject('/api/admin/events')).statusCode, 401)
})

t.test('events are followed as long as the session lasts', async () => {
  const own = await asAdmin(station)
  const client = await follow({ authorization: `Bearer ${own.token}` })
  await own.ask('POST /api/admin/logout')
  await inTime('the connection ends', client.ended)
})

t.test('the last events are kept', async (t) => {
  const laterMs = Date.now() + DAY_MS
  const named = (name: string, i: number) =>
    ({ id: name, type: 'station.started', atMs: laterMs + i, data: { mode: 'day' } }) as const
  const record = (...names: string[]) => recordEvents(data, names.map(named), { max: 3 })
  t.equal(await record('a', 'b', 'c', 'd', 'a'), 4)
  t.equal(await record('a'), 0, 'and what was removed does not come again')
  t.same(
    (await data.events.find()).map(({ eventId }) => eventId),
    ['b', 'c', 'd'],
  )
  await data.events.delete(() => true)
})
