import { once } from 'node:events'
import type { Mode } from '@solstice/contracts'
import { recordClaimed, recordInLedger } from '@solstice/station'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { asAdmin } from '../harness/people/admin.ts'
import { start } from '../harness/processes/processes.ts'
import { programOf } from '../harness/processes/programs.ts'
import { dataSettings } from '../harness/servers/postgres.ts'
import { DAY_MS, ENV, openWebhookStation } from '../harness/stations/kinds/webhook-station.ts'
import { inTime } from '../harness/until.ts'

const { station, ports, data, ask, receiver, url, sweep, deliver, subscribe, messages, idsTaken, play } =
  await openWebhookStation(t)

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
