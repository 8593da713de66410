import type { AddressInfo } from 'node:net'
import type { RadioState, ServerPayload } from '@solstice/contracts'
import { claimPayment, failDonation, trackRef } from '@solstice/station'
import t, { type Test } from 'tap'
import { putOnAir } from '../../../../../tests/harness/air/put-on-air.ts'
import { openSocket } from '../../../../../tests/harness/people/socket-client.ts'
import { openPaymentServices } from '../../../../../tests/harness/servers/services/payment-services.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { ApiError } from '../../api.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { createStore, type Store } from '../../ui/store.ts'
import type { LinkState } from '../connection/station-socket.ts'
import { createDonations } from './donations.ts'
import { airtimeOf, type Order, withoutDonation } from './order.ts'
import { POLLING } from './order-polling.ts'

const NOON = Date.UTC(2026, 5, 21, 12)
const DAY_MS = 24 * 3_600_000
const MATCHING = 'matching_provider_1' as const

/** Resolves with the value of a store as soon as it fits. */
function until<T>(store: Store<T>, fits: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const look = (value: T) => {
      if (!fits(value)) return
      forget()
      resolve(value)
    }
    const forget = store.subscribe(look)
    look(store.value)
  })
}

/** Gives this process what a page has: relative addresses, and storage. */
function openBrowser(t: Test, url: string) {
  const kept = { localStorage: new Map<string, string>(), sessionStorage: new Map<string, string>() }
  const { fetch } = globalThis
  const browser = {
    ...kept,
    isCutOff: false,
    /** Questions about orders: how many there were, and how many at the same time at most. */
    asked: createStore(0),
    open: createStore(0),
    mostAtOnce: 0,
  }
  const { asked, open } = browser
  const asIfThere = async (path: string, init?: RequestInit) => {
    const isCounted = path.endsWith('/status')
    if (isCounted) {
      asked.set(asked.value + 1)
      open.set(open.value + 1)
      browser.mostAtOnce = Math.max(browser.mostAtOnce, open.value)
    }
    try {
      if (browser.isCutOff) throw new TypeError('Failed to fetch')
      return await fetch(new URL(path, url), init)
    } finally {
      if (isCounted) open.set(open.value - 1)
    }
  }
  const storageOf = (map: Map<string, string>) => ({
    getItem: (name: string) => map.get(name) ?? null,
    setItem: (name: string, value: string) => map.set(name, value),
  })
  const before = { fetch, localStorage: undefined, sessionStorage: undefined }
  t.teardown(() => Object.assign(globalThis, before))
  Object.assign(globalThis, {
    fetch: asIfThere,
    localStorage: storageOf(kept.localStorage),
    sessionStorage: storageOf(kept.sessionStorage),
  })
  return browser
}

t.test('orders of a listener', async (t) => {
  const services = await openPaymentServices(t)
  const env = { ...services.env, DONATIONS_PROVIDER: 'donatello', PUBLIC_SERVER_URL: '' }
  const station = await openApp(t, env)
  const { app, ports, addTrack, tokens } = station
  const { data, announcer, clock } = ports
  const track = await addTrack('day/song.mp3', null, { title: 'Morning Tide', artist: 'Hilda' })
  const current = trackRef(await addTrack('day/current.mp3', null, { duration: 3600 }))
  const entry = { entryId: 'e', track: current, orderType: null, tier: null }
  const playlist = { entries: [entry], index: 0, repeats: false }
  const playing = { phase: 'track', entry, startedAtMs: station.ports.clock.nowMs() } as const
  await putOnAir(station, { mode: 'day', playlist, onAir: playing })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const browser = openBrowser(t, url)
  const uid = tokens.uidOf('127.0.0.1')
  const { socket, first } = openSocket(t, url)
  socket.emit('listener_init')
  await first('listener_uid')

  const sight = { isHidden: false, changed: [] as (() => void)[] }
  /** The page is opened, or opened again. */
  const visit = () => {
    const link = createStore<LinkState>('connecting')
    const donations = createDonations(
      {
        link,
        nowMs: () => clock.nowMs(),
        onResult: (told) => void socket.on('donation_result', told),
      },
      { isHidden: () => sight.isHidden, onChange: (changed) => void sight.changed.push(changed) },
      { ...POLLING, checkoutMs: 10, checkoutTimes: 4, matchingMs: 10, paidMs: 10 },
    )
    const becomes = async (id: string, fits: (order: Order) => boolean) => {
      const isIt = (order: Order) => order.id === id && fits(order)
      return (await until(donations.orders, (orders) => orders.some(isIt))).find(isIt)!
    }
    return { ...donations, link, becomes }
  }
  const kept = () => JSON.parse(browser.localStorage.get('radio_donations') ?? '[]') as [string, number][]
  const keptIds = () => kept().map(([id]) => id)
  const song = { id: track.id, title: track.title, artist: track.artist }
  const priced = { tier: 1, price: 1, currency: 'UAH' }
  const pay = (id: string) => {
    const paid = { amountMinor: 1_00, currency: 'UAH', paidAtMs: clock.nowMs(), comment: '' }
    const payment = { kind: 'paid', eventId: id, reference: `for ${id}`, ...paid } as const
    return claimPayment(data, { donationId: id, provider: MATCHING, payment, nowMs: clock.nowMs() })
  }
  const tell = (result: ServerPayload<'donation_result'>) =>
    announcer.tell({ uid }, 'donation_result', result)

  let page = visit()
  let paidId = ''

  t.test('an order is polled while it is watched, until it is paid', async (t) => {
    const offer = await page.offer(song.id)
    t.match(offer, { currency: 'UAH', flowType: 'matching', tiers: [{ tier: 1, price: 1 }] })
    await t.rejects(page.offer('day/nothing.mp3'), /404/)
    const refusal = await page.offer(current.id).catch((error: ApiError) => error)
    t.equal(
      refusal instanceof ApiError && localizedText(refusal.body, 'en'),
      'The song is playing now',
      'why not',
    )
    const placed = await page.order(song, priced)
    paidId = placed.donationId
    const { payAt } = page.orders.value[0]!.ticket!
    t.equal(payAt, services.env.DONATELLO_PAGE_URL)
    t.match(page.orders.value[0], { status: 'pending', matchCode: /^[A-Z2-9]{6}$/, ticket: { song } })
    t.same(keptIds(), [paidId])
    t.notMatch(browser.localStorage.get('radio_donations'), /Tide|Hilda|UAH|donatello/, 'its id, no more')
    t.equal(browser.asked.value, 0)

    let close = page.watch(paidId)
    await until(browser.asked, (asked) => asked >= 2)
    browser.isCutOff = true
    const before = browser.asked.value
    await until(browser.asked, (asked) => asked >= before + 3)
    t.match(page.orders.value, [{ status: 'pending' }], 'that the station is away changes nothing')
    browser.isCutOff = false
    sight.isHidden = true
    for (const changed of sight.changed) changed()
    await until(browser.open, (open) => open === 0)
    await pay(paidId)
    const unseen = browser.asked.value
    for (let i = 0; i < 9; i++) page.checkNow()
    page.refresh()
    // Any question would be on its way by then.
    for (let i = 0; i < 3; i++) await page.offer(song.id)
    t.equal(browser.asked.value, unseen, 'a hidden page asks nothing')
    t.match(page.orders.value, [{ status: 'pending' }])
    sight.isHidden = false
    for (const changed of sight.changed) changed()
    await page.becomes(paidId, ({ status }) => status === 'paid')
    close()
    await until(browser.open, (open) => open === 0)
    browser.mostAtOnce = 0
    for (let i = 0; i < 9; i++) {
      const { value } = browser.asked
      close = page.watch(paidId)
      await until(browser.asked, (asked) => asked > value)
      page.checkNow()
    }
    close()
    t.equal(browser.mostAtOnce, 1, 'one question at a time')
  })

  t.test('a returning listener finds the order; the same tab knows the song too', async (t) => {
    page = visit()
    t.match(page.orders.value, [{ id: paidId, status: null, ticket: { song } }])
    page.link.set('online')
    await page.becomes(paidId, ({ status }) => status === 'paid')
    t.equal(page.news.value, null, 'which is no news')
    browser.sessionStorage.clear()
    t.match(visit().orders.value, [{ id: paidId, ticket: null }], 'another tab knows it without that')
    page.forget(paidId)
    t.same(keptIds(), [])
    t.same(page.orders.value, [])
  })

  t.test('outcomes are announced, and remembered until they are seen', async (t) => {
    const [failed, refused] = [await page.order(song, priced), await page.order(song, priced)]
    tell({ donationId: 'of a neighbour', accepted: false, reason: 'payment_failed' })
    const about = { kind: 'failed', eventId: 'e', reference: 'r', donationId: failed.donationId } as const
    await failDonation(data, { provider: MATCHING, payment: about, nowMs: clock.nowMs() })
    tell({ donationId: failed.donationId, accepted: false, reason: 'payment_failed' })
    t.match(await until(page.news, (news) => news !== null), { is: 'failed', track: song })
    t.equal(page.orders.value.length, 2, 'of neighbours nothing is known')
    t.ok(keptIds().includes(failed.donationId))
    const close = page.watch(failed.donationId)
    close()
    t.same(keptIds(), [refused.donationId])
    t.match(page.orders.value, [{ id: refused.donationId }])

    const { donationId: id } = await page.order(song, priced)
    const { value } = browser.asked
    tell({ donationId: id, accepted: true, tier: null, song })
    await until(browser.asked, (asked) => asked > value)
    await page.offer(song.id)
    t.match(page.orders.value[0], { id, status: 'paid' }, 'what was read before the news is older')
    page.forget(id)

    const closeRefused = page.watch(refused.donationId)
    await pay(refused.donationId)
    await data.donations.update({ id: refused.donationId }, { status: 'paid_unqueued', queue: 'refused' })
    tell({ donationId: refused.donationId, accepted: false, reason: 'no_slot' })
    await page.becomes(refused.donationId, ({ status }) => status === 'paid_unqueued')
    t.match(page.news.value, { is: 'paid' }, 'who looks needs no news')
    tell({ donationId: refused.donationId, accepted: false, reason: 'paid_back' })
    await page.becomes(refused.donationId, ({ status }) => status === 'paid_back')
    t.same(keptIds(), [])
    closeRefused()
    t.same(page.orders.value, [])
  })

  t.test('after a checkout the status is polled for a while, then awaited', async (t) => {
    const { donationId: id } = await page.order(song, priced)
    page.forget(id)
    await data.donations.update({ id }, { matchCode: null, expiresAt: null })
    const before = browser.asked.value
    page.returned(id)
    page.returned(id)
    t.same(keptIds(), [id])
    const close = page.watch(id)
    await page.becomes(id, ({ isPollingOver: isLeftAlone }) => isLeftAlone)
    t.equal(browser.asked.value, before + 4)
    page.checkNow()
    await page.becomes(id, ({ isPollingOver: isLeftAlone }) => !isLeftAlone)
    await page.becomes(id, ({ isPollingOver: isLeftAlone }) => isLeftAlone)
    t.equal(browser.asked.value, before + 8)
    await pay(id)
    tell({ donationId: id, accepted: true, tier: null, song })
    await page.becomes(id, ({ status }) => status === 'paid')
    close()
    page.forget(id)

    page.returned('of-nobody')
    const closeUnknown = page.watch('of-nobody')
    await page.becomes('of-nobody', ({ status }) => status === 'unknown')
    t.same(keptIds(), [], 'what the station does not know is forgotten')
    closeUnknown()
    t.same(page.orders.value, [])
  })

  t.test('a few orders are remembered, for a day', async (t) => {
    const nowMs = Date.now()
    const recent = Array.from({ length: 9 }, (_, i) => [`recent-${i}`, nowMs - i])
    const odd = [
      ['old', nowMs - DAY_MS],
      ['ahead', nowMs + 2 * DAY_MS],
      ['../x', nowMs],
      [7, nowMs],
      null,
      'x',
    ]
    browser.localStorage.set('radio_donations', JSON.stringify([...odd, ...recent]))
    browser.sessionStorage.set('radio_donation_tickets', '{ not json')
    t.same(
      visit().orders.value.map(({ id }) => id),
      [0, 1, 2, 3, 4].map((i) => `recent-${i}`),
    )
    page = visit()
    page.returned('one-more')
    t.equal(page.orders.value.length, 5)
    t.same(keptIds(), ['one-more', 'recent-0', 'recent-1', 'recent-2', 'recent-3'])
    page.link.set('online')
    await until(page.orders, (orders) => orders.length === 0)
    t.same(keptIds(), [], 'none of them are known to the station')
    for (const junk of ['null', '{}', '{ not json']) {
      browser.localStorage.set('radio_donations', junk)
      t.same(visit().orders.value, [], junk)
    }
  })
})

t.test('a paid song is expected, on air while it is heard, and over afterwards', async (t) => {
  const ticket = { song: { id: 'day/a.mp3', title: 'A', artist: '' }, amount: 1, currency: 'UAH', payAt: '' }
  const order: Order = {
    id: 'x',
    sinceMs: NOON,
    status: 'paid',
    matchCode: null,
    expiresAt: null,
    airsAt: NOON + 60_000,
    readAtMs: NOON,
    ticket,
    isPollingOver: false,
  }
  const heard = (
    startedAtMs: number,
    orderType: RadioState['orderType'] = 'donated',
    track = 'day/a.mp3',
  ) => ({
    state: { track, orderType } as RadioState,
    startedAtMs,
  })
  t.same(airtimeOf({ ...order, airsAt: null }, null, NOON), { is: 'soon' })
  t.same(airtimeOf(order, null, NOON), { is: 'expected', atMs: NOON + 60_000 })
  t.same(airtimeOf(order, heard(NOON), NOON), { is: 'expected', atMs: NOON + 60_000 }, 'paid for before')
  t.same(airtimeOf(order, heard(NOON, null), NOON + 61_000), { is: 'soon' }, 'it is late')
  const begun = { ...order, readAtMs: NOON + 61_000 }
  t.same(
    airtimeOf(begun, heard(NOON, null, 'day/b.mp3'), NOON + 62_000),
    { is: 'soon' },
    'not heard here yet',
  )
  t.same(airtimeOf(begun, heard(NOON + 60_010), NOON + 90_000), { is: 'now' })
  t.same(airtimeOf({ ...begun, ticket: null }, heard(NOON + 60_010), NOON + 90_000), { is: 'now' })
  t.same(airtimeOf(begun, heard(NOON + 300_000), NOON + 300_000), { is: 'now' }, 'it goes on after a talk')
  const later = heard(NOON + 200_000, null, 'day/b.mp3')
  t.same(airtimeOf(begun, later, NOON + 200_000), { is: 'was', atMs: NOON + 60_000 })
})

t.test('the order id that a checkout adds to the address is removed, and nothing else', async (t) => {
  const at = (rest: string) => withoutDonation(`https://radio.example/${rest}`)
  t.equal(at('?a=1#x'), null)
  t.same(at('?donation=id-1'), { href: 'https://radio.example/', id: 'id-1' })
  t.same(at('en/?a=1&donation=id-1&b=2#x'), { href: 'https://radio.example/en/?a=1&b=2#x', id: 'id-1' })
  for (const bad of ['', '..%2Fx', 'a'.repeat(101)]) t.equal(at(`?donation=${bad}`)?.id, '', bad)
})
