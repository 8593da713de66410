import type { Page } from 'playwright-core'
import type { View } from './camera.ts'
import { RECORDED_DAY, WEBHOOK } from './monitoring.ts'

/** A state of the panel: its address, and what is done there before the picture is taken. */
export interface Scene {
  /** Below `/adpanel/`. */
  at: string
  /** Seen when it is there. */
  ready: string
  /** Without the alerts that the alarms, orders and webhooks of other scenes bring. */
  isCalm?: boolean
  act?(page: Page, view: View): Promise<unknown>
  /** Pictures in the documents: of all looks on all screens; only by day on a desktop; or that, and by night on a phone. */
  published: 'all' | 'desktop' | 'some'
}

const isWide = (view: View) => view === 'desktop'
const drawerTab =
  (n: number, ready: string) =>
  async (page: Page): Promise<void> => {
    await page.locator('.drawer [role=tab]').nth(n).click()
    await page.locator(ready).first().waitFor()
  }
/** Resolves when the waveforms in sight are drawn. */
const drawn = (page: Page) =>
  page
    .waitForFunction(() => document.querySelectorAll('main .waveform path, main .waveform rect').length > 0)
    .catch(() => {})

/** Every part of the panel, its sub pages and its layers. @param song in the drawer @param files are added */
export const scenes = (song: string, order: string, files: string[]): Record<string, Scene> => {
  const drawer = { at: `library?sel=${encodeURIComponent(song)}`, ready: '.drawer [role=tab]' }
  return {
    'on-air': {
      at: 'on-air',
      isCalm: true,
      ready: '.queue-row',
      published: 'all',
      async act(page, view) {
        if (!isWide(view)) return
        await page.keyboard.press('/')
        await page.keyboard.type('pa')
        await page.locator('.found button').first().waitFor()
      },
    },
    requests: { at: 'on-air?view=inbox', ready: '.air-part', isCalm: true, published: 'some' },
    library: {
      at: 'library',
      ready: '.library [data-row]:not([data-hole])',
      published: 'all',
      async act(page, view) {
        if (!isWide(view)) return
        const rows = page.locator('.library [data-row]')
        for (const n of [2, 3, 5])
          await rows.nth(n).click({ modifiers: ['Control'], position: { x: 300, y: 20 } })
      },
    },
    track: { ...drawer, act: drawerTab(1, '.drawer .line-text, .drawer [class*=line]'), published: 'all' },
    tags: { ...drawer, published: 'some' },
    sound: { ...drawer, act: drawerTab(2, '.drawer input'), published: 'some' },
    artwork: { ...drawer, act: drawerTab(3, '.drawer img'), published: 'some' },
    record: { ...drawer, act: drawerTab(4, '.drawer dl'), published: 'some' },
    add: {
      at: 'add',
      ready: '.part-area input[type=file]',
      published: 'all',
      async act(page) {
        await page.locator('.part-area input[type=file]').first().setInputFiles(files)
        await page.waitForTimeout(4_000)
      },
    },
    sounds: { at: 'sounds', ready: 'main li, main [data-row]', published: 'all', act: drawn },
    phrases: { at: 'sounds?kind=phrases', ready: 'main li, main [data-row]', published: 'some', act: drawn },
    programme: { at: 'programme', ready: '.algorithms', published: 'all', act: forecast },
    'next-hour': {
      at: 'programme?view=clips',
      ready: 'main fieldset, main input[type=checkbox]',
      published: 'some',
      async act(page) {
        await page
          .getByLabel('Play jingles between songs')
          .check()
          .catch(() => {})
        await forecast(page)
      },
    },
    groups: {
      at: 'programme',
      ready: '.artist-card',
      published: 'some',
      act: (page) => page.locator('.board').evaluate((board) => board.scrollIntoView({ block: 'center' })),
    },
    'song-groups': { at: 'programme?view=blocks', ready: '.part-area h2, .part-area li', published: 'some' },
    moderation: { at: 'live?view=moderation', ready: '.part-area h2', published: 'some' },
    donations: { at: 'donations', ready: '.order-decide .button', published: 'all' },
    order: { at: `donations?sel=${order}`, ready: '.drawer', published: 'some' },
    prices: { at: 'donations?view=prices', ready: '.prices', published: 'some' },
    history: { at: 'history', ready: '.part-area [data-row]:not([data-hole])', published: 'all' },
    statistics: { at: 'history?tab=statistics', ready: '.part-area [data-row]', published: 'some' },
    audit: { at: 'history?tab=audit', ready: '.part-area li', published: 'some' },
    watch: { at: 'watch', ready: '.alarm', published: 'all' },
    aircheck: {
      at: `watch?tab=aircheck&date=${RECORDED_DAY}&time=13:32:00`,
      ready: '.aircheck-line',
      published: 'all',
    },
    webhooks: { at: `watch?tab=webhooks&sel=${WEBHOOK}`, ready: '.hook-message', published: 'desktop' },
    branding: { at: 'station', ready: '.part-area input', published: 'some' },
    images: {
      at: 'station?tab=artwork',
      ready: '.portrait img',
      published: 'some',
      act: (page) => page.waitForLoadState('networkidle').catch(() => {}),
    },
    station: { at: 'station?tab=helpers', ready: '.part-area button', published: 'all' },
    jobs: { at: 'station?tab=jobs', ready: '.part-area li, .part-area table', published: 'some' },
    links: { at: 'station?tab=links', ready: '.part-area svg', published: 'some' },
    player: {
      at: 'station?tab=links',
      ready: 'solstice-player, .part-area iframe',
      published: 'desktop',
      async act(page) {
        await page.getByText('Card', { exact: true }).click()
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
        await page.waitForTimeout(1_000)
      },
    },
    'set-up': { at: 'station?tab=set-up', ready: '.part-area dl, .part-area li', published: 'some' },
    me: { at: 'me', ready: '.part-area li', published: 'all' },
    palette: {
      at: 'on-air',
      isCalm: true,
      ready: '.queue-row',
      published: 'some',
      async act(page) {
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox').fill('pa')
        await page.getByRole('option').nth(3).waitFor()
      },
    },
    keys: {
      at: 'on-air',
      isCalm: true,
      ready: '.queue-row',
      published: 'desktop',
      act: (page) => page.keyboard.press('?'),
    },
    mode: {
      at: 'on-air',
      isCalm: true,
      ready: '.queue-row',
      published: 'desktop',
      act: (page) => page.locator('.strip-mode').click(),
    },
  }
}

/** Resolves when the next hour is shown where it has room. */
const forecast = (page: Page) =>
  page
    .locator('.forecast li, .forecast-row, [class*=forecast] li')
    .nth(3)
    .waitFor({ timeout: 8_000 })
    .catch(() => {})
