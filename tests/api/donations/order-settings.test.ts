import t from 'tap'
import { openDonations, openOrderStation, PAGE } from '../../harness/donations/order-station.ts'
import { MATCHING, pendingDonation } from '../../harness/donations/orders.ts'
import { asAdmin } from '../../harness/people/admin.ts'

const DAY_MS = 24 * 3_600_000

const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, ...details } },
})

const { services, station, song } = await openOrderStation(t)

const { app, ports, ask, saveSettings } = station

const { data } = ports

t.test('a station keeps the readable part of its settings', async (t) => {
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

t.test('a station returns its history by window, newest first', async (t) => {
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

t.test('a station sends donors to a checkout when orders go to one', async (t) => {
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
