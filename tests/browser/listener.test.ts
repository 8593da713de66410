import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mode } from '@solstice/contracts'
import type { OnAir } from '@solstice/playout'
import { trackRef } from '@solstice/station'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { makeTone } from '../harness/audio/audio.ts'
import { violations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/browser.ts'
import { legibility, type Region } from '../harness/browser/legibility.ts'
import { holdTurn, watchTurns } from '../harness/browser/turns.ts'
import { builtPage } from '../harness/processes/programs.ts'
import { openApp } from '../harness/stations/app.ts'

const SONG_S = 240
/** Texts in large and in small type, on the sky, on the ground and on the sun. */
const TEXTS = ['.name', '.languages', '.kicker', '.title', '.byline b', '.byline span', '.listen', '#next']
const MOMENTS = 8
const TURN_MS = 3000
const MIN_CONTRAST = 4.5
/** Pixels per CSS pixel: with fewer, thin letters are paler than their colour. */
const SCALE = 2
const LONG_TITLE = 'Antidisestablishmentarianism'.repeat(8).slice(0, 200)

t.test('the listener’s page', async (t) => {
  const station = await openApp(t, { STREAM_MODE: 'false', WEB_DIST: await builtPage() })
  const { app, ports, addTrack, folder } = station
  const path = join(folder, 'tone.mp3')
  await makeTone(path, { hz: 440, seconds: SONG_S, isMono: true })
  const sound = await readFile(path)
  const facts = { album: 'Tidal Notes', year: 2019, duration: SONG_S }
  const [low, long] = await Promise.all([
    addTrack('day/Low Tide.mp3', sound, facts),
    addTrack('day/Long.mp3', sound, { ...facts, title: LONG_TITLE, artist: LONG_TITLE }),
  ])
  const put = (phase: OnAir['phase'] = 'track', mode: Mode = 'day', track = low) => {
    const ref = { ...trackRef(track), durationMs: SONG_S * 1000 }
    const entry = { entryId: 'e', track: ref, orderType: null, tier: null }
    const nowMs = ports.clock.nowMs()
    const background = { entryId: 'b', clip: null, startedAtMs: nowMs }
    const onAir: OnAir =
      phase === 'chat'
        ? { phase, sinceMs: nowMs, entry: null, interrupted: null, background, modeAsOfMs: nowMs }
        : phase === 'preparing'
          ? { phase, target: mode, sinceMs: nowMs, notBeforeMs: nowMs }
          : { phase: 'track', entry, startedAtMs: nowMs }
    const playlist = { entries: [entry, entry], index: 0, repeats: false }
    return putOnAir(station, { mode, nightMode: true, onAir, playlist })
  }
  await put()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { page, complaints } = await visit(t, `${url}/en/`, { deviceScaleFactor: SCALE })
  await page.locator('.byline b').waitFor()

  await t.test('is used by keyboard alone, without a fault that axe finds', (t) => walkByKeyboard(t, page))
  await t.test('has no fault in any state', async (t) => {
    await put('chat')
    await page.getByRole('heading', { name: 'Just chatting' }).waitFor()
    t.same(await violations(page), [], 'hosts talk')
    await put('preparing')
    await page.getByRole('heading', { name: 'Preparing' }).waitFor()
    t.same(await violations(page), [], 'preparing')
    await page.waitForFunction(() => document.querySelector('.elapsed')!.textContent === '')
    t.pass('no time of a song that is over')
    await put()
    await page.getByRole('heading', { name: low.title }).waitFor()
  })
  await t.test('keeps its horizon and controls in place whatever the title', async (t) => {
    const places = () =>
      page.evaluate(() =>
        ['.horizon', '.controls', '.lists'].map((name) => {
          const { top, height } = document.querySelector(name)!.getBoundingClientRect()
          return Math.round(name === '.lists' ? top : top + height)
        }),
      )
    for (const [width, height] of [
      [390, 844],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height })
      const before = await places()
      await put('track', 'day', long)
      await page.getByRole('heading', { name: LONG_TITLE }).waitFor()
      t.same(await places(), before, `${width} px`)
      t.notOk(await isCutOff(page), 'and nothing is pushed aside')
      await put()
      await page.getByRole('heading', { name: low.title }).waitFor()
    }
  })
  await t.test('fits the narrowest window, 400 % zoom and letters of double size', (t) =>
    fitAnywhere(t, page),
  )
  await t.test('opens a song and a day by their address, keeps favourites, and goes to sleep', (t) =>
    openPlaces(t, page, `${url}/en`, low.title),
  )
  await t.test('turns from day to night with every text legible at every moment', async (t) => {
    const { page: paper } = await visit(t, 'about:blank')
    const arrive = async (mode: Mode) => {
      await put('track', mode)
      await page.reload()
      // The first mode that a page learns is no turn; whoever listens is shown by a page that has learned it.
      await page.locator('.roster button').waitFor()
    }
    for (const [from, to, width, height] of [
      ['day', 'night', 1280, 800],
      ['night', 'day', 390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      await arrive(from)
      await holdTurn(
        page,
        () => put('track', to),
        () => arrive(from),
      )
      for (let i = 0; i <= MOMENTS; i++) {
        await page.evaluate(
          (atMs) => {
            for (const animation of document.getAnimations()) animation.currentTime = atMs
          },
          (i * TURN_MS) / MOMENTS,
        )
        const regions = await textsOf(page)
        const picture = await page.screenshot({ animations: 'allow' })
        const read = await legibility(paper, picture, regions, SCALE)
        t.same(
          read.filter(({ contrast }) => contrast < MIN_CONTRAST),
          [],
          `${to} on ${width} px, moment ${i} of ${MOMENTS}`,
        )
        t.ok(new Set(read.map(({ name }) => name)).size > TEXTS.length / 2, 'most of the texts are read')
      }
    }
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await arrive('day')
    await watchTurns(page)
    await put('track', 'night')
    await page.locator('html[data-mode=night]').waitFor()
    t.equal(await page.locator('html[data-turn]').count(), 0, 'a cut for those who want no motion')
  })
  t.same(complaints, [], 'the browser has nothing to complain of')
  await t.test('says so when it breaks', async (t) => {
    await page.evaluate(() => {
      const PluralRules = () => {
        throw new Error('sabotage')
      }
      Object.assign(Intl, { PluralRules })
    })
    await page.locator('.roster button').click()
    await page.getByRole('heading', { name: 'This page has broken.' }).waitFor()
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.locator('.listen').waitFor()
  })
})

async function walkByKeyboard(t: Test, page: Page): Promise<void> {
  const press = (key: string) => page.keyboard.press(key)
  const focused = (selector: string) => page.locator(`${selector}:focus`).waitFor()
  const sheet = page.locator('dialog[open]')
  t.same(await violations(page), [], 'before joining')
  await tabTo(page, '.listen')
  await press('Enter')
  await focused('.play')
  await page.locator('.horizon[data-sound=playing]').waitFor()
  t.same(await violations(page), [], 'playing')
  await tabTo(page, '.volume input', 'Shift+Tab')
  const level = () => page.locator('.volume input').inputValue()
  const before = Number(await level())
  await press('ArrowLeft')
  t.ok(Number(await level()) < before, 'volume')

  await tabTo(page, '.roster button', 'Shift+Tab')
  await press('Enter')
  await page.locator('.roster-list').waitFor()
  t.same(await violations(page), [], 'roster')
  await press('Escape')
  await focused('.roster button')
  await press('Enter')
  await tabTo(page, '.languages a')
  await page.locator('.roster-list').waitFor({ state: 'detached' })
  t.pass('the roster closes when the focus leaves it')

  for (const name of ['Lyrics', 'Request a song']) {
    await tabTo(page, `.tool[title="${name}"]`)
    await press('Enter')
    await sheet.waitFor()
    await page.locator('dialog [role=status]').first().waitFor()
    t.same(await violations(page), [], name)
    await press('Escape')
    // A sheet that is still closing would take the focus back.
    await sheet.waitFor({ state: 'detached' })
    await focused(`.tool[title="${name}"]`)
  }
  await tabTo(page, '.menu button', 'Shift+Tab')
  await press('Enter')
  // Above the languages.
  await tabTo(page, 'li:nth-last-child(2) > .menu-item')
  t.same(await violations(page), [], 'menu')
  await press('Enter')
  await sheet.waitFor()
  t.same(await violations(page), [], 'preferences')
  await tabTo(page, '[name=letter-keys]')
  await press('ArrowRight')
  await press('Escape')
  await sheet.waitFor({ state: 'detached' })
  for (const key of ['l', 'r', '/']) await press(key)
  t.equal(await sheet.count(), 0, 'letters that are turned off do nothing')

  for (const lang of ['uk', 'en']) {
    await tabTo(page, `.languages [lang=${lang}]`, 'Shift+Tab')
    await press('Enter')
    await page.locator(`html[lang=${lang}]`).waitFor()
    await page.locator('.play').waitFor()
  }
}

/** Moves the focus until it is on such an element. @throws when a whole round of the page doesn't find one. */
async function tabTo(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press(key)
    const isThere = await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)
    if (isThere) return
  }
  throw new Error(`${selector} is not reached by ${key}`)
}

/** True when something stands outside the window. */
const isCutOff = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll('dialog[open]')]
    const panels = Array.from(document.querySelectorAll('.popover-panel'), (box) =>
      box.getBoundingClientRect(),
    )
    return (
      boxes.some(({ scrollWidth }) => scrollWidth > innerWidth) ||
      panels.some(({ left, right }) => left < 0 || right > innerWidth)
    )
  })

async function fitAnywhere(t: Test, page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 })
  t.notOk(await isCutOff(page), '320 px')
  t.ok((await page.locator('.name').boundingBox())!.width > 60, 'the name of the station has its room')
  await page.locator('.roster button').click()
  await page.locator('.roster-list').waitFor()
  t.notOk(await isCutOff(page), 'the roster lies within the window')
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')

  await page.setViewportSize({ width: 320, height: 200 })
  t.notOk(await isCutOff(page), '400 % of 1280 px')
  // A reload restores the place that the page was scrolled to.
  await page.evaluate(() => scrollTo(0, 0))
  await page.reload()
  // A pointer of the test would scroll to the button first.
  await page.locator('.listen').evaluate((button: HTMLElement) => button.click())
  await page.locator('.play:focus').waitFor()
  t.equal(await page.evaluate(() => scrollY), 0, 'joining does not scroll the title away')

  await page.setViewportSize({ width: 390, height: 844 })
  const fontSize = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize))
  const before = await fontSize()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Preferences' }).click()
  await page.getByRole('radio', { name: '200 %' }).check({ force: true })
  t.equal(await fontSize(), 2 * before)
  t.notOk(await isCutOff(page), 'letters of double size')
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('.listen').waitFor()
  t.equal(await fontSize(), 2 * before, 'remembered')
  t.notOk(await isCutOff(page))
  await page.evaluate(() => localStorage.removeItem('radio_text_size'))
}

async function openPlaces(t: Test, page: Page, home: string, title: string): Promise<void> {
  const dialog = page.locator('dialog[open]')
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('.menu-item', { hasText: item }).click()
    await dialog.waitFor()
  }
  /** The address is that of the station again, so that a reload opens nothing. */
  const close = async () => {
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL(`${home}/`)
  }
  await page.goto(`${home}/song/day/Low%20Tide.mp3`)
  await dialog.getByRole('heading', { name: title }).waitFor()
  t.same(await violations(page), [], 'a song')
  await dialog.getByRole('button', { name: 'Favourite song' }).click()
  await close()
  t.equal(await page.locator('.tools .heart').getAttribute('aria-pressed'), 'true', 'it is on air')

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('.menu-item', { hasText: 'Share the station' }).click()
  await page.locator('.header .toast[data-shown=true]', { hasText: 'Link copied' }).waitFor()
  await page.goto(`${home}/#request`)
  await dialog.getByRole('heading', { name: 'Request a song' }).waitFor()
  await page.waitForURL(`${home}/`)
  await close()

  await page.goto(`${home}/history`)
  await dialog.locator('.history-list li').last().waitFor()
  t.match(await dialog.locator('.history-list li').last().innerText(), title)
  t.same(await violations(page), [], 'a day')
  await close()

  await page.reload()
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await menu('My songs')
  await dialog.locator('.tracks li', { hasText: title }).waitFor()
  t.same(await violations(page), [], 'what this device keeps')
  await close()
  await menu('Sleep timer')
  await dialog.getByRole('button', { name: '15 minutes' }).click()
  t.same(await violations(page), [], 'sleep timer')
  await close()
  await page.locator('.sleep-mark').click()
  await dialog.getByRole('button', { name: 'Turn the timer off' }).click()
  await close()
  await page.locator('.sleep-mark').waitFor({ state: 'detached' })
}

/** Where the texts are that the window shows. */
const textsOf = (page: Page): Promise<Region[]> =>
  page.evaluate(
    (texts) =>
      texts.flatMap((name) => {
        const element = document.querySelector(name)
        if (!element) return []
        const range = document.createRange()
        range.selectNodeContents(element)
        const { x, y, width, height } = range.getBoundingClientRect()
        return y + height < innerHeight && width > 0 ? [{ name, x, y, width, height }] : []
      }),
    TEXTS,
  )
