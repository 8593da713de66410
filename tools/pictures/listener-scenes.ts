import type { BrowserContextOptions, Page } from 'playwright-core'
import type { View } from './camera.ts'

/** A state of the listener's page, for looking at; none of these pictures belongs to the documents. */
export interface ListenerScene {
  /** Where it looks different; everywhere by default. */
  views?: View[]
  screen?: BrowserContextOptions
  /** Preferences of the device. */
  stored?: Record<string, string>
  /** Added to the address. */
  query?: string
  /** Prepares the network. */
  before?(page: Page): Promise<unknown>
  /** Without it the page is as it was when it arrived. */
  act?(page: Page, view: View): Promise<unknown>
}

/** An order of a page that never existed: the station's answers about it are invented. */
const ORDER = '7f1c2a90-51f4-4e6e-9d5e-2f3f6f2f0b11'

const most: View[] = ['desktop', 'tablet', 'phone', 'small']

async function listen(page: Page): Promise<void> {
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await page.waitForTimeout(4_000)
}

/** Opens the sheet of an item of the menu. @param n its place among those that all screens have */
const fromMenu = (n: number) => async (page: Page) => {
  await page.locator('.menu > button').click()
  await page.locator('.menu-items li:not(.only-narrow) .menu-item').nth(n).click()
  await page.locator('dialog[open]').waitFor()
  await page.waitForTimeout(800)
}

async function request(page: Page): Promise<void> {
  await page.locator('section:has(#request) .request-summary .button').click()
  await page.locator('dialog .track-text').nth(3).waitFor()
  await page.waitForTimeout(800)
}

/** The two ways to hear a song that is not queued. */
async function ways(page: Page): Promise<void> {
  await request(page)
  await page.locator('dialog .tracks li button').nth(2).click()
  await page.locator('dialog.donate .way').nth(1).waitFor()
  await page.locator('dialog.donate [name=tier], dialog.donate .single').first().waitFor()
  await page.waitForTimeout(500)
}

/** Answers as a station whose donors paste a code. */
async function payByCode(page: Page): Promise<void> {
  const expiresAt = Date.now() + 14 * 60_000
  await page.route('**/api/public/donations/tiers*', (route) =>
    route.fulfill({
      json: {
        ...{ currency: 'UAH', pricingMode: 'fixed', flowType: 'matching', chattingBlocked: false },
        ...{ tiersEnabled: true, tiers: [1, 2, 3].map((tier) => ({ tier, price: 25 * 2 ** tier })) },
      },
    }),
  )
  await page.route('**/api/public/donations/create', (route) =>
    route.fulfill({
      json: {
        donationId: ORDER,
        flowType: 'matching',
        pageUrl: 'https://pay.example/solstice',
        matchCode: 'K7RW2P',
        amount: 50,
        currency: 'UAH',
        expiresAt,
      },
    }),
  )
  await page.route('https://pay.example/**', (route) => route.fulfill({ body: 'Pay here' }))
  await statusIs(page, { status: 'pending', matchCode: 'K7RW2P', expiresAt })
}

const statusIs = (page: Page, facts: object) =>
  page.route('**/api/public/donations/*/status', (route) =>
    route.fulfill({ json: { tier: 1, matchCode: null, expiresAt: null, airsAt: null, ...facts } }),
  )

async function pay(page: Page): Promise<void> {
  await ways(page)
  await page.locator('dialog.donate .way').nth(1).locator('.button').click()
  await page.locator('dialog output').waitFor()
  await page.waitForTimeout(500)
}

/** A donor who comes back from a checkout. */
const returned = (facts: object): ListenerScene => ({
  views: ['desktop', 'phone'],
  query: `?donation=${ORDER}`,
  before: (page) => statusIs(page, facts),
  async act(page) {
    await page.locator('dialog.donate [role=status]').first().waitFor()
    await page.waitForTimeout(1_500)
  },
})

const streamAnswers =
  (status: number): ListenerScene['before'] =>
  (page) =>
    page.route(/\/api\/(?:stream|hls)/, (route) => (status ? route.fulfill({ status }) : route.abort()))

const silent = async (page: Page) => {
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=retrying]').waitFor()
  await page.waitForTimeout(800)
}

/** States that come by day and by night. */
export const listenerScenes: Record<string, ListenerScene> = {
  arrival: { views: [...most, 'wide', 'zoomed'] },
  playing: { views: [...most, 'wide'], act: listen },
  whole: {
    views: ['phone', 'tablet'],
    async act(page) {
      await listen(page)
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
      await page.waitForTimeout(800)
    },
  },
  menu: {
    views: ['desktop', 'small'],
    act: (page) => page.locator('.menu > button').click(),
  },
  roster: { views: ['desktop', 'small'], act: (page) => page.locator('.roster > button').click() },
  history: { views: ['desktop', 'phone'], act: fromMenu(0) },
  kept: { views: ['phone'], act: fromMenu(1) },
  sleep: { views: ['phone'], act: fromMenu(2) },
  preferences: {
    views: ['desktop', 'phone'],
    async act(page) {
      await page.locator('.menu > button').click()
      await page.locator('.menu-items li:not(.only-narrow) .menu-item').last().click()
      await page.locator('dialog.preferences').waitFor()
      await page.waitForTimeout(800)
    },
  },
  cover: {
    views: ['desktop', 'phone'],
    async act(page) {
      await page.locator('.cover-button').click()
      await page.locator('dialog img').waitFor()
      await page.waitForTimeout(1_500)
    },
  },
  lyrics: {
    views: ['desktop', 'phone', 'wide'],
    async act(page) {
      await listen(page)
      await page.keyboard.press('l')
      await page.locator('.lines, dialog .nothing').first().waitFor()
      await page.waitForTimeout(6_000)
    },
  },
  request: { views: most, act: request },
  ways: { views: [...most, 'zoomed'], act: ways },
  code: { views: most, before: payByCode, act: pay },
  checking: returned({ status: 'pending' }),
  paid: returned({ status: 'paid', airsAt: Date.now() + 11 * 60_000 }),
  failed: returned({ status: 'failed' }),
  refused: returned({ status: 'paid_unqueued' }),
  expired: returned({ status: 'expired', matchCode: 'K7RW2P', expiresAt: 1 }),
  'not-ready': { views: ['desktop', 'phone', 'small'], before: streamAnswers(503), act: silent },
  lost: { views: ['desktop', 'phone', 'small'], before: streamAnswers(0), act: silent },
  offline: {
    views: ['desktop', 'phone', 'small'],
    async act(page) {
      await page.context().setOffline(true)
      await page.locator('.notice [role=alert], .notice[role=alert]').first().waitFor()
      await page.waitForTimeout(1_500)
    },
  },
  'large-text': { views: ['desktop', 'phone', 'small'], stored: { radio_text_size: '200' } },
  'large-ways': { views: ['phone'], stored: { radio_text_size: '200' }, act: ways },
  forced: { views: ['desktop', 'phone'], screen: { forcedColors: 'active' }, act: listen },
  'forced-ways': { views: ['phone'], screen: { forcedColors: 'active' }, act: ways },
  accent: { views: ['desktop'], stored: { radio_accent: 'cover' }, act: listen },
}

/** States while hosts talk. */
export const talkScenes: Record<string, ListenerScene> = {
  talk: { views: [...most, 'wide'], act: listen },
  'talk-roster': { views: ['small'], act: (page) => page.locator('.roster > button').click() },
}
