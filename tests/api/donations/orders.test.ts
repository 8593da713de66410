import { randomUUID } from 'node:crypto'
import type { PlayoutState } from '@solstice/playout'
import { basePriceMinor, chargeableCeiling, tiersOf } from '@solstice/station'
import t from 'tap'
import { openDonations, openOrderStation } from '../../harness/donations/order-station.ts'
import { ledgerOf, MATCHING } from '../../harness/donations/orders.ts'
import { openSocket } from '../../harness/people/socket-client.ts'

const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, ...details } },
})

const pricing = {
  pricingMode: 'fixed',
  fixedPrice: 50,
  pricePerSecond: 0.02,
  tiersEnabled: true,
  tierCeiling: 5,
} as const

const { services, station, song, current, next, night, entry, onAir } = await openOrderStation(t)

const { app, ports, addTrack, tokens, ask, order, tiers, saveSettings } = station

const { data } = ports

t.test(
  'prices: the first tier by length or fixed, each next one doubles, up to the chargeable maximum',
  async (t) => {
    const perSecond = (pricePerSecond: number, durationS: number | null) =>
      basePriceMinor({ ...pricing, pricingMode: 'calculated', pricePerSecond }, durationS)
    t.equal(basePriceMinor(pricing, 1000), 50_00)
    t.equal(basePriceMinor({ ...pricing, fixedPrice: 1.005 }, 1), 1_01, 'half a hundredth is one')
    t.equal(perSecond(0.02, 181.6), 3_63)
    t.equal(perSecond(0.02, null), 3_60, 'an unknown length counts as 180 s')
    t.equal(perSecond(0.5, 0.2), 50, 'shorter than a second counts as one')
    t.equal(perSecond(0.0001, 3), 1, 'nothing is free')
    t.equal(perSecond(1.1, 3), 3_30)

    const amounts = (changes: object, mostMinor: number) =>
      tiersOf({ ...pricing, ...changes }, 60, mostMinor).map(({ amountMinor }) => amountMinor)
    t.same(tiersOf(pricing, 60, 10_000_00)[1], { tier: 2, amountMinor: 100_00 })
    t.same(amounts({}, 10_000_00), [50_00, 100_00, 200_00, 400_00, 800_00])
    t.same(amounts({}, 400_00), [50_00, 100_00, 200_00, 400_00], 'the most is still taken')
    t.same(amounts({}, 399_99), [50_00, 100_00, 200_00])
    t.same(amounts({ tiersEnabled: false }, 50_00), [50_00])
    t.same(amounts({ tiersEnabled: false }, 49_99), [])
    t.same(amounts({ tierCeiling: 10 }, Number.POSITIVE_INFINITY).at(-1), 50_00 * 512)

    t.equal(chargeableCeiling(pricing, 60, 800_00), 5)
    t.equal(chargeableCeiling(pricing, 60, 799_99), 4)
    t.equal(chargeableCeiling(pricing, 60, 1), 2, 'never below two')
    t.equal(chargeableCeiling({ ...pricing, pricingMode: 'calculated', pricePerSecond: 1 }, 100, 400_00), 3)
  },
)

t.test('a station announces its donations', async (t) => {
  const config = (await app.inject('/api/public/config')).json()
  t.equal(config.capabilities.donations, true)
  t.same(config.donationInfo, {
    provider: MATCHING,
    displayName: 'Donatello',
    currency: 'UAH',
    pricingMode: 'fixed',
    fixedPrice: 1,
    pricePerSecond: 0.02,
    tiersEnabled: false,
    tierCeiling: 5,
    blockDonationsWhileChatting: false,
    donationRetentionDays: 365,
  })
})

t.test('a station prices a song that can be ordered now', async (t) => {
  t.same(await tiers(song.id).then(({ body }) => body), {
    currency: 'UAH',
    pricingMode: 'fixed',
    tiersEnabled: false,
    tiers: [{ tier: 1, price: 1 }],
    flowType: 'matching',
    chattingBlocked: false,
  })
  for (const asked of [tiers, (songId: string) => order({ songId })]) {
    t.match(await asked('day/nothing.mp3'), refusal(404, 'SONG_NOT_FOUND'))
    t.match(await asked(current.id), refusal(409, 'TRACK_LOCKED', { reason: 'current' }))
    t.match(await asked(next.id), refusal(409, 'TRACK_LOCKED', { reason: 'next' }))
    t.match(await asked(night.id), refusal(409, 'SONG_OFF_AIR', { reason: 'wrong_mode' }))
  }
  t.match(await ask('GET tiers', '10.1.1.1'), refusal(400, 'BAD_REQUEST', { field: 'songId' }))
  t.match(await order({}), refusal(400, 'BAD_REQUEST', { field: 'songId' }))
  t.match(await order({ songId: song.id, tier: 'x' }), refusal(400, 'BAD_REQUEST', { field: 'tier' }))
  t.same(await data.donations.find(), [], 'a refusal leaves nothing')

  await saveSettings({ tiersEnabled: true, pricingMode: 'calculated', pricePerSecond: 10 })
  t.match((await tiers(song.id)).body, {
    pricingMode: 'calculated',
    tiersEnabled: true,
    tiers: [2000, 4000, 8000, 16_000].map((price, i) => ({ tier: i + 1, price })),
  })
  t.teardown(() => data.tracks.delete(({ id }) => id.startsWith('day/long')))
  await addTrack('day/longer.mp3', null, { duration: 500 })
  t.match((await tiers('day/longer.mp3')).body.tiers, { length: 3 }, 'no more than the service takes')
  await addTrack('day/long.mp3', null, { duration: 3001 })
  t.same((await tiers('day/long.mp3')).body.tiers, [])
  t.match(await order({ songId: 'day/long.mp3' }), refusal(400, 'TIER_UNAVAILABLE'))
  await saveSettings({ pricingMode: 'fixed', fixedPrice: 50, tierCeiling: 3 })
  for (const tier of [0, -1, 4]) {
    t.match(await order({ songId: song.id, tier }), refusal(400, 'TIER_UNAVAILABLE'), String(tier))
  }
})

t.test('a station takes no money for a song that the queue would refuse, and gives the reason', async (t) => {
  const nowMs = ports.clock.nowMs()
  const inAnHour = { target: 'night', atMs: nowMs + 3_600_000, waiting: null } as const
  const preparing = { phase: 'preparing', target: 'day', sinceMs: nowMs, notBeforeMs: nowMs } as const
  const cases: [Partial<PlayoutState>, object][] = [
    [{ unplayable: [song.id] }, { reason: 'not_found', en: /can't be played/, uk: /не вдається відтворити/ }],
    [
      { nightMode: true, pendingSwitch: inAnHour },
      { reason: 'no_time', en: /changes in (59|60) min/ },
    ],
    [{ onAir: preparing }, { reason: 'preparing', en: /try again in a minute/ }],
  ]
  for (const [facts, details] of cases) {
    await onAir(facts)
    for (const asked of [tiers, (songId: string) => order({ songId })])
      t.match(await asked(song.id), refusal(409, 'SONG_NOT_ORDERABLE', details))
  }
  t.same(await data.donations.find(), [])
  const beside = { ...entry(current, 'e3'), orderType: 'donated' } as const
  await onAir({
    playlist: { entries: [entry(current, 'e1'), beside, entry(song, 'e4')], index: 0, repeats: false },
  })
  t.equal((await tiers(song.id)).status, 200, 'a place beside itself is none of these')
})

t.test('a station takes an order from its listener, and shows it to nobody else', async (t) => {
  await saveSettings({ tiersEnabled: true, fixedPrice: 50 })
  const { status, body } = await order({ songId: song.id, tier: 2 }, '10.2.0.1')
  t.equal(status, 200)
  const { donationId, matchCode, expiresAt, ...rest } = body
  const page = 'https://donatello.example/solstice'
  t.same(rest, { flowType: 'matching', pageUrl: page, amount: 100, currency: 'UAH' })
  t.match(matchCode, /^[A-HJ-NP-Z2-9]{6}$/)
  const record = (await data.donations.get(donationId))!
  t.match(record, {
    uid: tokens.uidOf('10.2.0.1'),
    songId: song.id,
    songTitle: 'Morning Tide',
    songArtist: 'Hilda',
    provider: MATCHING,
    amountMinor: 100_00,
    tier: 2,
    status: 'pending',
    queue: null,
    matchCode,
  })
  t.equal(expiresAt, record.createdAt + 20 * 60_000)
  t.match(await ledgerOf(data, donationId), [{ event: 'created', atMs: record.createdAt }])

  t.same((await ask(`GET ${donationId}/status`, '10.2.0.1')).body, {
    status: 'pending',
    tier: 2,
    matchCode,
    expiresAt,
    airsAt: null,
  })
  t.match(await ask(`GET ${donationId}/status`, '10.2.0.2'), refusal(404, 'NOT_FOUND'))
  t.match(await ask('GET nothing/status', '10.2.0.1'), refusal(404, 'NOT_FOUND'))
  const plain = (await order({ songId: song.id }, '10.2.0.1')).body
  t.match(await data.donations.get(plain.donationId), { tier: 1, amountMinor: 50_00 })
  t.not(plain.matchCode, matchCode)

  await saveSettings({ tiersEnabled: false })
  const untiered = (await order({ songId: song.id, tier: 9 }, '10.2.0.1')).body
  t.equal(untiered.amount, 50, 'a tier is ignored where there are none')
  t.equal((await ask(`GET ${untiered.donationId}/status`, '10.2.0.1')).body.tier, null)
})

t.test('a listener is the same one to requests and to sockets, whatever its headers claim', async (t) => {
  const { donationId } = (await order({ songId: song.id })).body
  const record = (await data.donations.get(donationId))!
  for (const hops of ['0', '1', '2']) {
    const replica = await openDonations(t, services, 'donatello', station, hops)
    const url = await replica.app.listen({ port: 0, host: '127.0.0.1' })
    for (const claimed of [
      '198.51.100.1',
      '198.51.100.1, 203.0.113.9',
      '198.51.100.1, 203.0.113.9, 10.0.0.2',
      '2001:db8:1:2::5',
      '203.0.113.9:4711, [2001:db8::1]:443',
      '203.0.113.9,',
      'unknown, <script>',
      '::ffff:203.0.113.9',
      ' , ,',
    ]) {
      const headers = {
        'x-forwarded-for': claimed,
        'x-real-ip': '198.51.100.2',
        forwarded: 'for=198.51.100.3',
      }
      const { socket, first } = openSocket(t, url, { headers })
      socket.emit('listener_init')
      const { uid } = await first<{ uid: string }>('listener_uid')
      const id = randomUUID()
      const own = { ...record, id, claimKey: id, uid }
      await replica.ports.data.donations.insert(own)
      const status = async (headers: Record<string, string>) =>
        (await fetch(`${url}/api/public/donations/${id}/status`, { headers })).status
      t.equal(await status(headers), 200, `${hops} hops, ${claimed}`)
      socket.disconnect()
    }
  }
})

t.test('a station takes at most ten orders of a listener in ten minutes', async (t) => {
  const answers = await Promise.all(Array.from({ length: 11 }, () => order({ songId: song.id }, '10.3.0.1')))
  const refused = answers.filter(({ status }) => status !== 200)
  t.match(refused, [refusal(429, 'RATE_LIMITED')])
  t.ok(refused[0]!.body.error.retryAfterSecs <= 600)
  const codes = answers.flatMap(({ body }) => body.matchCode ?? [])
  t.equal(new Set(codes).size, 10)
  t.equal((await order({ songId: song.id }, '10.3.0.2')).status, 200, 'others go on')
})

t.test('a station takes none during talks when configured so', async (t) => {
  await onAir({ isPaused: true })
  t.equal((await tiers(song.id)).body.chattingBlocked, false)
  t.equal((await order({ songId: song.id })).status, 200)
  await saveSettings({ blockDonationsWhileChatting: true })
  t.equal((await tiers(song.id)).body.chattingBlocked, true)
  t.match(await order({ songId: song.id }), refusal(409, 'DONATIONS_PAUSED'))
  await onAir()
  t.equal((await order({ songId: song.id })).status, 200)
})
