import t from 'tap'
import { makePicture } from '../harness/audio/pictures.ts'
import { violations } from '../harness/browser/axe.ts'
import { advances, flaws, hears, prepare, titleShown, tones, visit } from '../harness/browser/browser.ts'
import { builtPage } from '../harness/processes/programs.ts'
import { prepareStation } from '../harness/stations/station.ts'

t.test('sync mode: the file plays at the station’s position, in both languages', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false' })
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`, {}, (opening) =>
    opening.addInitScript(keepPositions),
  )

  await page.locator('.listen').waitFor()
  t.equal(await page.locator('.listen').innerText(), 'Listen')
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  const title = await titleShown(page)
  const tone = tones.find(({ name }) => name === title)
  t.ok(tone, `the title of a track is shown: ${title}`)
  await advances(page)
  await hears(page, tone!.hz)
  await page.waitForFunction(positionIsTold, tone!.seconds)
  t.same(
    await page.evaluate(() => Array.from(navigator.mediaSession.metadata!.artwork, ({ sizes }) => sizes)),
    ['512x512'],
    'lock screens show the station’s icon where there is no cover',
  )

  await page.locator('h1').click()
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=paused]').waitFor()
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await hears(page, tone!.hz)

  await page.getByRole('link', { name: 'UK' }).click()
  await page.waitForURL(`${api.url}/`)
  await page.locator('html[lang=uk]').waitFor()
  t.equal(await page.locator('#next').innerText(), 'Далі')
  await page.getByRole('link', { name: 'EN' }).click()
  await page.waitForURL(`${api.url}/en/`)
  await page.locator('html[lang=en]').waitFor()
  t.equal(await page.evaluate(() => localStorage.getItem('radio_lang')), 'en')
  t.same(await flaws(page), [])

  await page.setViewportSize({ width: 320, height: 640 })
  t.equal(
    await page.evaluate(() => document.documentElement.scrollWidth),
    320,
    'nothing is cut off at 320 px',
  )
  t.same(complaints, [], 'the browser has nothing to complain of')

  await page.goto(api.url)
  await page.waitForURL('**/en/')
  t.pass('the chosen language is remembered')
  const [response] = await Promise.all([page.waitForResponse('**/nowhere'), page.goto(`${api.url}/nowhere`)])
  t.equal(response.status(), 404)
  t.equal(await titleShown(page), 'Nothing here but sky.')
  await page.getByRole('link', { name: 'Back to the radio' }).click()
  await page.locator('.listen').waitFor()

  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
  await page.context().setOffline(true)
  await page.goto(`${api.url}/en/`)
  await page.getByRole('button', { name: 'Try now' }).waitFor()
  t.match(
    await titleShown(page),
    'The station isn’t responding',
    'without a network the page opens and says so',
  )
  for (const [path, says] of [
    ['/guest', 'The station isn’t responding.'],
    ['/en/nowhere', 'The station isn’t responding.'],
    ['/adpanel/library', 'Станція не відповідає.'],
    ['/adlogin', 'Станція не відповідає.'],
  ] as const) {
    await page.goto(api.url + path)
    await page.getByRole('heading', { name: says }).waitFor()
    t.equal(await titleShown(page), says, `${path} says so in the visitor’s language`)
  }
  await page.context().setOffline(false)
  await page.getByLabel('Логін').waitFor()
  t.pass('the page comes by itself when the station is back')
})

t.test('a new version and the app are offered quietly, and both can wait', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false' })
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`, {}, (opening) =>
    opening.addInitScript(() => {
      localStorage.setItem('radio_listened', '{"seconds":900,"days":[]}')
    }),
  )
  const canBeInstalled = () =>
    page.evaluate(() => {
      const event = new Event('beforeinstallprompt', { cancelable: true })
      dispatchEvent(Object.assign(event, { prompt: async () => {} }))
      return event.defaultPrevented
    })
  const offer = page.getByRole('complementary')
  t.ok(await canBeInstalled(), 'the browser does not ask at arrival')
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await offer.filter({ hasText: 'Add the station to the apps of this device?' }).waitFor()
  t.same(await violations(page), [])
  await offer.getByRole('button', { name: 'No, thanks' }).click()
  await offer.waitFor({ state: 'detached' })
  await canBeInstalled()
  await page.getByRole('button', { name: 'Menu' }).click()
  await page
    .getByRole('menuitem', { name: 'Preferences' })
    .or(page.getByRole('button', { name: 'Preferences' }))
    .click()
  await page.getByRole('button', { name: 'Add the station to your apps' }).waitFor()
  t.equal(await offer.count(), 0, 'who declined finds it in the preferences only')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await page.waitForFunction(() => navigator.serviceWorker.controller)
  // Another address is another version to the browser.
  await page.evaluate(() => navigator.serviceWorker.register('/sw.js?another'))
  await offer.filter({ hasText: 'A new version is here.' }).waitFor()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await Promise.all([page.waitForEvent('load'), offer.getByRole('button', { name: 'Reload' }).click()])
  await page.waitForFunction(() => navigator.serviceWorker.controller?.scriptURL.endsWith('another'))
  t.equal(await page.evaluate(async () => (await caches.keys()).length), 1)
  t.same(complaints, [])
})

t.test('sync mode without Web Audio: the element plays, and is held to the station’s position', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false' })
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`, {}, (opening) =>
    opening.addInitScript(() => Reflect.deleteProperty(window, 'AudioContext')),
  )
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await advances(page)

  const inStep = () =>
    page.waitForFunction(() => {
      const shown = Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second)
      const drift = document.querySelector('audio')!.currentTime - shown
      return drift > -0.4 && drift < 1.4
    })
  await inStep()
  await page.locator('h1').click()
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=paused]').waitFor()
  const pausedAt = await page.evaluate(() => document.querySelector('audio')!.currentTime)
  // Meanwhile the station continues: two more of its seconds pass.
  await page.waitForFunction(
    (at) => Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second) > at + 2,
    pausedAt,
  )
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await inStep()
  t.ok(
    (await page.evaluate(() => document.querySelector('audio')!.currentTime)) > pausedAt + 1,
    'after a pause it is live again',
  )

  // The page shows the position heard, so the wall clock tells where the sound should be.
  const shouldBeginAt = await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    const beginsAt = performance.now() / 1000 - audio.currentTime
    audio.currentTime = Math.max(0, audio.currentTime - 5)
    return beginsAt
  })
  await page.waitForFunction((beginsAt) => {
    const behind = performance.now() / 1000 - beginsAt - document.querySelector('audio')!.currentTime
    return Math.abs(behind) < 1
  }, shouldBeginAt)
  t.pass('a sound that was thrown off returns')
  t.same(complaints, [])
})

t.test('sync mode: a quiet song is played louder than its file, and shown with its cover', async (t) => {
  const cover = await makePicture({ width: 600, height: 600, color: '0x2050c0' })
  // One channel measures 3 LU less than two.
  const soft = [{ name: 'Whisper', hz: 1000, seconds: 90, volume: 0.2, isMono: false, cover }]
  // Only audio from the page's own origin can be amplified.
  const settings = { WEB_DIST: await builtPage(), STREAM_MODE: 'false', MEDIA_STORAGE: 'local' }
  const station = await prepareStation(t, soft, settings)
  const jobs = await station.startJobs()
  await Promise.all([jobs.printed(/tracks measured/), jobs.printed(/covers read/)])
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`)
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await advances(page)
  // The file peaks at 0.025; at -16 LUFS it peaks at 0.16, which the volume control (0.8 squared) reduces to 0.1.
  await page.waitForFunction(() => {
    const { analyser } = window as Window & { analyser?: AnalyserNode }
    const samples = new Float32Array(2048)
    analyser?.getFloatTimeDomainData(samples)
    const peak = Math.max(...samples)
    return peak > 0.09 && peak < 0.115
  })

  await page.locator('.cover-button img[data-loaded=true]').waitFor()
  const artwork = await page.evaluate(() =>
    Array.from(navigator.mediaSession.metadata!.artwork, ({ sizes, type }) => `${sizes} ${type}`),
  )
  t.same(artwork, ['96x96 image/webp', '256x256 image/webp', '512x512 image/webp'])
  await page.locator('.cover-button').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Whisper: cover' })
  await dialog.locator('img[data-loaded=true]').waitFor()
  t.match(await dialog.locator('img').evaluate((image: HTMLImageElement) => image.currentSrc), /\/512\.webp$/)
  t.equal(
    await dialog.getByRole('link', { name: 'Bandcamp' }).getAttribute('href'),
    'https://bandcamp.com/search?q=Artist%20of%20Whisper%20Whisper',
  )
  t.same(await flaws(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await page.locator('.cover-button:focus').waitFor()
  await page.getByRole('button', { name: 'Choose a song' }).click()
  const small = page.getByRole('dialog').locator('.row-cover img')
  await small.waitFor()
  t.match(await small.getAttribute('src'), /\/api\/covers\/[0-9a-f]{32}\/96\.webp$/)
  await page.keyboard.press('Escape')
  t.same(complaints, [])

  const { page: mute } = await visit(t, `${api.url}/en/`, {}, (opening) =>
    opening.addInitScript(() => {
      const RealContext = AudioContext
      class Refusing {
        constructor() {
          throw new DOMException('No device', 'NotSupportedError')
        }
      }
      Object.assign(window, { RealContext, AudioContext: Refusing })
    }),
  )
  await mute.locator('.listen').click()
  await mute.locator('.horizon[data-sound=playing]').waitFor()
  await advances(mute)
  await mute.evaluate(() => {
    const { RealContext } = window as unknown as { RealContext: typeof AudioContext }
    const context = new RealContext()
    context.createMediaElementSource(document.querySelector('audio')!).connect(context.destination)
  })
  await hears(mute, 1000)
  t.equal(
    await mute.evaluate(() => document.querySelector('audio')!.volume),
    1,
    'without Web Audio the element plays it, as loud as its file at most',
  )

  const { page: torn } = await visit(t, `${api.url}/en/`, {}, (opening) =>
    opening.addInitScript(() => {
      BaseAudioContext.prototype.createBuffer = () => {
        throw new DOMException('No memory', 'NotSupportedError')
      }
    }),
  )
  await torn.locator('.listen').click()
  await torn.locator('.horizon[data-sound=playing]').waitFor()
  await torn.waitForFunction(() => document.querySelector('audio')!.src.includes('/api/audio/stream'))
  await advances(torn)
  await hears(torn, 1000)
})

/** Keeps what lock screens are told of the position, and when. */
function keepPositions(): void {
  const session = navigator.mediaSession
  session.setPositionState = (state) => {
    Object.assign(window, { told: { ...state, atMs: performance.now() } })
  }
}

/** True when the position that a lock screen shows now is the page's. */
function positionIsTold(seconds: number): boolean {
  const { told } = window as Window & { told?: MediaPositionState & { atMs: number } }
  const shown = Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second)
  if (told?.position === undefined) return false
  const position = told.position + (performance.now() - told.atMs) / 1000
  return Math.abs(told.duration! - seconds) < 1 && Math.abs(position - shown) < 2
}
