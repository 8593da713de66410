import type { Mode } from '@solstice/contracts'
import { trackRef } from '@solstice/station'
import type { Page } from 'playwright-core'
import t from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { visit } from '../harness/people/browser.ts'
import { legibility, type Region } from '../harness/people/legibility.ts'
import { builtPage } from '../harness/processes/programs.ts'
import { openApp } from '../harness/stations/app.ts'

/** Texts in large and in small type, on the sky, on the ground and on the sun. */
const TEXTS = ['.name', '.languages', '.kicker', '.title', '.byline b', '.byline span', '.listen', '#next']
const MOMENTS = 16
const SCALE = 2
const MIN_CONTRAST = 4.5

t.test('the turn of the day: every text is legible at every moment of it', async (t) => {
  const station = await openApp(t, { STREAM_MODE: 'false', WEB_DIST: await builtPage() })
  const { app, ports, addTrack } = station
  const track = await addTrack('day/Low Tide.mp3', null, { album: 'Tidal Notes', year: 2019 })
  const entry = {
    entryId: 'e',
    track: { ...trackRef(track), durationMs: 3_600_000 },
    orderType: null,
    tier: null,
  }
  const turn = (mode: Mode) =>
    putOnAir(station, {
      mode,
      nightMode: true,
      onAir: { phase: 'track', entry, startedAtMs: ports.clock.nowMs() },
      playlist: { entries: [entry, entry], index: 0, repeats: false },
    })
  await turn('day')
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const { page, complaints } = await visit(t, `${url}/en/`, { deviceScaleFactor: SCALE })
  const paper = await page.context().newPage()
  t.teardown(() => paper.close())
  await page.locator('.byline b').waitFor()
  await holdTurns(page)

  for (const [mode, width, height] of [
    ['night', 1280, 800],
    ['day', 390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await turn(mode)
    await page.locator('html[data-held]').waitFor()
    for (let i = 0; i <= MOMENTS; i++) {
      await page.evaluate((at) => {
        for (const animation of document.getAnimations()) animation.currentTime = at * 3000
      }, i / MOMENTS)
      const regions = await textsOf(page)
      const picture = await page.screenshot({ animations: 'allow' })
      const illegible = (await legibility(paper, picture, regions, SCALE)).filter(
        ({ contrast }) => contrast < MIN_CONTRAST,
      )
      t.same(illegible, [], `${mode} on ${width} px, moment ${i} of ${MOMENTS}`)
    }
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish()
      delete document.documentElement.dataset.held
    })
  }

  await page.emulateMedia({ reducedMotion: 'reduce' })
  await turn('night')
  await page.locator('html[data-mode=night]').waitFor()
  t.notOk(
    await page.evaluate(() => document.documentElement.dataset.held || document.getAnimations().length),
    'a cut for those who want no motion',
  )
  t.same(complaints, [])
})

/** Stops each view transition at its beginning, so that its moments can be visited. */
async function holdTurns(page: Page): Promise<void> {
  await page.evaluate(() => {
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (change) => {
      const transition = start(change)
      void transition.ready.then(() => {
        for (const animation of document.getAnimations()) animation.pause()
        document.documentElement.dataset.held = 'true'
      })
      return transition
    }
  })
}

/** Where the texts are that the window shows. */
const textsOf = (page: Page): Promise<Region[]> =>
  page.evaluate(
    (texts) =>
      texts.flatMap((name) => {
        const element = document.querySelector(name)!
        const range = document.createRange()
        range.selectNodeContents(element)
        const { x, y, width, height } = range.getBoundingClientRect()
        return y + height < innerHeight && width > 0 ? [{ name, x, y, width, height }] : []
      }),
    TEXTS,
  )
