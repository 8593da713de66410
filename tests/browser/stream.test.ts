import { streamBurstMs } from '@solstice/contracts'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import {
  advances,
  flaws,
  hears,
  placedStyles,
  prepare,
  titleShown,
  tones,
  visit,
} from '../harness/browser/browser.ts'
import { assertTakeoverUnheard } from '../harness/browser/takeover.ts'
import { followBroadcast } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

t.test(
  'stream mode: the broadcast is heard, shown and controlled; it recovers with the station',
  async (t) => {
    const station = await prepare(t, { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:192,mp3:64,opus:64' })
    const worker = await station.startWorker()
    const api = await station.startApi()
    const { page, complaints } = await visit(t, api.url)

    await page.locator('.listen').waitFor()
    t.equal(await page.locator('.listen').innerText(), 'Слухати')
    t.equal(await page.evaluate(() => document.querySelector('audio')!.paused), true, 'nothing plays unasked')
    t.equal(await page.evaluate(() => document.querySelector('audio')!.src), '', 'nothing is fetched unasked')
    t.same(await flaws(page), [])

    await page.locator('.listen').click()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    const title = await titleShown(page)
    const tone = tones.find(({ name }) => name === title)
    t.ok(tone, `the title of a track is shown: ${title}`)
    t.equal(await page.title(), `${title} — Artist of ${title} · Сонцестояння`)
    await advances(page)
    await hears(page, tone!.hz)
    t.ok((await page.locator('section:has(#next) li').count()) >= 10, 'the upcoming songs are shown')
    t.equal(
      await page.evaluate(() => navigator.mediaSession.metadata?.title),
      title,
      'the system shows what plays',
    )

    await page.locator('h1').click()
    await page.keyboard.press('Space')
    await page.locator('.horizon[data-sound=paused]').waitFor()
    t.equal(
      await page.evaluate(() => document.querySelector('audio')!.hasAttribute('src')),
      false,
      'the request is dropped',
    )
    await page.keyboard.press('Space')
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)

    await page.keyboard.press('l')
    await page.locator('dialog[open]').waitFor()
    t.same(await flaws(page), [])
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })

    const { placed, again } = await placedStyles(page)
    t.ok(placed > 0)
    t.same(again, [], 'no style sheet stands behind those that override it')

    await t.test('the death of the worker on air is not heard', async (t) => {
      const air = await followBroadcast(t, station)
      await air.more(1)
      await air.until(air.chunks[0]!.atMs + streamBurstMs)
      // A listener of a station that had just begun has no more in hand than there was.
      await page.keyboard.press('Space')
      await page.locator('.horizon[data-sound=paused]').waitFor()
      await page.keyboard.press('Space')
      await page.locator('.horizon[data-sound=playing]').waitFor()
      await assertTakeoverUnheard(t, { page, station, worker })
    })

    await playsOpus(page)
    await choosesQuality(t, page)
    t.same(complaints, [], 'the browser has nothing to complain of')
    await t.test('Listen works before the scripts have come, and without any', (t) => pressEarly(t, api.url))

    await api.process.end()
    await page.locator('.notice[role=alert]', { hasText: 'Станція не відповідає' }).waitFor()
    await station.startApi(Number(new URL(api.url).port))
    await page.locator('.link[data-link=online]').waitFor()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)
    await page.locator('.notice[role=alert]').waitFor({ state: 'detached' })
    t.pass('the page and its sound came back by themselves')
  },
)

/** Chromium plays the mount in Opus. */
async function playsOpus(page: Page): Promise<void> {
  await page.evaluate(() => {
    const audio = new Audio('/api/stream/public.opus')
    audio.muted = true
    audio.dataset.test = 'opus'
    audio.hidden = true
    document.body.append(audio)
    return audio.play()
  })
  const position = () => document.querySelector<HTMLAudioElement>('audio[data-test=opus]')!.currentTime
  const from = await page.evaluate(position)
  await until('the Opus advances', async () => (await page.evaluate(position)) > from + 1)
  await page.evaluate(() => {
    const audio = document.querySelector<HTMLAudioElement>('audio[data-test=opus]')!
    audio.removeAttribute('src')
    audio.load()
    audio.remove()
  })
}

const source = (page: Page) =>
  page.evaluate(() => new URL(document.querySelector('audio')!.currentSrc || 'x:').pathname)

/** Changes to the small mount while it plays, and back. */
async function choosesQuality(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Меню' }).click()
  await page.getByRole('button', { name: 'Налаштування' }).click()
  for (const [quality, path] of [
    ['Низька', '/api/stream/public-64.mp3'],
    ['Автоматична', '/api/stream'],
  ] as const) {
    await page.getByRole('radio', { name: quality }).check({ force: true })
    await until(quality, async () => (await source(page)) === path)
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)
  }
  t.same(await flaws(page), [], 'preferences')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function pressEarly(t: Test, url: string): Promise<void> {
  const { page } = await visit(t, 'about:blank')
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/assets/*.js', async (route) => {
    await isReleased
    await route.continue()
  })
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('.listen').click()
  await page.waitForURL(`${url}/#listen`, { waitUntil: 'commit' })
  release()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await page.waitForURL(`${url}/`)

  const context = await page.context().browser()!.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const plain = await context.newPage()
  await plain.goto(url)
  const asked = plain.waitForRequest('**/api/stream/public.mp3')
  await plain.locator('.listen:visible').click({ noWaitAfter: true })
  await asked
}
