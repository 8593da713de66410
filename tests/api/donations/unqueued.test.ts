import type { AddressInfo } from 'node:net'
import { type DonationRecord, followOrder } from '@solstice/station'
import t from 'tap'
import { ledgerOf, pendingDonation } from '../../harness/donations/orders.ts'
import { asAdmin, command, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openPaymentServices } from '../../harness/servers/services/payment-services.ts'
import { openApp } from '../../harness/stations/app.ts'
import { startAir, startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

/** Always day, without cooldowns. */
const ENV = {
  ...SUPER_ADMIN,
  DONATIONS_PROVIDER: 'donatello',
  DAY_START_HOUR: '6',
  NIGHT_START_HOUR: '6',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
}
const DAY_MS = 24 * 3_600_000
const WISH = 'day/wish.mp3'

t.test('paid songs that found no place', async (t) => {
  const services = await openPaymentServices(t)
  const station = await openApp(t, { ...ENV, ...services.env })
  const { app, ports, addTrack, tokens } = station
  const { data, clock, bus } = ports
  for (let i = 0; i < 15; i++) await addTrack(`day/song ${i}.mp3`, null, { duration: 600 })
  const air = await startAir(t, ports)
  const wish = { artist: 'Hilda', title: 'Morning Tide', duration: 600 }
  for (const id of [WISH, 'night/owl.mp3']) await addTrack(id, null, wish)
  await startJobs(t, ports)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const uid = tokens.uidOf('127.0.0.1')
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const donor = openSocket(t, url)
  donor.socket.emit('listener_init')
  await donor.first('listener_uid')
  const { ask } = await asAdmin(station)

  let orders = 0
  const keep = async (facts: Partial<DonationRecord> = {}) => {
    const id = `order-${++orders}`
    const paidAt = clock.nowMs() - 2 * DAY_MS
    const refused = { status: 'paid_unqueued', queue: 'refused', refusedWhy: 'no_time' } as const
    await data.donations.put(
      pendingDonation(id, {
        uid,
        songId: WISH,
        reference: id,
        createdAt: paidAt,
        paidAt,
        ...refused,
        ...facts,
      }),
    )
    return id
  }
  const requeue = (id: string) => ask(`POST /api/admin/donations/${id}/requeue`)
  const payBack = (id: string) => ask(`POST /api/admin/donations/${id}/paid-back`)
  const events = async (id: string) => (await ledgerOf(data, id)).map(({ event }) => event)
  const audited = async (operationType: string, id: string) =>
    (await data.audit.find({ operationType })).filter((entry) => (entry.data as { id?: unknown }).id === id)
  const waiting = () =>
    air.state.playlist.entries
      .slice(air.state.playlist.index + 1)
      .flatMap(({ orderId }) => (orderId === undefined ? [] : [orderId]))
  const settled = (id: string, queue: DonationRecord['queue']) =>
    until(`${id} is ${queue}`, async () => (await data.donations.get(id))?.queue === queue)
  t.beforeEach(async () => {
    donor.forget()
    await data.donations.delete({})
    for (const _ of waiting()) {
      const position = air.state.playlist.entries.findIndex(({ orderId }) => orderId === waiting()[0])
      await bus.send({ type: 'remove-entry', position: position - air.state.playlist.index })
    }
    await air.until(() => waiting().length === 0)
  })

  t.test('are queued when an admin says so, long after the payment', async (t) => {
    const id = await keep()
    t.match(await requeue(id), {
      status: 200,
      body: { ok: true, entry: { id, status: 'paid', refusedWhy: null } },
    })
    await settled(id, 'queued')
    t.same(waiting(), [`${id}~1`])
    t.same(await events(id), ['requeued', 'claimed', 'queued'])
    t.match(await audited('donation_requeue', id), [
      { adminId: 'super', data: { title: 'Song', amount: 50 } },
    ])
    t.match(await donor.first('donation_result'), { donationId: id, accepted: true })
  })

  t.test('are queued once, however often it is said', async (t) => {
    const id = await keep()
    const answers = await Promise.all(Array.from({ length: 5 }, () => requeue(id)))
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    await settled(id, 'queued')
    t.equal((await requeue(id)).status, 200)
    t.same(waiting(), [`${id}~1`])
    t.equal((await audited('donation_requeue', id)).length, 1)
  })

  t.test('A13f: are queued again, as another order, when the removal is undone', async (t) => {
    const id = await keep({ status: 'paid', queue: 'due', refusedWhy: null, paidAt: clock.nowMs(), tier: 2 })
    await ports.jobs.add('queue-donation', { donationId: id }, { id })
    await settled(id, 'queued')
    const { entryId } = air.state.playlist.entries[air.state.playlist.index + 1]!
    const admin = openSocket(t, url)
    admin.socket.emit('admin_active', (await asAdmin(station, ['queue_manage'])).token)
    await admin.first('admin_confirmed')
    t.match(await command(admin, 'admin_remove_song', { entryId }), { entry: { entryId } })
    // Told twice, as by somebody impatient: it is queued once.
    for (let time = 0; time < 2; time++)
      t.match(await command(admin, 'admin_restore_song', { entryId }), { code: 'QUEUE_ORDER_RESTORED' })
    await settled(id, 'queued')
    t.same(waiting(), [`${id}~1`])
    t.match(air.state.playlist.entries[air.state.playlist.index + 1], { orderType: 'donated', tier: 2 })
    t.match(await events(id), ['claimed', 'queued', 'refused', 'requeued', 'queued'])
    t.equal((await audited('donation_requeue', id)).length, 1)
  })

  t.test('are queued again after an admin removed them, and heard', async (t) => {
    const id = await keep({ status: 'paid', queue: 'due', refusedWhy: null, paidAt: clock.nowMs() })
    await ports.jobs.add('queue-donation', { donationId: id }, { id })
    await settled(id, 'queued')
    await bus.send({ type: 'remove-entry', position: 1 })
    await settled(id, 'refused')
    t.match(await data.donations.get(id), { status: 'paid_unqueued', refusedWhy: 'removed' })
    for (const attempt of [1, 2]) {
      t.equal((await requeue(id)).status, 200)
      await settled(id, 'queued')
      t.same(waiting(), [`${id}~${attempt}`])
      if (attempt === 1) await bus.send({ type: 'remove-entry', position: 1 })
      if (attempt === 1) await settled(id, 'refused')
    }
    await bus.send({ type: 'skip' })
    await settled(id, 'aired')
    t.match((await ask('GET /api/admin/donations/history')).body.entries[0], {
      id,
      status: 'paid',
      airedAt: Number,
    })
    t.match(await requeue(id), {
      status: 409,
      body: { error: { code: 'DONATION_NOT_UNQUEUED', reason: 'aired' } },
    })
    t.match(await payBack(id), { status: 409, body: { error: { reason: 'aired' } } })
    await bus.send({ type: 'skip' })
    await until('it is over', async () => (await events(id)).includes('finished'))
    const queued = ['claimed', 'queued', 'refused', 'requeued', 'queued', 'refused', 'requeued', 'queued']
    t.same((await events(id)).slice(0, 8), queued)
  })

  t.test('stay where they are while the queue would refuse them', async (t) => {
    const [atNight, gone] = [await keep({ songId: 'night/owl.mp3' }), await keep({ songId: 'day/gone.mp3' })]
    t.match(await requeue(atNight), {
      status: 409,
      body: { error: { code: 'SONG_NOT_ORDERABLE', reason: 'wrong_mode' } },
    })
    t.match(await requeue(gone), { status: 404, body: { error: { code: 'SONG_NOT_FOUND' } } })
    for (const id of [atNight, gone]) {
      t.match(await data.donations.get(id), {
        status: 'paid_unqueued',
        queue: 'refused',
        refusedWhy: 'no_time',
      })
      t.same(await events(id), [])
    }
  })

  t.test('are closed once when their money was paid back', async (t) => {
    const id = await keep()
    const answers = await Promise.all(Array.from({ length: 5 }, () => payBack(id)))
    for (const answer of answers)
      t.match(answer, { status: 200, body: { entry: { id, status: 'paid_back' } } })
    t.same(await events(id), ['paid-back'])
    const { body } = await ask(`GET /api/admin/donations/${id}/ledger`)
    t.match(body.entries, [{ event: 'paid-back', note: 'by admin', at: Number }])
    t.equal((await audited('donation_paid_back', id)).length, 1)
    t.same(await donor.first('donation_result'), { donationId: id, accepted: false, reason: 'paid_back' })
    t.match(await requeue(id), { status: 409, body: { error: { reason: 'paid_back' } } })
  })

  t.test('end in one place when two admins decide at once', async (t) => {
    for (let i = 0; i < 5; i++) {
      const id = await keep()
      const [queued, closed] = await Promise.all([requeue(id), payBack(id)])
      t.same([queued.status, closed.status].sort(), [200, 409])
      const { status } = (await data.donations.get(id))!
      t.equal(status, queued.status === 200 ? 'paid' : 'paid_back')
      if (status === 'paid') await settled(id, 'queued')
      t.equal(waiting().includes(`${id}~1`), status === 'paid')
    }
  })

  t.test('are the only ones that wait for a decision', async (t) => {
    const others = [
      [{ status: 'pending', queue: null }, 'unpaid'],
      [{ status: 'failed', queue: null }, 'unpaid'],
      [{ status: 'expired', queue: null }, 'unpaid'],
      [{ status: 'paid', queue: 'queued' }, 'paid'],
    ] as const
    for (const [facts, reason] of others) {
      const id = await keep({ ...facts, refusedWhy: null })
      for (const decide of [requeue, payBack])
        t.match(await decide(id), { status: 409, body: { error: { code: 'DONATION_NOT_UNQUEUED', reason } } })
      t.match(await data.donations.get(id), facts)
    }
    for (const decide of [requeue, payBack])
      t.match(await decide('nothing'), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  })

  t.test('are not touched by late news of an earlier attempt', async (t) => {
    const id = await keep()
    await requeue(id)
    await settled(id, 'queued')
    const audit = { record: async () => {} }
    const deps = { data, audit, announcer: ports.announcer, clock }
    await followOrder(deps, { type: 'order-dropped', orderId: id, why: 'removed' }, null)
    await followOrder(deps, { type: 'order-aired', orderId: id, atMs: 0 }, null)
    t.match(await data.donations.get(id), { status: 'paid', queue: 'queued' })
  })

  t.test('a refusal that a crash left half done is finished first', async (t) => {
    const id = await keep({ queue: 'refusing' })
    t.equal((await payBack(id)).status, 200)
    t.same(await events(id), ['refused', 'paid-back'])
    t.match(await data.donations.get(id), { status: 'paid_back', queue: 'refused' })
  })

  t.test('are listed by themselves, and what was paid is added up', async (t) => {
    const unqueued = await keep({ amountMinor: 10 })
    await keep({ status: 'paid', queue: 'aired', amountMinor: 20 })
    await keep({ status: 'paid', queue: 'aired', amountMinor: 5_00, currency: 'EUR' })
    await payBack(await keep({ amountMinor: 1_000_00 }))
    await keep({ status: 'pending', queue: null, createdAt: clock.nowMs() })
    const list = (query: string) => ask(`GET /api/admin/donations/history?${query}`)
    t.match((await list('status=paid_unqueued')).body, {
      total: 1,
      entries: [{ id: unqueued, refusedWhy: 'no_time' }],
      totals: [
        { currency: 'EUR', count: 1, amount: 5 },
        { currency: 'UAH', count: 2, amount: 0.3 },
      ],
      unqueued: 1,
    })
    t.match((await list('status=paid_back')).body, { total: 1 })
    t.match((await list('window=24h')).body, { total: 1, totals: [], unqueued: 1 })
    t.equal((await list('status=lost')).status, 400)
  })
})
