import { join } from 'node:path'
import type { QueueItem } from '@solstice/contracts'
import type { DonationRecord } from '@solstice/station'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { themes } from '../../apps/web/src/ui/theme.ts'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { ledgerOf, pendingDonation } from '../harness/donations/orders.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'
import type { Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS
const names = [
  'Low Tide',
  'Half Tide',
  'High Tide',
  'Neap',
  'Spring',
  'Ebb',
  'Flood',
  'Slack',
  'Bore',
  'Surge',
]
const tracks = names.map((name) => ({ name, hz: 440, seconds: 240 }))
const HOUR_MS = 3_600_000

const order = (id: string, name: string, hoursAgo: number, facts: Partial<DonationRecord> = {}) => {
  const createdAt = Date.now() - hoursAgo * HOUR_MS
  const song = { songId: `day/${name}.mp3`, songTitle: name, songArtist: `Artist of ${name}` }
  return pendingDonation(id, { ...song, reference: id, createdAt, paidAt: createdAt + 60_000, ...facts })
}
const refused = { status: 'paid_unqueued', queue: 'refused' } as const
const heard = (hoursAgo: number) =>
  ({ status: 'paid', queue: 'aired', airedAt: Date.now() - (hoursAgo - 0.2) * HOUR_MS }) as const

/** Orders of a week, and how each ended. */
async function fillOrders(station: Station) {
  const data = await station.openData()
  const orders = [
    order('ebb', 'Ebb', 20, { ...refused, refusedWhy: 'no_time', tier: 2, amountMinor: 100_00 }),
    order('gone', 'Gone', 6, { ...refused, refusedWhy: 'not_found', tier: 1 }),
    order('surge', 'Surge', 90, { ...heard(90), tier: 1 }),
    order('neap', 'Neap', 44, { ...heard(44), amountMinor: 200_00, tier: 3 }),
    order('bore', 'Bore', 30, {
      ...heard(30),
      currency: 'EUR',
      amountMinor: 7_50,
      provider: 'checkout_provider_2',
    }),
    order('slack', 'Slack', 28, { status: 'expired', paidAt: null }),
    order('flood', 'Flood', 26, { status: 'paid_back', queue: 'refused', tier: 1 }),
    order('half', 'Half Tide', 3, { ...heard(3), tier: 1 }),
    order('spring', 'Spring', 2, { status: 'failed', paidAt: null }),
  ]
  for (const one of orders) await data.donations.put(one)
  const [ebb] = orders as [DonationRecord]
  const story = [
    ['created', 0, ''],
    ['delivered', 55, 'matching_provider_1 2f6c'],
    ['claimed', 60, 'matching_provider_1 2f6c'],
    ['refused', 61, 'no_time'],
  ] as const
  for (const [event, second, note] of story)
    await data.ledger.insert({
      donationId: 'ebb',
      event,
      onceKey: `${event} ebb`,
      atMs: ebb.createdAt + second * 1000,
      note,
    })
  await data.close()
}

/** The custom properties of a theme. */
const coloursOf = (theme: keyof typeof themes) =>
  Object.fromEntries(
    Object.entries(themes[theme]).map(([name, colour]) => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      colour,
    ]),
  )

async function shoot(page: Page, name: string) {
  if (!shots) return
  for (const theme of ['day', 'night'] as const) {
    await page.evaluate(
      ([mode, colours]) => {
        document.documentElement.dataset.mode = mode
        for (const [property, colour] of Object.entries(colours))
          document.documentElement.style.setProperty(property, colour)
      },
      [theme, coloursOf(theme)] as const,
    )
    await page.screenshot({ path: join(shots, `${name}-${theme}.png`) })
  }
}

t.test('an operator has a paid song queued after all, closes an order, and sets the prices', async (t) => {
  const { env } = await openPaymentServices(t)
  const { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL } = env
  const donatello = { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL }
  const station = await prepare(
    t,
    { STREAM_MODE: 'false', DONATIONS_PROVIDER: 'donatello', ...donatello, ...SUPER_ADMIN },
    tracks,
  )
  await fillOrders(station)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  await page.locator('.queue-row').nth(3).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('d')

  const waiting = page.locator('.unqueued li')
  await waiting.nth(1).waitFor()
  await page.getByRole('row').nth(9).waitFor()
  t.same(await violations(page), [])
  t.same(await flaws(page), [])
  t.match(await page.locator('.orders-totals').innerText(), /€7\.50.*₴450/s)

  await waiting
    .first()
    .getByRole('button', { name: /Ebb — .*no time left/ })
    .click()
  const drawer = page.getByRole('dialog', { name: /Ebb/ })
  await drawer.locator('.timeline li').nth(3).waitFor()
  t.match(await drawer.locator('.timeline').innerText(), /Song ordered.*Donatello 2f6c.*no time left/s)
  t.same(await violations(page), [])
  await shoot(page, 'drawer')
  // 1280 × 1024 px at 400 %.
  await page.setViewportSize({ width: 320, height: 256 })
  const last = drawer.locator('.timeline li').last()
  await last.scrollIntoViewIfNeeded()
  t.ok(await isUncovered(last), 'at 400 % zoom neither the title nor the buttons lie over an order')
  t.same(await violations(page), [])
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })

  const gone = waiting.filter({ hasText: 'Gone' })
  await gone.getByRole('button', { name: /^Queue it now/ }).click()
  await gone.getByRole('alert').filter({ hasText: /song/i }).waitFor()
  t.pass('a refusal stays beside its order')

  await page.getByLabel(/Tiers/).check()
  await page.getByLabel('By the second').check()
  await page.getByLabel('Price of a second').fill('0.25')
  await page.locator('.price-preview li').nth(4).waitFor()
  t.same(await page.locator('.price-preview li b').allInnerTexts(), ['₴45', '₴90', '₴180', '₴360', '₴720'])
  await shoot(page, 'desktop')
  t.same(await violations(page), [])
  t.same(await flaws(page), [])
  await page.getByRole('button', { name: 'Save prices' }).click()
  await page.getByText('The longest song of the library costs ₴60').waitFor()

  await gone.getByRole('button', { name: /^Mark as paid back/ }).click()
  await gone.getByRole('button', { name: 'Yes, close the order' }).click()
  await gone.waitFor({ state: 'detached' })
  const data = await station.openData()
  t.teardown(() => data.close())
  t.same(
    (await ledgerOf(data, 'gone')).map(({ event, note }) => `${event} ${note}`),
    ['paid-back by admin'],
    'who paid back is in the ledger',
  )

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('tab', { name: 'Prices' }).click()
  await page.locator('.price-preview').waitFor()
  t.same(await violations(page), [])
  await shoot(page, 'phone-prices')
  await page.getByRole('tab', { name: 'Orders' }).click()
  await page.getByRole('row').nth(5).waitFor()
  t.same(await violations(page), [])
  t.same(await flaws(page), [])
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
  await shoot(page, 'phone')

  await page.keyboard.press('q')
  await page.locator('.unqueued').waitFor({ state: 'detached' })
  const admin = await adminAt(t, url)
  await until('the paid song is in the queue', async () => {
    const { items } = (await admin.ask('get_queue', { limit: 20 })) as { items: QueueItem[] }
    return items.some(({ title, orderType }) => title === 'Ebb' && orderType === 'donated')
  })
  t.pass('what was paid for is queued')
  t.same(
    complaints.filter((complaint) => !/40[149]|ERR_INTERNET_DISCONNECTED|WebSocket/.test(complaint)),
    [],
  )
})

/** Whether its middle is what one sees there. */
const isUncovered = (what: Locator) =>
  what.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2))
  })
