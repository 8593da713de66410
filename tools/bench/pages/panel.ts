import { link, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { launchChromium } from '../../../tests/harness/browser/chromium.ts'
import { SUPER_ADMIN } from '../../../tests/harness/people/admin.ts'
import type { Teardown } from '../../../tests/harness/processes/processes.ts'
import { builtPage } from '../../../tests/harness/processes/programs.ts'
import { prepareStation, type Station } from '../../../tests/harness/stations/station.ts'
import { fill, LIBRARY_TRACKS, track } from '../library/library.ts'

const CPU_SLOWDOWN = 4
const TURNS = 3
/** Time in which a page shows what an answer of the station changes. */
const SETTLE_MS = 500

/** The cost of one way to use the panel to its page. */
export interface PanelFigures {
  name: string
  /** From an input to the next paint, ms: of three in four inputs, and of the slowest. */
  p75Ms: number
  maxMs: number
  /** The longest frame, whatever caused it, ms: answers are drawn without an input. */
  frameMs: number
  /** CPU of the main thread for one turn, ms; the slow-down is in it. */
  cpuMs: number
}

/** Uses the panel of a station with 100 000 tracks in a browser whose CPU is slowed down. */
export async function* measurePanel(run: Teardown): AsyncGenerator<PanelFigures> {
  const settings = { STREAM_MODE: 'false', WEB_DIST: await builtPage(), LOG_LEVEL: 'warn', ...SUPER_ADMIN }
  const tones = ['a', 'b'].map((name) => ({ name, hz: 440, seconds: 600, isMono: true }))
  const station = await prepareStation(run, tones, { ...settings, LOG_LEVEL: 'info' })
  await fillStation(station)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])

  const browser = await launchChromium()
  run.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(watchInputs)
  await page.goto(`${url}/en/adlogin`)
  await page.getByLabel('Login').fill(SUPER_ADMIN.ADMIN_LOGIN)
  await page.getByLabel('Password').fill(SUPER_ADMIN.ADMIN_PASS)
  await page.keyboard.press('Enter')
  await page.locator('.queue-row').first().waitFor()
  const browserTools = await page.context().newCDPSession(page)
  await browserTools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await browserTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })

  for (const [name, use] of Object.entries(uses)) {
    // The first turn also fetches scripts and styles.
    await measure(page, browserTools, use, 1)
    yield { name, ...(await measure(page, browserTools, use, TURNS)) }
  }
}

type Use = (page: Page, turn: number) => Promise<void>

const partLink = (page: Page, id: string) => page.locator(`a[href$="/adpanel/${id}"]`).first()
const rows = (page: Page) => page.locator('.library [data-row]:not([data-hole])')

/** In the order in which they are made: each begins where the one before it ends. */
const uses: Record<string, Use> = {
  async 'searching a song on air'(page, turn) {
    await page.getByRole('searchbox').click()
    await page.keyboard.type(`song-${10 + turn}`, { delay: 60 })
    await page
      .getByRole('button', { name: /^Add to the queue/ })
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
  },
  async 'opening the library'(page) {
    await partLink(page, 'on-air').click()
    await partLink(page, 'library').click()
    await rows(page).first().waitFor()
  },
  async 'typing in its search'(page, turn) {
    await page.getByRole('searchbox').click()
    await page.keyboard.type(`song-${10 + turn}`, { delay: 60 })
    await page.waitForTimeout(SETTLE_MS)
    await page.keyboard.press('Escape')
  },
  async 'a facet, and back'(page) {
    for (const _ of ['on', 'off']) {
      await page.locator('.lib-chip').nth(1).click()
      await page.waitForTimeout(SETTLE_MS)
    }
  },
  async 'another order, and back'(page) {
    for (const name of ['Title', 'Artist']) {
      await page.locator('.table-head button', { hasText: name }).first().click()
      await page.waitForTimeout(SETTLE_MS)
    }
  },
  async 'choosing rows with Shift'(page) {
    await rows(page)
      .nth(1)
      .click({ modifiers: ['Control'], position: { x: 300, y: 20 } })
    await rows(page)
      .nth(12)
      .click({ modifiers: ['Shift'], position: { x: 300, y: 20 } })
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Escape')
  },
  async 'choosing 20 000 rows with Ctrl A'(page) {
    await rows(page)
      .nth(1)
      .click({ modifiers: ['Control'], position: { x: 300, y: 20 } })
    await page.keyboard.press('Control+a')
    await page.getByText(/20,000 selected/).waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Escape')
  },
  async 'scrolling with the wheel'(page) {
    await page.mouse.move(700, 600)
    for (let i = 0; i < 20; i++) await page.mouse.wheel(0, 1500)
  },
  async 'scrolling to the middle and back'(page) {
    for (const part of [0.5, 0]) {
      await page.evaluate((part) => scrollTo(0, document.documentElement.scrollHeight * part), part)
      await page.waitForTimeout(SETTLE_MS)
    }
  },
  async 'opening a track'(page, turn) {
    await rows(page)
      .nth(2 + turn)
      .click({ position: { x: 300, y: 20 } })
    await page.getByRole('dialog').getByRole('tab').first().waitFor()
    await page.waitForTimeout(SETTLE_MS)
    await page.keyboard.press('Escape')
  },
  async 'the palette'(page, turn) {
    await page.keyboard.press('Control+k')
    await page.keyboard.type(`song-${10 + turn}`, { delay: 60 })
    await page.getByRole('option').nth(3).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
  },
  async 'going through all parts'(page) {
    for (const id of ['on-air', 'add', 'sounds', 'programme', 'history', 'station', 'me', 'library']) {
      if (!(await partLink(page, id).count())) continue
      await partLink(page, id).click()
      await page.waitForTimeout(SETTLE_MS)
    }
  },
}

interface Seen {
  inputs: { id: number; ms: number }[]
  frameMs: number
}

/** Notes what each input and each frame took. */
function watchInputs(): void {
  const seen: Seen = { inputs: [], frameMs: 0 }
  Object.assign(window, { seen })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId: number })[])
      if (entry.interactionId) seen.inputs.push({ id: entry.interactionId, ms: entry.duration })
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.frameMs = Math.max(seen.frameMs, duration)
  }).observe({ type: 'long-animation-frame' })
}

async function measure(
  page: Page,
  tools: CDPSession,
  use: Use,
  turns: number,
): Promise<Omit<PanelFigures, 'name'>> {
  const seen = () => page.evaluate(() => (window as unknown as { seen: Seen }).seen)
  await page.evaluate(() =>
    Object.assign((window as unknown as { seen: Seen }).seen, { inputs: [], frameMs: 0 }),
  )
  const before = await cpuMs(tools)
  for (let turn = 0; turn < turns; turn++) {
    await use(page, turn)
    await page.waitForTimeout(SETTLE_MS)
  }
  const spentMs = (await cpuMs(tools)) - before
  const { inputs, frameMs } = await seen()
  // A press and its click are one interaction; the slowest of its events counts. Those under 16 ms are not told.
  const byId = new Map<number, number>()
  for (const { id, ms } of inputs) byId.set(id, Math.max(ms, byId.get(id) ?? 0))
  const all = [...byId.values()].sort((a, b) => a - b)
  return {
    p75Ms: all[Math.floor(all.length * 0.75)] ?? 0,
    maxMs: all.at(-1) ?? 0,
    frameMs,
    cpuMs: spentMs / turns,
  }
}

async function cpuMs(tools: CDPSession): Promise<number> {
  const { metrics } = await tools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
}

/** Fills its library; all tracks of a mode are links to one file. */
export async function fillStation(station: Station, size = LIBRARY_TRACKS): Promise<void> {
  const tracks = Array.from({ length: size }, (_, i) => ({ ...track(i), duration: 600 }))
  const data = await station.openData()
  await fill(data, tracks)
  await data.close()
  const pathOf = (key: string) => join(station.env.MEDIA_DIR!, 'music', key)
  const tones = { day: pathOf('day/a.mp3'), night: pathOf('night/b.mp3') }
  await mkdir(dirname(tones.night), { recursive: true })
  await rename(pathOf('day/b.mp3'), tones.night)
  for (let from = 0; from < tracks.length; from += 500)
    await Promise.all(
      tracks.slice(from, from + 500).map(({ storageKey, mode }) => link(tones[mode], pathOf(storageKey))),
    )
}
