import type { DonationSettings } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { basePriceMinor, chargeableCeiling, tiersOf, trackRef } from '@solstice/station'
import t, { type Test } from 'tap'
import { putOnAir } from '../../harness/air/put-on-air.ts'
import { ledgerOf, MATCHING, pendingDonation } from '../../harness/donations/orders.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openPaymentServices } from '../../harness/servers/payment-services.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'

const DAY_MS = 24 * 3_600_000
const PAGE = 'https://page.example'

/** A station whose orders go to the named service; with `beside`, the second replica of another one. */
async function openDonations(
  t: Test,
  services: { env: Record<string, string> },
  provider: string,
  beside?: OpenApp,
) {
  const env = {
    ...SUPER_ADMIN,
    ...services.env,
    DONATIONS_PROVIDER: provider,
    DONATION_MATCH_EXPIRY_MIN: '20',
    STREAM_MODE: 'true',
    RADIO_HOSTS_MODE: 'true',
    TRUST_PROXY_HOPS: '1',
    CLIENT_ORIGIN: PAGE,
  }
  const station = await openApp(t, env, undefined, beside)
  const ask = async (request: string, from: string, payload?: object, origin?: string) => {
    const [method, path] = request.split(' ') as ['GET' | 'POST', string]
    const headers = { 'x-forwarded-for': from, ...(origin !== undefined && { origin }) }
    const url = `/api/public/donations/${path}`
    const answer = await station.app.inject({ method, url, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  let listeners = 0
  return {
    ...station,
    ask,
    /** Orders as a new listener, unless given an address. */
    order: (payload: object, from = `10.0.0.${++listeners}`, origin?: string) =>
      ask('POST create', from, payload, origin),
    tiers: (songId: string) => ask(`GET tiers?songId=${encodeURIComponent(songId)}`, '10.9.9.9'),
    saveSettings: async (draft: Partial<DonationSettings>) => {
      const { ask } = await asAdmin(station)
      const answer = await ask('POST /api/admin/donations/settings', draft)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
  }
}

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

t.test('a station paid through a page', async (t) => {
  const services = await openPaymentServices(t)
  const station = await openDonations(t, services, 'donatello')
  const { app, ports, addTrack, tokens, ask, order, tiers, saveSettings } = station
  const { data } = ports
  const [song, current, next] = [
    await addTrack('day/song.mp3', null, { duration: 200, artist: 'Hilda', title: 'Morning Tide' }),
    await addTrack('day/current.mp3', null, { duration: 250 }),
    await addTrack('day/next.mp3', null),
  ]
  const night = await addTrack('night/owl.mp3', null)
  const entry = (track: typeof song, entryId: string) => {
    return { entryId, track: { ...trackRef(track), durationMs: 3_600_000 }, orderType: null, tier: null }
  }
  const onAir = (facts: Partial<PlayoutState> = {}) =>
    putOnAir(station, {
      mode: 'day',
      onAir: { phase: 'track', entry: entry(current, 'e1'), startedAtMs: ports.clock.nowMs() },
      playlist: { entries: [entry(current, 'e1'), entry(next, 'e2')], index: 0, repeats: false },
      ...facts,
    })
  t.beforeEach(async () => {
    await Promise.all([data.settings.delete({}), data.donations.delete({}), data.audit.delete({}), onAir()])
  })

  t.test('announces its donations', async (t) => {
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

  t.test('prices a song that can be ordered now', async (t) => {
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

  t.test('takes no money for a song that the queue would refuse, and gives the reason', async (t) => {
    const nowMs = ports.clock.nowMs()
    const inAnHour = { target: 'night', atMs: nowMs + 3_600_000, waiting: null } as const
    const preparing = { phase: 'preparing', target: 'day', sinceMs: nowMs, notBeforeMs: nowMs } as const
    const cases: [Partial<PlayoutState>, object][] = [
      [
        { unplayable: [song.id] },
        { reason: 'not_found', en: /can't be played/, uk: /не вдається відтворити/ },
      ],
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

  t.test('takes an order from its listener, and shows it to nobody else', async (t) => {
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

  t.test('takes at most ten orders of a listener in ten minutes', async (t) => {
    const answers = await Promise.all(
      Array.from({ length: 11 }, () => order({ songId: song.id }, '10.3.0.1')),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    t.match(refused, [refusal(429, 'RATE_LIMITED')])
    t.ok(refused[0]!.body.error.retryAfterSecs <= 600)
    const codes = answers.flatMap(({ body }) => body.matchCode ?? [])
    t.equal(new Set(codes).size, 10)
    t.equal((await order({ songId: song.id }, '10.3.0.2')).status, 200, 'others go on')
  })

  t.test('takes none during talks when configured so', async (t) => {
    await onAir({ isPaused: true })
    t.equal((await tiers(song.id)).body.chattingBlocked, false)
    t.equal((await order({ songId: song.id })).status, 200)
    await saveSettings({ blockDonationsWhileChatting: true })
    t.equal((await tiers(song.id)).body.chattingBlocked, true)
    t.match(await order({ songId: song.id }), refusal(409, 'DONATIONS_PAUSED'))
    await onAir()
    t.equal((await order({ songId: song.id })).status, 200)
  })

  t.test('keeps the readable part of its settings', async (t) => {
    await data.donations.insert(pendingDonation('of the only currency'))
    const { ask: boss } = await asAdmin(station)
    const { ask: manager } = await asAdmin(station, ['donations_manage'])
    const { ask: anyone } = await asAdmin(station, [])
    const URL = '/api/admin/donations'
    const { status, body } = await anyone(`GET ${URL}/settings`)
    t.equal(status, 200)
    const { settings, ...about } = body
    t.same(about, {
      radioHostsMode: true,
      provider: { id: MATCHING, displayName: 'Donatello', supportedCurrencies: ['UAH'] },
      historyCurrencies: ['UAH'],
      donationRetentionDays: 365,
    })
    for (const request of [`POST ${URL}/settings`, `GET ${URL}/history`, `GET ${URL}/price-preview`])
      t.match(await anyone(request, request.startsWith('POST') ? {} : undefined), { status: 403 }, request)

    const save = (draft: object) => manager(`POST ${URL}/settings`, draft)
    t.match(await save(settings), { status: 200, body: { settings, clamped: false } })
    t.same(await data.settings.find({ section: 'donations' }), [], 'unchanged settings are not saved')
    for (const currency of ['USD', 'гривня', '', 'toString'])
      t.match(await save({ currency }), refusal(400, 'BAD_REQUEST', { field: 'currency' }), currency)
    t.match(
      await save({ fixedPrice: 1e7 }),
      refusal(400, 'BAD_REQUEST', { field: 'fixedPrice', reason: 'out_of_range' }),
    )
    const lenient = {
      currency: ' uah ',
      pricingMode: 'nonsense',
      fixedPrice: 12.5,
      pricePerSecond: -1,
      tiersEnabled: 1,
      tierCeiling: 99.5,
      blockDonationsWhileChatting: 'false',
      unknown: {},
    }
    const saved = (await save(lenient)).body
    t.same(saved, {
      settings: {
        currency: 'UAH',
        pricingMode: 'fixed',
        fixedPrice: 12.5,
        pricePerSecond: 0.02,
        tiersEnabled: true,
        tierCeiling: 10,
        blockDonationsWhileChatting: false,
      },
      clamped: false,
    })
    t.same((await boss(`GET ${URL}/settings`)).body.settings, saved.settings)
    t.match((await save({ tierCeiling: 11, fixedPrice: 0 })).body.settings, saved.settings)
    t.match((await app.inject('/api/public/config')).json().donationInfo, saved.settings)
    const log = await data.audit.find({ operationType: 'settings_save' })
    t.equal(log.length, 1, 'once for what was changed once')
    t.same((log[0]!.data as { sections: string[] }).sections, ['donations'])
    t.match((log[0]!.data as { details: object }).details, {
      changes: [
        { field: 'donations.fixedPrice', before: 1, after: 12.5 },
        { field: 'donations.tiersEnabled' },
        { field: 'donations.tierCeiling' },
      ],
    })

    const clamped = async (draft: object) => {
      const { settings, clamped } = (await save(draft)).body
      return [settings.tierCeiling, clamped]
    }
    t.same(await clamped({ fixedPrice: 1000 }), [5, true], '32 000 is more than 30 000')
    t.same(await clamped({ tierCeiling: 5 }), [5, false])
    t.same(
      await clamped({ pricingMode: 'calculated', pricePerSecond: 1, tierCeiling: 10 }),
      [7, true],
      'of 250 s',
    )
    t.same(await clamped({ fixedPrice: 1e6, pricingMode: 'fixed' }), [2, true])
    t.same(await clamped({ tiersEnabled: false, tierCeiling: 10 }), [10, false], 'where there are no tiers')

    const preview = async (query: string) => (await manager(`GET ${URL}/price-preview${query}`)).body
    await save({ pricingMode: 'calculated', pricePerSecond: 0.02 })
    t.same(await preview(''), { basePrice: 5 }, 'of the longest track')
    t.same(await preview('?durationSeconds=61.3'), { basePrice: 1.23 })
    for (const bad of ['-1', 'x', '1e9'])
      t.equal((await manager(`GET ${URL}/price-preview?durationSeconds=${bad}`)).status, 400, bad)

    const racing = await Promise.all([
      save({ fixedPrice: 7 }),
      save({ pricePerSecond: 7 }),
      save({ tierCeiling: 3 }),
    ])
    t.same(
      racing.map(({ status }) => status),
      [200, 200, 200],
    )
    t.match((await boss(`GET ${URL}/settings`)).body.settings, {
      fixedPrice: 7,
      pricePerSecond: 7,
      tierCeiling: 3,
    })
  })

  t.test('returns its history by window, newest first', async (t) => {
    const nowMs = Math.floor(ports.clock.nowMs())
    const ages = [400, 40, 20, 3, 0.5, 0]
    for (const [i, age] of ages.entries()) {
      const facts = { createdAt: nowMs - age * DAY_MS, currency: i % 2 ? 'UAH' : 'EUR', amountMinor: 12_34 }
      await data.donations.insert(pendingDonation(String(i), facts))
    }
    const { ask } = await asAdmin(station, ['donations_manage'])
    const read = async (query: string) => (await ask(`GET /api/admin/donations/history?${query}`)).body
    for (const [window, total] of [
      ['24h', 2],
      ['7d', 3],
      ['30d', 4],
      ['max', 5],
      ['nonsense', 5],
      ['toString', 5],
    ] as const)
      t.equal((await read(`window=${window}`)).total, total, window)
    const page = await read('limit=2&offset=1')
    t.match(page, { total: 5, limit: 2, offset: 1, entries: [{ id: '4' }, { id: '3' }] })
    t.same(page.entries[0], {
      id: '4',
      uid: 'somebody',
      songId: song.id,
      songTitle: 'Song',
      songArtist: 'Artist',
      provider: MATCHING,
      currency: 'EUR',
      amount: 12.34,
      tier: null,
      status: 'pending',
      createdAt: nowMs - DAY_MS / 2,
      paidAt: null,
      airedAt: null,
      refusedWhy: null,
    })
    t.equal((await read('limit=1000')).limit, 200)
    t.equal((await ask('GET /api/admin/donations/history?limit=0')).status, 400)
    const { historyCurrencies } = (await ask('GET /api/admin/donations/settings')).body
    t.same(historyCurrencies, ['EUR', 'UAH'])
  })

  t.test('sends donors to a checkout when orders go to one', async (t) => {
    await saveSettings({ fixedPrice: 12.5, tiersEnabled: true })
    const stripe = await openDonations(t, services, 'stripe', station)
    t.equal(
      (await stripe.tiers(song.id)).body.currency,
      'USD',
      'the service is never sent an amount that it rejects',
    )
    const placed = async (origin?: string) => {
      const { donationId, redirectUrl } = (await stripe.order({ songId: song.id }, '10.4.0.1', origin)).body
      const session = services.stripeSessions.get(donationId)!
      const status = (await ask(`GET ${donationId}/status`, '10.4.0.1')).body
      t.same(
        status,
        { status: 'pending', tier: 1, matchCode: null, expiresAt: null, airsAt: null },
        'on any replica',
      )
      t.equal(redirectUrl, session.url)
      t.equal(session.amount_total, 12_50)
      return session.asked.success_url!.replace(donationId, '<id>')
    }
    t.equal(await placed(PAGE), `${PAGE}?donation=<id>`)
    t.equal(await placed('https://elsewhere.example'), 'https://radio.example?donation=<id>')
    t.equal(await placed(), 'https://radio.example?donation=<id>')

    const before = await data.donations.find()
    services.answer = (_, response) => response.writeHead(500).end('{}')
    t.match(await stripe.order({ songId: song.id }), refusal(500, 'DONATIONS_CREATE_FAILED'))
    services.answer = null
    t.same(await data.donations.find(), before, 'an order that the service refused leaves no record')
  })
})
