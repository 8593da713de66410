import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { violations } from '../../tests/harness/browser/axe.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import { root } from '../../tests/harness/processes/processes.ts'
import { look, openPage, tooWide, type View, views } from './camera.ts'
import { RECORDED_DAY } from './monitoring.ts'
import type { Wish } from './panel.ts'
import { ADMIN, SITE, type Stage } from './station.ts'

/** A state of the panel, for looking at; none of these pictures belongs to the documents. */
interface State {
  /** Below `/adpanel/`. */
  at: string
  /** A helper instead of the super admin. */
  helper?: string
  /** Prepares the network. */
  before?(page: Page): Promise<unknown>
  act?(page: Page, view: View): Promise<unknown>
}

/** Takes the states of the panel; returns what is wrong with them, axe's objections included. */
export async function takeStates(browser: Browser, stage: Stage, wish: Wish): Promise<string[]> {
  const chosen = Object.entries(states(stage.song)).filter(
    ([name]) => wish.only.length === 0 || wish.only.includes(name),
  )
  const wrong: string[] = []
  for (const [name, state] of chosen) {
    const token = state.helper ? await logIn(stage.url, state.helper, ADMIN.password) : stage.token
    for (const view of wish.views)
      for (const theme of wish.looks) {
        const page = await openPage(browser, views[view], { admin_theme: theme }, token)
        const picture = `panel-${name}-${view}-${theme}-${wish.locale}`
        page.on('pageerror', ({ message }) => wrong.push(`${picture}: ${message}`))
        wrong.push(...(await shoot(page, state, { picture, view, locale: wish.locale })))
        await page.context().close()
      }
  }
  return wrong
}

async function shoot(
  page: Page,
  state: State,
  { picture, view, locale }: { picture: string; view: View; locale: Wish['locale'] },
): Promise<string[]> {
  const wrong: string[] = []
  try {
    await state.before?.(page)
    await page.goto(`${SITE}${locale === 'uk' ? '' : '/en'}/adpanel/${state.at}`)
    await page.locator('.panel').waitFor()
    await page.waitForTimeout(2_000)
    await state.act?.(page, view)
    await page.waitForTimeout(600)
    wrong.push(...(await tooWide(page)).map((name) => `${picture}: ${name} is too wide`))
    await look(page, picture)
    wrong.push(...(await violations(page)).map((violation) => `${picture}: ${violation}`))
  } catch (error) {
    wrong.push(`${picture}: ${(error as Error).message.split('\n')[0]}`)
  }
  return wrong
}

const ANSWERS = /\/api\/admin\/(?!verify|login|self)/
const PLAYLIST = 'https://video.example/playlist?list=PL7'
const any = join(root, 'docs/screenshots/share.png')

const click =
  (selector: string, n = 0) =>
  (page: Page) =>
    page.locator(selector).nth(n).click()
const tab = (n: number) => click('.drawer [role=tab]', n)

/** Nothing that is read arrives. */
const hang = (page: Page) =>
  page.route(ANSWERS, (route) => (route.request().method() === 'GET' ? undefined : route.continue()))
/** Everything that is read is refused. */
const fail = (page: Page) =>
  page.route(ANSWERS, (route) =>
    route.request().method() === 'GET' ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  )

const videos = async (page: Page) => {
  const tracks = [
    'Window Weather (live at the harbour, all of the evening)',
    'Дорога додому',
    'Lantern Street',
  ]
  const listed = tracks.map((title, i) => ({ url: `${PLAYLIST}&i=${i}`, title, duration: 200 + i }))
  await page.route(/videodown-status/, (route) =>
    route.fulfill({ json: { available: true, videodownAvailable: true, ffmpegAvailable: true } }),
  )
  await page.route(/video-track-info/, (route) =>
    route.fulfill({ json: { tracks: listed, total: 140, truncated: true } }),
  )
}

/** Chooses two rows of the library, whose bar then has its buttons. */
async function choose(page: Page): Promise<void> {
  const boxes = page.locator('.library [data-row] .lib-choose input')
  const rows = page.locator('.library [data-row]:not([data-hole])')
  if (await boxes.count()) {
    for (const n of [2, 3]) await boxes.nth(n).click()
    return
  }
  // On a phone a row is held.
  const box = (await rows.nth(2).boundingBox())!
  await page.mouse.move(box.x + 90, box.y + 20)
  await page.mouse.down()
  await page.waitForTimeout(900)
  await page.mouse.up()
}

const lists = { queue: 'on-air', library: 'library', programme: 'programme', donations: 'donations' }
const moreLists = { history: 'history', alarms: 'watch', helpers: 'station?tab=helpers', sounds: 'sounds' }

function states(song: string): Record<string, State> {
  const drawer = `library?sel=${encodeURIComponent(song)}`
  const every = Object.entries({ ...lists, ...moreLists })
  const bulk = (n: number) => async (page: Page) => {
    await choose(page)
    await page.locator('.bulk-actions .button').nth(n).click()
  }
  return {
    ...Object.fromEntries(every.map(([name, at]) => [`${name}-waits`, { at, before: hang }])),
    ...Object.fromEntries(every.map(([name, at]) => [`${name}-failed`, { at, before: fail }])),
    ...Object.fromEntries(every.map(([name, at]) => [`${name}-refused`, { at, helper: 'ihor' }])),
    'tags-refused': { at: drawer, helper: 'ihor' },
    'tags-wrong': {
      at: drawer,
      act: async (page) => {
        await page.locator('.drawer input').nth(3).fill('x')
        await page.locator('.drawer-actions .primary').click()
      },
    },
    'lyrics-text': {
      at: drawer,
      act: async (page) => {
        await tab(1)(page)
        await click('.lyrics-tools [aria-expanded]')(page)
      },
    },
    crop: {
      at: 'station?tab=artwork',
      act: (page) => page.locator('.portrait input').first().setInputFiles(any),
    },
    'library-nothing': { at: 'library?q=zzzz' },
    'library-bulk': { at: 'library', act: choose },
    'library-lyrics': { at: 'library', act: bulk(1) },
    'library-delete': { at: 'library', act: bulk(4) },
    'video-link-wrong': {
      at: 'add?from=links',
      before: videos,
      act: (page) => page.locator('.add-links input').first().fill('nonsense'),
    },
    'video-links': {
      at: 'add?from=links',
      before: videos,
      act: async (page) => {
        await page.locator('.add-links input').first().fill(PLAYLIST)
        await click('.add-links .primary')(page)
        await page.locator('.add-list').waitFor()
        await click('.add-cookies summary')(page)
      },
    },
    'group-drawer': { at: 'programme?view=blocks', act: click('.blocks-head .button') },
    'order-sure': { at: 'donations', act: click('.order-decide .plain') },
    'audit-open': { at: 'history?tab=audit', act: click('.audit-details summary', 6) },
    'webhook-new': { at: 'watch?tab=webhooks', act: click('.hooks-tools .button') },
    'cut-drawer': {
      at: `watch?tab=aircheck&date=${RECORDED_DAY}&time=13:32:00`,
      act: click('.aircheck-line .text-button', 3),
    },
    'helper-new': { at: 'station?tab=helpers', act: click('.station-tools .button') },
    'helper-sessions': { at: 'station?tab=helpers', act: click('.helpers-actions .plain') },
    more: {
      at: 'on-air',
      act: (page, view) =>
        view === 'desktop' || view === 'tablet' || view === 'wide'
          ? Promise.resolve()
          : click('.bottom-bar li:last-child button')(page),
    },
  }
}
