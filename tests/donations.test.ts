import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openJsonData } from '@solstice/adapters'
import type { DonationSettings, DonationStatus } from '@solstice/contracts'
import {
  basePriceMinor,
  chargeableCeiling,
  claimPaid,
  type DataStore,
  type DonationRecord,
  expireDonations,
  failDonation,
  noteDonation,
  type PaymentProviderId,
  purgeDonations,
  tiersOf,
  trackRef,
} from '@solstice/station'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from './harness/admin.ts'
import { type OpenApp, openApp } from './harness/app.ts'
import { openPaymentServices } from './harness/payment-services.ts'
import { temporaryFolder } from './harness/processes.ts'
import { putOnAir } from './harness/put-on-air.ts'

const DAY_MS = 24 * 3_600_000
const PAGE = 'https://page.example'
const MATCHING = 'matching_provider_1' as const

/** A station whose orders go to a service of this name; as a second replica, beside another one. */
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
    /** Orders as a listener of its own, unless told where from. */
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
  'prices: the first tier by length or fixed, each next one doubles, up to what can be charged',
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

t.test('a station that is paid through a page', async (t) => {
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
  const onAir = (isPaused = false) =>
    putOnAir(station, {
      mode: 'day',
      isPaused,
      onAir: { phase: 'track', entry: entry(current, 'e1'), startedAtMs: ports.clock.nowMs() },
      list: { entries: [entry(current, 'e1'), entry(next, 'e2')], index: 0, repeats: false },
    })
  await onAir()

  t.test('says so', async (t) => {
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
      t.match(await asked(night.id), refusal(409, 'SONG_OFF_AIR'))
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
    await addTrack('day/longer.mp3', null, { duration: 500 })
    t.match((await tiers('day/longer.mp3')).body.tiers, { length: 3 }, 'no more than the service takes')
    await addTrack('day/long.mp3', null, { duration: 3001 })
    t.same((await tiers('day/long.mp3')).body.tiers, [])
    t.match(await order({ songId: 'day/long.mp3' }), refusal(400, 'TIER_UNAVAILABLE'))
    await data.tracks.delete(({ id }) => id.startsWith('day/long'))
    await saveSettings({ pricingMode: 'fixed', fixedPrice: 50, tierCeiling: 3 })
    for (const tier of [0, -1, 4]) {
      t.match(await order({ songId: song.id, tier }), refusal(400, 'TIER_UNAVAILABLE'), String(tier))
    }
  })

  t.test('takes an order of who asks, and shows it to nobody else', async (t) => {
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

  t.test('takes ten orders of a listener in ten minutes', async (t) => {
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

  t.test('takes none while hosts talk, if it is set like that', async (t) => {
    await onAir(true)
    t.equal((await tiers(song.id)).body.chattingBlocked, false)
    t.equal((await order({ songId: song.id })).status, 200)
    await saveSettings({ blockDonationsWhileChatting: true })
    t.equal((await tiers(song.id)).body.chattingBlocked, true)
    t.match(await order({ songId: song.id }), refusal(409, 'DONATIONS_PAUSED'))
    await onAir(false)
    t.equal((await order({ songId: song.id })).status, 200)
  })

  t.test('keeps settings as far as they can be read', async (t) => {
    await data.settings.delete({ section: 'donations' })
    await data.audit.delete({})
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
    t.same(await data.settings.find({ section: 'donations' }), [], 'what is the same is not saved')
    for (const currency of ['USD', 'гривня', '', 'toString', 5])
      t.match(await save({ currency }), refusal(400, 'BAD_REQUEST', { field: 'currency' }), String(currency))
    t.match(
      await save({ fixedPrice: 1e7 }),
      refusal(400, 'BAD_REQUEST', { field: 'fixedPrice', reason: 'out_of_range' }),
    )
    const lenient = {
      currency: ' uah ',
      pricingMode: 'nonsense',
      fixedPrice: '12.5',
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
    t.match((await save({ tierCeiling: 'x', fixedPrice: 0 })).body.settings, saved.settings)
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

  t.test('tells its history by window, newest first', async (t) => {
    await data.donations.delete({})
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
    })
    t.equal((await read('limit=1000')).limit, 200)
    t.equal((await ask('GET /api/admin/donations/history?limit=0')).status, 400)
    const { historyCurrencies } = (await ask('GET /api/admin/donations/settings')).body
    t.same(historyCurrencies, ['EUR', 'UAH'])
  })

  t.test('sends donors to a checkout instead, where its orders go to one', async (t) => {
    await data.donations.delete({})
    await saveSettings({ pricingMode: 'fixed', fixedPrice: 12.5, tiersEnabled: true })
    const stripe = await openDonations(t, services, 'stripe', station)
    t.equal(
      (await stripe.tiers(song.id)).body.currency,
      'USD',
      'what the service does not take is not asked for',
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
    t.same(await data.donations.find(), before, 'what the service refused leaves nothing')
  })
})

const ledgerOf = (data: DataStore, donationId: string) => data.ledger.find({ donationId })

function pendingDonation(id: string, facts: Partial<DonationRecord> = {}): DonationRecord {
  return {
    id,
    uid: 'somebody',
    songId: 'day/song.mp3',
    songTitle: 'Song',
    songArtist: 'Artist',
    provider: MATCHING,
    amountMinor: 50_00,
    currency: 'UAH',
    tier: null,
    status: 'pending',
    queue: null,
    refusedWhy: null,
    airedAt: null,
    matchCode: null,
    claimKey: id,
    expiresAt: null,
    createdAt: 0,
    paidAt: null,
    reference: null,
    ...facts,
  }
}

const payment = (
  reference: string,
  facts: { amountMinor?: number; currency?: string; paidAtMs?: number } = {},
) => {
  const paid = { amountMinor: 50_00, currency: 'UAH', paidAtMs: 1000, comment: '', ...facts }
  return { kind: 'paid', eventId: `event of ${reference}`, reference, ...paid } as const
}

t.test('an order', async (t) => {
  const folder = await temporaryFolder(t)
  const stores = [await openJsonData(folder), await openJsonData(folder)] as const
  for (const store of stores) t.teardown(() => store.close())
  const [data] = stores
  const events = async (id: string) => (await ledgerOf(data, id)).map(({ event }) => event)
  const place = (id: string, facts: Partial<DonationRecord> = {}) =>
    data.donations.insert(pendingDonation(id, facts))
  const refusals: string[] = []
  const claim = (id: string, paid = payment(`for ${id}`), provider: PaymentProviderId = MATCHING) =>
    claimPaid(data, id, provider, paid, 5000, (why) => refusals.push(why))
  const fail = (donationId: string, provider: PaymentProviderId = MATCHING) =>
    failDonation(data, provider, { kind: 'failed', eventId: 'e', reference: 'r', donationId }, 5000)

  t.test('is claimed by one of many that tell of its payment at once', async (t) => {
    await place('raced', { matchCode: 'AAAAAA', claimKey: 'AAAAAA' })
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        claimPaid(stores[i % 2]!, 'raced', MATCHING, payment('p'), 5000.5),
      ),
    )
    t.same(claims.toSorted(), ['claimed', ...Array(19).fill('known')])
    t.match(await data.donations.get('raced'), {
      status: 'paid',
      queue: 'due',
      paidAt: 5000,
      reference: 'p',
      matchCode: 'AAAAAA',
      claimKey: 'raced',
    })
    t.same(await events('raced'), ['delivered', 'claimed'])
  })

  t.test('is not paid by what does not fit, and the ledger says why', async (t) => {
    await place('misfit', { expiresAt: 2000 })
    for (const [why, paid, provider] of [
      ['other_provider', payment('1'), 'matching_provider_2'],
      ['other_currency', payment('2', { currency: 'USD' }), MATCHING],
      ['too_little', payment('3', { amountMinor: 49_99 }), MATCHING],
      ['too_late', payment('4', { paidAtMs: 2001 }), MATCHING],
    ] as const) {
      for (let time = 0; time < 2; time++) t.equal(await claim('misfit', paid, provider), 'refused', why)
      t.match((await ledgerOf(data, 'misfit')).at(-1), { event: 'refused', note: new RegExp(`^${why}: `) })
    }
    t.equal((await ledgerOf(data, 'misfit')).length, 4, 'once for each payment')
    t.same(
      refusals,
      ['other_provider', 'other_currency', 'too_little', 'too_late'],
      'and it is told as often',
    )
    t.match(await data.donations.get('misfit'), { status: 'pending', queue: null })
    t.equal(await claim('nothing'), 'refused')
    t.equal(refusals.at(-1), 'unknown_order')
    t.equal(
      await claim('misfit', payment('5', { paidAtMs: 2000, amountMinor: 60_00 })),
      'claimed',
      'more is enough',
    )
  })

  t.test('has its payment for itself', async (t) => {
    await place('first')
    await place('second')
    const both = payment('names both')
    t.equal(await claim('first', both), 'claimed')
    t.equal(await claim('second', both), 'refused')
    t.equal(await claim('first', both), 'known')
    t.match(await data.donations.get('second'), { status: 'pending' })
    t.equal(await claim('first', payment('another')), 'refused', 'it is paid already')
    t.match((await ledgerOf(data, 'first')).at(-1), { event: 'refused', note: /^not_pending/ })
  })

  t.test('that is told of again after a crash goes on where it stopped', async (t) => {
    await place('crashed')
    const onceKey = `delivered ${MATCHING} for crashed`
    await noteDonation(data, { donationId: 'crashed', event: 'delivered', onceKey, atMs: 1, note: '' })
    t.equal(await claim('crashed'), 'claimed')
    await data.ledger.delete({ donationId: 'crashed', event: 'claimed' })
    t.equal(await claim('crashed'), 'known')
    t.same(await events('crashed'), ['delivered', 'claimed'])
  })

  t.test('fails or expires once, and is not opened again', async (t) => {
    await place('failed', { provider: 'checkout_provider_1' })
    t.equal(await fail('failed'), false, 'another service has no say')
    t.equal(await fail('failed', 'checkout_provider_1'), true)
    t.equal(await fail('failed', 'checkout_provider_1'), false)
    t.equal(await claim('failed', payment('late'), 'checkout_provider_1'), 'refused')
    t.match(await data.donations.get('failed'), { status: 'failed', paidAt: null })

    await place('soon', { expiresAt: 10_000, matchCode: 'BBBBBB', claimKey: 'BBBBBB' })
    await place('never', { expiresAt: null })
    t.equal(await expireDonations(data, 10_999, [MATCHING], 1000), 0, 'a payment in time may be on its way')
    t.equal(await data.donations.insert(pendingDonation('taken', { claimKey: 'BBBBBB' })), null)
    const swept = await Promise.all(stores.map((store) => expireDonations(store, 11_000, [MATCHING], 1000)))
    t.same(swept.toSorted(), [0, 1])
    t.match(await data.donations.get('soon'), { status: 'expired', matchCode: 'BBBBBB' })
    t.match(await data.donations.get('never'), { status: 'pending' })
    t.ok(await data.donations.insert(pendingDonation('free', { claimKey: 'BBBBBB' })), 'its code is free')
    t.equal(await claim('soon', payment('of soon', { paidAtMs: 1 })), 'refused')
    t.match(await ledgerOf(data, 'soon'), [
      { note: 'expired' },
      { event: 'delivered' },
      { note: /^not_pending/ },
    ])
  })

  t.test('keeps these rules whatever happens in whatever order', async (t) => {
    let seed = 20
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * below)
    }
    const ids = Array.from({ length: 12 }, (_, i) => `any ${i}`)
    await Promise.all(ids.map((id) => place(id, { expiresAt: random(2) ? 2000 : null })))
    const status = new Map<string, DonationStatus>()
    const paidBy = new Map<string, string[]>()
    for (let round = 0; round < 8; round++) {
      await Promise.all(
        Array.from({ length: 12 }, async () => {
          const store = stores[random(2)]!
          const id = ids[random(ids.length)]!
          const reference = `any payment ${random(8)}`
          const paid = payment(reference, { paidAtMs: random(2) ? 1000 : 3000 })
          switch (random(4)) {
            case 0:
              await failDonation(
                store,
                MATCHING,
                { kind: 'failed', eventId: 'e', reference, donationId: id },
                1,
              )
              break
            case 1:
              if (round > 4) await expireDonations(store, 2500, [MATCHING], 0)
              break
            default:
              if ((await claimPaid(store, id, MATCHING, paid, 1)) === 'claimed')
                paidBy.set(reference, [...(paidBy.get(reference) ?? []), id])
          }
        }),
      )
      for (const id of ids) {
        const now = (await data.donations.get(id))!
        const before = status.get(id) ?? 'pending'
        t.ok(before === now.status || before === 'pending', `${id}: ${before} → ${now.status}`)
        t.equal(now.queue, now.status === 'paid' ? 'due' : null)
        status.set(id, now.status)
      }
    }
    for (const [reference, orders] of paidBy) t.equal(orders.length, 1, reference)
    t.ok(paidBy.size > 0)
    for (const id of ids) {
      const claimed = (await events(id)).filter((event) => event === 'claimed')
      t.equal(claimed.length, status.get(id) === 'paid' ? 1 : 0)
    }
  })
})

t.test(
  'donations are forgotten by age; beyond 20 000 the oldest that were never paid, but none that was',
  async (t) => {
    const folder = join(await temporaryFolder(t), 'data')
    await mkdir(folder)
    const statuses: DonationStatus[] = ['pending', 'paid', 'failed', 'expired', 'paid_unqueued']
    // The newest come first, so that their order in the store says nothing.
    const records = Array.from({ length: 20_006 }, (_, i) =>
      pendingDonation(String(i), { createdAt: 30_000 - i, status: i < 19_990 ? 'paid' : statuses[i % 5]! }),
    )
    await writeFile(join(folder, 'donations.json'), `${JSON.stringify({ version: 1, serial: 0, records })}\n`)
    const data = await openJsonData(folder)
    t.teardown(() => data.close())
    for (const donationId of ['20005', '20003', '19995', '0'])
      await noteDonation(data, { donationId, event: 'created', onceKey: donationId, atMs: 1, note: '' })
    t.equal(
      await purgeDonations(data, 30_000 - 20_004),
      1 + 5,
      'one by age, then as many of those that were never paid as there are too many',
    )
    t.same(
      (await data.donations.find()).slice(19_990).map(({ id }) => Number(id)),
      [19_990, 19_991, 19_992, 19_993, 19_994, 19_995, 19_996, 19_999, 20_001, 20_004],
    )
    t.same(
      (await data.ledger.find()).map(({ donationId }) => donationId),
      ['19995', '0'],
    )
    t.equal(await purgeDonations(data, 0), 0)
  },
)
