import type { PlayoutState, QueueEntry, TrackRef } from '@solstice/playout'
import type { NotificationRecord } from '@solstice/station'
import t, { type Test } from 'tap'
import { processorsOf } from '../../apps/jobs/src/processors/index.ts'
import { watchQueue } from '../../apps/jobs/src/watch-queue.ts'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { work } from '../harness/servers/job-queue.ts'
import { openPushService, type PushedDevice } from '../harness/servers/services/push-service.ts'
import { openApp } from '../harness/stations/app.ts'
import { useStores } from '../harness/stations/stores.ts'
import { until } from '../harness/until.ts'

useStores('sql+local')

const ENV = { PUSH_SERVICE_HOSTS: '127.0.0.1', TRUST_PROXY_HOPS: '1', NIGHT_MODE: 'false' }
const ANN = '203.0.113.10'
const BOB = '203.0.113.11'

const service = await openPushService(t)
const station = await openApp(t, ENV)
const { app, ports, tokens } = station
const { data, jobs } = ports
const [now, plain, wish] = await Promise.all(
  ['now', 'plain', 'Побажання'].map(async (name) => {
    const { id, title, artist } = await station.addTrack(`day/${name}.mp3`, null, { duration: 3_600 })
    return { id, title, artist, album: '', year: null, durationMs: 3_600_000 } satisfies TrackRef
  }),
)

const entry = (track: TrackRef, facts: Partial<QueueEntry> = {}): QueueEntry => ({
  entryId: `${track.id} ${facts.orderType ?? ''}`,
  track,
  orderType: null,
  tier: null,
  ...facts,
})

/** Puts `now` on air with this queue; `asking` wait for a decision on `wish`. */
async function put(queue: QueueEntry[], asking: string[] = []): Promise<void> {
  const nowMs = ports.clock.nowMs()
  const current = entry(now!)
  const trackRequests: PlayoutState['trackRequests'] = asking.map((address) => ({
    ...{ uid: tokens.uidOf(address), socketId: '', track: wish!, mode: 'day', addedAtMs: nowMs },
  }))
  await putOnAir(station, {
    ...{ mode: 'day', trackRequests, playlist: { entries: [current, ...queue], index: 0, repeats: false } },
    onAir: { phase: 'track', entry: current, startedAtMs: nowMs },
  })
}

async function ask(from: string, device: PushedDevice, song: object = { request: wish!.id }, lang = 'uk') {
  const { subscription } = device
  const answer = await app.inject({
    ...{ method: 'POST', url: '/api/notifications', headers: { 'x-forwarded-for': from } },
    payload: { subscription, song, lang },
  })
  return { status: answer.statusCode, body: answer.json() }
}

const codeOf = ({ body }: Awaited<ReturnType<typeof ask>>) => body.error?.code
const stored = () => data.notifications.find() as Promise<readonly NotificationRecord[]>

/** Two processes that follow the queue and run these jobs. */
async function runJobs(t: Test): Promise<void> {
  const { 'sweep-notifications': sweep, 'send-notification': send } = processorsOf(ports)
  const mine = { 'sweep-notifications': sweep, 'send-notification': send }
  for (let i = 0; i < 2; i++) {
    t.teardown(await watchQueue(ports))
    await work(t, ports.config.redis as string, mine)
  }
}

const areJobsDone = async () => {
  const queues = await jobs.board({ offset: 0, limit: 1 })
  return queues.every(({ counts }) => counts.waiting + counts.active + counts.delayed === 0)
}

t.beforeEach(async () => {
  service.status = 201
  service.taken.length = 0
  await data.notifications.delete(() => true)
})

t.test('a listener is told once, in their language, when the song is next', async (t) => {
  const [phone, tablet] = [service.subscribe('phone'), service.subscribe('tablet')]
  await put([entry(plain!)], [ANN])
  const { status, body } = await ask(ANN, phone)
  t.equal(status, 200)
  t.same((await ask(ANN, phone)).body, body, 'a repeated wish is the same one')
  t.equal((await ask(ANN, tablet, undefined, 'en')).status, 200)
  await runJobs(t)
  await put([entry(plain!), entry(wish!, { orderType: 'requested' })])
  await put([entry(wish!, { orderType: 'requested' }), entry(plain!)])
  await until('both are told', async () => (await stored()).length === 0)
  await until('the jobs are done', areJobsDone)
  t.same(phone.messages(), [
    { title: 'Ваша пісня наступна', body: 'Somebody – Побажання', tag: body.id, url: '/' },
  ])
  t.match(tablet.messages(), [{ title: 'Your song is next', url: '/en/' }])
  t.equal(service.taken.length, 2)
})

t.test('whose song is next already is told at once, and a song that is over is forgotten', async (t) => {
  const phone = service.subscribe('phone')
  await runJobs(t)
  await data.donations.put(pendingDonation('paid', { uid: tokens.uidOf(ANN), songId: plain!.id }))
  await put([entry(plain!, { orderType: 'donated', orderId: 'paid' })], [ANN])
  t.equal((await ask(ANN, phone)).status, 200)
  t.equal((await ask(ANN, phone, { order: 'paid' })).status, 200)
  await data.donations.update({ id: 'paid' }, { status: 'paid', queue: 'queued' })
  await put([entry(plain!, { orderType: 'donated', orderId: 'paid' })])
  await jobs.add('sweep-notifications', {})
  await until('nothing is awaited', async () => (await stored()).length === 0)
  t.match(phone.messages(), [{ title: 'Ваша пісня наступна', body: 'Somebody – plain' }])
  t.equal(phone.messages().length, 1, 'the request was rejected')
})

t.test('a browser that was subscribed anew is told there, and only where it says so', async (t) => {
  const [former, latter] = [service.subscribe('former'), service.subscribe('latter')]
  const move = async (endpoint: string, subscription: object) => {
    const answer = await app.inject({
      ...{ method: 'POST', url: '/api/notifications/moved', headers: { 'x-forwarded-for': BOB } },
      payload: { endpoint, subscription },
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  await put([entry(plain!)], [ANN])
  const { id } = (await ask(ANN, former)).body
  const elsewhere = { ...latter.subscription, endpoint: 'https://elsewhere.example/push' }
  const { endpoint } = former.subscription
  t.match(await move(endpoint, elsewhere), { body: { error: { code: 'PUSH_SERVICE_UNKNOWN' } } })
  t.match(await move(`${endpoint}?`, latter.subscription), { status: 200 })
  t.match(await stored(), [{ id, endpoint }], 'an unknown one changes nothing')
  t.match(await move(endpoint, latter.subscription), { status: 200, body: { ok: true } })
  await put([entry(wish!, { orderType: 'requested' })])
  await runJobs(t)
  await jobs.add('sweep-notifications', {})
  await until('nothing is awaited', async () => (await stored()).length === 0)
  t.match(latter.messages(), [{ tag: id }])
  t.same(former.messages(), [])
})

t.test('a browser that asks again after it was subscribed anew is told once', async (t) => {
  const [former, latter, last] = ['old', 'new', 'newest'].map(service.subscribe) as [
    PushedDevice,
    PushedDevice,
    PushedDevice,
  ]
  const move = (from: PushedDevice, to: PushedDevice) =>
    app.inject({
      ...{ method: 'POST', url: '/api/notifications/moved', headers: { 'x-forwarded-for': ANN } },
      payload: { endpoint: from.subscription.endpoint, subscription: to.subscription },
    })
  await put([entry(plain!)], [ANN])
  const { body } = await ask(ANN, former)
  await move(former, latter)
  t.same((await ask(ANN, latter)).body, body, 'the wish that has moved')
  const other = await ask(ANN, last)
  await move(latter, last)
  t.match(
    await stored(),
    [{ id: other.body.id }],
    'asked for at the new place before the old one moved there',
  )
  await move(last, last)
  t.equal((await stored()).length, 1)
  await put([entry(wish!, { orderType: 'requested' })])
  await runJobs(t)
  await jobs.add('sweep-notifications', {})
  await until('nothing is awaited', async () => (await stored()).length === 0)
  t.equal(service.taken.length, 1)
})

t.test(
  'asked again after the queue has moved, a listener is told again only when it is next again',
  async (t) => {
    const phone = service.subscribe('phone')
    const requested = entry(wish!, { orderType: 'requested' })
    const sweep = async () => {
      const { 'sweep-notifications': run, 'send-notification': send } = processorsOf(ports)
      await run({}, null as never)
      for (const { id } of await stored()) await send({ id }, null as never)
    }
    await put([entry(plain!)], [ANN])
    await ask(ANN, phone)
    await put([requested])
    await sweep()
    t.equal(phone.messages().length, 1)
    await put([entry(plain!, { orderType: 'donated', orderId: 'another' }), requested])
    await ask(ANN, phone)
    await ask(ANN, phone)
    await sweep()
    t.equal(phone.messages().length, 1, 'a paid song went before')
    await put([requested])
    await sweep()
    await sweep()
    t.equal(phone.messages().length, 2)
    t.same(await stored(), [])
  },
)

t.test('a device that is gone is forgotten, and a service that is away is tried again', async (t) => {
  const [gone, phone] = [service.subscribe('gone'), service.subscribe('phone')]
  await put([entry(plain!)], [ANN])
  await ask(ANN, gone)
  const [wished] = await stored()
  await data.notifications.put({ ...wished!, id: 'another wish', trackId: plain!.id })
  await put([entry(wish!, { orderType: 'requested' })])
  service.status = 410
  await processorsOf(ports)['send-notification']({ id: wished!.id }, null as never)
  t.same(await stored(), [])

  await put([entry(plain!)], [ANN])
  const { body } = await ask(ANN, phone)
  await put([entry(wish!, { orderType: 'requested' })])
  service.status = 503
  await t.rejects(processorsOf(ports)['send-notification']({ id: body.id }, null as never))
  t.equal((await stored()).length, 1)
  service.status = 201
  await processorsOf(ports)['send-notification']({ id: body.id }, null as never)
  await processorsOf(ports)['send-notification']({ id: body.id }, null as never)
  t.equal(phone.messages().length, 1)
})

t.test('one is told only of an own song that is still to come, at a known service', async (t) => {
  const phone = service.subscribe('phone')
  await put([entry(plain!)], [ANN])
  t.equal(codeOf(await ask(BOB, phone)), 'NOT_FOUND')
  t.equal(codeOf(await ask(ANN, phone, { request: plain!.id })), 'NOT_FOUND')
  t.equal(codeOf(await ask(ANN, phone, { order: 'nothing' })), 'NOT_FOUND')
  await data.donations.put(pendingDonation('own', { uid: tokens.uidOf(BOB) }))
  t.equal(codeOf(await ask(ANN, phone, { order: 'own' })), 'NOT_FOUND')
  t.equal((await ask(BOB, phone, { order: 'own' })).status, 200)
  const elsewhere = { ...phone, subscription: { ...phone.subscription, endpoint: 'https://10.0.0.1/x' } }
  t.equal(codeOf(await ask(ANN, elsewhere)), 'PUSH_SERVICE_UNKNOWN')
  t.equal(codeOf(await ask(ANN, phone, {})), 'BAD_REQUEST')
})

t.test('a device, and an address, may wait for a few songs', async (t) => {
  const phone = service.subscribe('phone')
  await put([entry(plain!)], [ANN])
  await ask(ANN, phone)
  const [first] = await stored()
  const fill = async (from: number, to: number, facts: Partial<NotificationRecord>) => {
    for (let i = from; i < to; i++)
      await data.notifications.put({ ...first!, id: `${i}`, trackId: `day/${i}.mp3`, ...facts })
  }
  await data.notifications.delete({ id: first!.id })
  await fill(0, 5, { uid: 'somebody' })
  t.equal(codeOf(await ask(ANN, phone)), 'NOTIFICATIONS_FULL')
  t.equal((await ask(ANN, service.subscribe('tablet'))).status, 200)
  await fill(5, 24, { endpoint: 'another' })
  t.equal(codeOf(await ask(ANN, service.subscribe('desk'))), 'NOTIFICATIONS_FULL')
})

t.test('only who asked can take a wish back', async (t) => {
  await put([entry(plain!)], [ANN])
  const { body } = await ask(ANN, service.subscribe('phone'))
  const take = (from: string) =>
    app.inject({
      method: 'DELETE',
      url: `/api/notifications/${body.id}`,
      headers: { 'x-forwarded-for': from },
    })
  t.equal((await take(BOB)).statusCode, 200)
  t.equal((await stored()).length, 1)
  t.equal((await take(ANN)).statusCode, 200)
  t.equal((await stored()).length, 0)
})

t.test('the operator may switch all of it off', async (t) => {
  const { app } = await openApp(t, { ...ENV, WEB_PUSH: 'false' }, undefined, station)
  const { capabilities } = (await app.inject('/api/public/config')).json()
  t.equal(capabilities.webPush, false)
  const key = await app.inject('/api/notifications/key')
  t.equal(key.statusCode, 400)
  t.equal(key.json().error.code, 'FEATURE_UNAVAILABLE')
  t.match((await station.app.inject('/api/notifications/key')).json(), { publicKey: /^B[\w-]{86}$/ })
})
