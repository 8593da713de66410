import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Mode, WebhookMessage } from '@solstice/contracts'
import { initialState } from '@solstice/playout'
import {
  beginAlarm,
  createAudit,
  endAlarm,
  followOrder,
  orderIdOf,
  recordClaimed,
  recordEvents,
  recordInLedger,
  recordPlayed,
} from '@solstice/station'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { followEvents } from '../harness/people/event-source.ts'
import { start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { openApp } from '../harness/stations/app.ts'
import { inTime } from '../harness/until.ts'

const ENV = { ...SUPER_ADMIN, WEBHOOK_LOCAL_HOSTS: '127.0.0.1', NIGHT_MODE: 'false', LYRICS_API_URL: '' }
const DAY_MS = 86_400_000

const station = await openApp(t, ENV)
const { ports } = station
const { data } = ports
const { ask, token } = await asAdmin(station)
const base = await station.app.listen({ port: 0, host: '127.0.0.1' })
const processors = processorsOf(ports)

/** Answers with `status`; null = not at all. */
const receiver = {
  status: 204 as number | null,
  taken: [] as { headers: IncomingHttpHeaders; body: string }[],
  news: new EventEmitter(),
  held: [] as ServerResponse[],
}
const server = createServer(async (request, response) => {
  receiver.taken.push({ headers: request.headers, body: await text(request) })
  if (receiver.status === null) receiver.held.push(response)
  else response.writeHead(receiver.status).end()
  receiver.news.emit('taken')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`

const sweep = () => processors['sweep-events']({}, null as never)
const deliver = (webhookId: string) =>
  processors['deliver-webhooks']({ webhookId }, { stopping: new AbortController().signal } as never)

/** A webhook that is told of what happens from now on. */
async function subscribe(types: string[]) {
  const { status, body } = await ask('POST /api/admin/webhooks', { url, types })
  t.equal(status, 200)
  await sweep()
  return { id: body.webhook.id as string, secret: body.secret as string }
}

async function messages(id: string): Promise<WebhookMessage[]> {
  return (await ask(`GET /api/admin/webhooks/${id}/messages`)).body.messages
}

const idsTaken = () => receiver.taken.map(({ headers }) => headers['webhook-id'])
const track = { id: 'day/low.mp3', title: 'Low', artist: 'Tide', album: '', year: null, durationMs: 1 }

/** Records that a track began `laterMs` from now. */
const play = (title: string, laterMs = 0) =>
  recordPlayed(data, {
    ...{ track: { ...track, title }, mode: 'day', startedAtMs: Math.ceil(ports.clock.nowMs()) + laterMs },
  })

t.beforeEach(() => {
  receiver.status = 204
  receiver.taken.length = 0
})
t.afterEach(async () => {
  for (const { id } of await data.webhooks.find()) await ask(`DELETE /api/admin/webhooks/${id}`)
})

t.test('a webhook is told of what it chose, in order, once, signed', async (t) => {
  await play('before it was there', -DAY_MS)
  const types = [
    'track.started',
    'request.accepted',
    'upload.committed',
    'donation.paid',
    'donation.unqueued',
  ]
  const { id, secret } = await subscribe([...types, 'mode.changed'])
  const nowMs = Math.ceil(ports.clock.nowMs())
  const audit = { adminId: 'super', adminLogin: 'admin', createdAt: nowMs + 20 }
  const song: object = { title: 'Asked', artist: 'For' }
  await play('First', 10)
  await data.audit.insert({ ...audit, operationType: 'suggestion_accept', data: song })
  await data.audit.insert({ ...audit, operationType: 'settings_save', data: {} })
  const upload = {
    createdAt: nowMs + 30,
    operationType: 'upload_song',
    data: { ...song, mode: 'day' } as object,
  }
  await data.audit.insert({ ...audit, ...upload })
  const donation = pendingDonation('paid', { status: 'paid', paidAt: nowMs + 40, reference: 'secret' })
  await data.donations.put(donation)
  await recordClaimed(data, donation)
  const refusal = { donationId: 'paid', event: 'refused', note: 'no_slot' } as const
  await recordInLedger(data, { ...refusal, onceKey: 'unqueued paid', atMs: nowMs + 50 })
  await Promise.all([sweep(), sweep()])
  await deliver(id)
  await sweep()
  await deliver(id)
  const told = receiver.taken.map(
    ({ headers, body }) =>
      new Webhook(secret).verify(body, headers as never) as { type: string; data: object },
  )
  t.same(
    told.map(({ type }) => type),
    ['track.started', 'request.accepted', 'upload.committed', 'donation.paid', 'donation.unqueued'],
  )
  t.match(told[0]!.data, { title: 'First', artist: 'Tide', mode: 'day' })
  const { songTitle: title, songArtist: artist } = donation
  t.same(told[3]!.data, {
    ...{ donationId: 'paid', title, artist, amount: 50, currency: 'UAH', tier: null },
  })
  t.match(await messages(id), [{ type: 'donation.unqueued', state: 'delivered', status: 204, attempts: 1 }])
  t.notMatch(JSON.stringify((await ask('GET /api/admin/webhooks')).body), secret)
})

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

/** What the webhook was told, each message verified. */
const toldTo = (secret: string) =>
  receiver.taken.map(
    ({ headers, body }) =>
      new Webhook(secret).verify(body, headers as never) as { type: string; data: object },
  )

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
  const helper = await asAdmin(station, ['stats'])
  t.equal((await helper.ask('GET /api/admin/events')).status, 403)
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

t.test('a webhook that was off is told of the next change of mode', async (t) => {
  await putOnAir(station, { mode: 'day' })
  await sweep()
  const { id } = await subscribe(['mode.changed'])
  const switchTo = async (mode: Mode) => {
    await putOnAir(station, { mode })
    await sweep()
  }
  await switchTo('night')
  for (const isOn of [false, true]) {
    await ask(`PUT /api/admin/webhooks/${id}`, { isOn })
    await sweep()
  }
  await switchTo('day')
  t.match(
    (await messages(id)).map(({ body }) => JSON.parse(body).data.mode),
    ['day', 'night'],
  )
})

t.test(
  'a message that was refused is tried again, and one can be sent once more, under its id',
  async (t) => {
    const { id } = await subscribe(['track.started'])
    await play('Tried again')
    await sweep()
    receiver.status = 500
    await deliver(id)
    const [waiting] = await messages(id)
    t.match(waiting, { state: 'pending', attempts: 1, status: 500 })
    t.ok(waiting!.nextAt! > waiting!.attemptedAt!, 'not at once')
    await data.webhookMessages.update({ webhookId: id }, { nextAt: Date.now() + DAY_MS })
    await deliver(id)
    t.equal(receiver.taken.length, 1, 'nor before its time')
    await data.webhookMessages.update({ webhookId: id }, { nextAt: 0 })
    receiver.status = 204
    await deliver(id)
    t.match(await messages(id), [{ state: 'delivered', attempts: 2, status: 204, nextAt: null }])
    const replayed = await ask(`POST /api/admin/webhooks/${id}/messages/${waiting!.id}/replay`)
    t.match(replayed, { status: 200, body: { message: { id: waiting!.id, state: 'pending' } } })
    await deliver(id)
    t.same(idsTaken(), [waiting!.id, waiting!.id, waiting!.id])
    const tested = await ask(`POST /api/admin/webhooks/${id}/test`)
    await deliver(id)
    t.match(JSON.parse(receiver.taken.at(-1)!.body), { type: 'webhook.test', data: {} })
    t.equal(idsTaken().at(-1), tested.body.message.id)
  },
)

t.test('an address that is gone, or has failed for 3 days, is switched off', async (t) => {
  const isOff = async (id: string) =>
    (await ask('GET /api/admin/webhooks')).body.webhooks.find((one: { id: string }) => one.id === id)
  for (const [why, status] of [
    ['gone', 410],
    ['failing', 503],
  ] as const) {
    const { id } = await subscribe(['track.started'])
    await play(`For one that is ${why}`)
    await sweep()
    receiver.status = status
    if (why === 'failing')
      await data.webhooks.update({ id }, { failingSince: Date.now() - 3 * DAY_MS - 60_000 })
    await deliver(id)
    t.match(await isOff(id), { isOn: false, switchedOff: why })
    t.match(await messages(id), [{ state: 'failed', status }])
    t.match(await ask(`POST /api/admin/webhooks/${id}/test`), { body: { error: { reason: 'webhook_off' } } })
    const on = await ask(`PUT /api/admin/webhooks/${id}`, { isOn: true })
    t.match(on.body.webhook, { isOn: true, switchedOff: null, failingSince: null })
  }
  const entries = await data.audit.find({ operationType: 'webhook_switched_off' })
  t.match(entries, [{ data: { why: 'gone' } }, { data: { why: 'failing' } }])
})

t.test('a jobs process that dies before it knows the answer leaves the same message', async (t) => {
  const { id } = await subscribe(['track.started'])
  await play('Sent twice')
  await sweep()
  receiver.status = null
  const isTaken = once(receiver.news, 'taken')
  const { config } = ports
  const doomed = start(t, 'node', [await programOf('apps/jobs/src/main.ts')], {
    ...{ ...ENV, JWT_SECRET: config.jwtSecret, REDIS_URL: config.redis as string, DEMO_LIBRARY: 'false' },
    ...{ DATA_DIR: config.dataDir, MEDIA_DIR: config.mediaDir },
    ...(await dataSettings(station.folder, {})),
  })
  await inTime('the message is sent', isTaken)
  await doomed.end('SIGKILL')
  receiver.status = 204
  t.match(await messages(id), [{ state: 'pending', attempts: 0 }])
  await deliver(id)
  t.match(await messages(id), [{ state: 'delivered' }])
  const [first, second, ...others] = idsTaken()
  t.same([second, others], [first, []])
})

t.test('addresses that are not public are refused, and so is an eleventh', async (t) => {
  const types = ['track.started']
  for (const bad of ['http://example.org/x', 'https://192.168.0.7/x', 'https://localhost/x', 'nonsense'])
    t.match(await ask('POST /api/admin/webhooks', { url: bad, types }), {
      ...{ status: 400, body: { error: { code: 'BAD_REQUEST', reason: 'not_public' } } },
    })
  t.equal((await ask('POST /api/admin/webhooks', { url, types: ['something.else'] })).status, 400)
  const { id } = await subscribe(types)
  t.equal((await ask(`PUT /api/admin/webhooks/${id}`, { url: 'https://10.0.0.1/x' })).status, 400)
  const helper = await asAdmin(station, ['stats'])
  t.equal((await helper.ask('GET /api/admin/webhooks')).status, 403)
  for (let i = 1; i < 10; i++) t.equal((await ask('POST /api/admin/webhooks', { url, types })).status, 200)
  t.match(await ask('POST /api/admin/webhooks', { url, types }), { body: { error: { reason: 'too_many' } } })
})
