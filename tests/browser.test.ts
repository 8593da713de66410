import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { openJsonData } from '@solstice/adapters'
import { lyricsKey } from '@solstice/station'
import { type Browser, chromium, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { build } from 'vite'
import { SUPER_ADMIN } from './harness/admin.ts'
import { root, start, temporaryFolder } from './harness/processes.ts'
import { openSocket, type SocketClient } from './harness/socket-client.ts'
import { prepareStation, type Station, type Tone } from './harness/station.ts'

const tones = [
  { name: 'Low Tide', hz: 440, seconds: 90 },
  { name: 'Half Tide', hz: 660, seconds: 90 },
  { name: 'High Tide', hz: 880, seconds: 90 },
]

const chromiumFlags = [
  '--no-sandbox',
  '--autoplay-policy=no-user-gesture-required',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Names under which systems install the browser. */
const browsers = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

async function launch(t: Test): Promise<Browser> {
  for (const executablePath of browsers) {
    const isThere = await access(executablePath).then(
      () => true,
      () => false,
    )
    if (!isThere) continue
    const browser = await chromium.launch({ executablePath, args: chromiumFlags })
    t.teardown(() => browser.close())
    return browser
  }
  throw new Error(`No Chromium at ${browsers.filter(Boolean).join(', ')}; CHROMIUM_PATH may name one`)
}

interface Visit {
  page: Page
  /** What the browser complained of, except pictures that artists do not have. */
  complaints: string[]
}

async function visit(t: Test, url: string): Promise<Visit> {
  const browser = await launch(t)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(90_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    const isAbsentPicture = message.location().url.includes('/api/art/url')
    if (message.type() === 'error' && !isAbsentPicture) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(url)
  return { page, complaints }
}

/** A station with the page as it is built now. */
async function prepare(t: Test, settings: Record<string, string>, songs: Tone[] = tones): Promise<Station> {
  const dist = await temporaryFolder(t)
  await build({
    root: join(root, 'apps/web'),
    build: { outDir: dist, emptyOutDir: true },
    logLevel: 'silent',
  })
  return prepareStation(t, songs, { WEB_DIST: dist, ...settings })
}

/** Every song of the station gets words: one line each two seconds. */
async function writeLyrics({ env }: Station): Promise<void> {
  const data = await openJsonData(env.DATA_DIR!)
  for (const { name, seconds } of tones) {
    const lines = Array.from({ length: seconds / 2 }, (_, i) => ({ time: 2 * i, text: `${name}, line ${i}` }))
    await data.lyrics.put({ key: lyricsKey(`Artist of ${name}`, name), synced: true, lines })
  }
  await data.close()
}

/** The super admin at a socket of their own, ready to answer requests. */
async function adminAt(t: Test, url: string): Promise<SocketClient> {
  const answer = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS }),
  })
  const { token } = (await answer.json()) as { token: string }
  const admin = openSocket(t, url)
  admin.socket.emit('admin_active', token)
  await admin.first('admin_confirmed')
  return admin
}

/** Resolves when the loudest pitch that leaves the audio element is this one, give or take a bin. */
async function hears(page: Page, hz: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const view = window as Window & { analyser?: AnalyserNode }
    if (!view.analyser) {
      const context = new AudioContext()
      const source = context.createMediaElementSource(document.querySelector('audio')!)
      view.analyser = new AnalyserNode(context, { fftSize: 8192 })
      source.connect(view.analyser).connect(context.destination)
    }
    const { analyser } = view
    const bins = new Float32Array(analyser.frequencyBinCount)
    analyser.getFloatFrequencyData(bins)
    const loudest = Math.max(...bins)
    const binHz = analyser.context.sampleRate / analyser.fftSize
    return loudest > -60 && Math.abs(bins.indexOf(loudest) * binHz - wanted) < 2 * binHz
  }, hz)
}

/** Resolves with the audio's position once it has moved on by a second. */
async function advances(page: Page): Promise<void> {
  const from = await page.evaluate(() => document.querySelector('audio')!.currentTime)
  await page.waitForFunction((at) => document.querySelector('audio')!.currentTime > at + 1, from)
}

const titleShown = async (page: Page) => (await page.locator('h1').textContent())?.trim() ?? ''

/** What an audit of accessibility finds first: names, languages, headings, doubled ids. */
async function flaws(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const all = document.querySelectorAll.bind(document)
    const ids = Array.from(all('[id]'), ({ id }) => id)
    return [
      ...Array.from(all('button, a, input, [role=progressbar], dialog'))
        .filter(
          (control) =>
            !control.getAttribute('aria-label') &&
            !control.textContent?.trim() &&
            !control.getAttribute('title') &&
            !(control instanceof HTMLInputElement && control.labels?.length),
        )
        .map((control) => `no name: ${control.outerHTML}`),
      ...Array.from(all('img:not([alt])'), (image) => `no alt: ${image.outerHTML}`),
      ...Array.from(all('[aria-hidden=true] button, [aria-hidden=true] a'), (control) => control.outerHTML),
      ...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `doubled id: ${id}`),
      ...(all('h1').length === 1 ? [] : ['not exactly one h1']),
      ...(all('main').length === 1 ? [] : ['not exactly one main']),
      ...(document.documentElement.lang ? [] : ['no language']),
    ]
  })
}

t.test(
  'stream mode: the broadcast is heard, shown and controlled; it comes back with the station',
  async (t) => {
    const station = await prepare(t, { STREAM_MODE: 'true' })
    await station.startWorker()
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
    t.ok((await page.locator('section:has(#next) li').count()) >= 10, 'what comes next is shown')
    t.equal(
      await page.evaluate(() => navigator.mediaSession.metadata?.title),
      title,
      'the system is told what plays',
    )

    await page.locator('h1').click()
    await page.keyboard.press('Space')
    await page.locator('.horizon[data-sound=paused]').waitFor()
    t.equal(await page.evaluate(() => document.querySelector('audio')!.hasAttribute('src')), false, 'no line')
    await page.keyboard.press('Space')
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)

    await page.keyboard.press('l')
    await page.locator('dialog[open]').waitFor()
    t.same(await flaws(page), [])
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })

    t.same(complaints, [], 'the browser has nothing to complain of')

    await api.process.end()
    await page.locator('.notice[role=alert]').waitFor()
    t.match(await page.locator('.notice').innerText(), 'Станція не відповідає')
    const again = start(t, 'node', ['--import', 'tsx', 'apps/api/src/main.ts'], {
      ...station.env,
      PORT: new URL(api.url).port,
    })
    await again.printed(/Server listening/)
    await page.locator('.link[data-link=online]').waitFor()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)
    await page.locator('.notice[role=alert]').waitFor({ state: 'detached' })
    t.pass('the page and its sound came back by themselves')
  },
)

t.test('sync mode: the file is heard at the station’s position, in both languages', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false' })
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`)

  await page.locator('.listen').waitFor()
  t.equal(await page.locator('.listen').innerText(), 'Listen')
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  const title = await titleShown(page)
  const tone = tones.find(({ name }) => name === title)
  t.ok(tone, `the title of a track is shown: ${title}`)
  await advances(page)
  await hears(page, tone!.hz)

  const inStep = () =>
    page.waitForFunction(() => {
      const shown = Number(document.querySelector('.horizon')!.getAttribute('aria-valuenow'))
      const drift = document.querySelector('audio')!.currentTime - shown
      return drift > -0.4 && drift < 1.4
    })
  await inStep()
  await page.locator('h1').click()
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=paused]').waitFor()
  const pausedAt = await page.evaluate(() => document.querySelector('audio')!.currentTime)
  // The station goes on meanwhile: two more of its seconds are seen to pass.
  await page.waitForFunction(
    (at) => Number(document.querySelector('.horizon')!.getAttribute('aria-valuenow')) > at + 2,
    pausedAt,
  )
  await page.keyboard.press('Space')
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await inStep()
  t.ok(
    (await page.evaluate(() => document.querySelector('audio')!.currentTime)) > pausedAt + 2,
    'after a pause it is live again',
  )

  // What is shown is what is heard, so the clock on the wall says where the sound should be.
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

  await page.getByRole('link', { name: 'UK' }).click()
  t.equal(new URL(page.url()).pathname, '/')
  t.equal(await page.evaluate(() => document.documentElement.lang), 'uk')
  t.equal(await page.locator('#next').innerText(), 'Далі')
  await page.getByRole('link', { name: 'EN' }).click()
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
  await page.getByRole('link', { name: 'To the broadcast' }).click()
  await page.locator('.listen').waitFor()

  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
  await page.context().setOffline(true)
  await page.goto(`${api.url}/en/`)
  await page.getByRole('button', { name: 'Try now' }).waitFor()
  t.match(
    await titleShown(page),
    'The station does not answer',
    'without a network the page opens and says so',
  )
})

t.test('sync mode: a song that is softer than the station is made louder than its file', async (t) => {
  const soft = [{ name: 'Whisper', hz: 1000, seconds: 90, volume: 0.2 }]
  const station = await prepare(t, { STREAM_MODE: 'false' }, soft)
  const jobs = await station.startJobs()
  await jobs.printed(/tracks are measured/)
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, `${api.url}/en/`)
  await page.addInitScript(() => {
    const connect = AudioNode.prototype.connect as (to: AudioNode) => AudioNode
    AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
      if (to instanceof AudioDestinationNode) {
        const analyser = new AnalyserNode(this.context)
        connect.call(this, analyser)
        Object.assign(window, { analyser })
      }
      return connect.call(this, to)
    } as typeof AudioNode.prototype.connect
  })
  await page.reload()
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await advances(page)
  // The file's peaks are at 0.025; at -16 LUFS they are at 0.16, which the control (0.8 squared) takes to 0.1.
  await page.waitForFunction(() => {
    const { analyser } = window as Window & { analyser?: AnalyserNode }
    const samples = new Float32Array(2048)
    analyser?.getFloatTimeDomainData(samples)
    const peak = Math.max(...samples)
    return peak > 0.09 && peak < 0.115
  })
  t.same(complaints, [])
})

t.test('a listener asks for a song, an admin says yes; the words follow the sound', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false', ...SUPER_ADMIN })
  await writeLyrics(station)
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, api.url)
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()

  const opener = page.getByRole('button', { name: 'Обрати пісню' })
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Замовити пісню' })
  const songs = sheet.getByRole('listitem')
  await songs.nth(2).waitFor()
  t.same(
    await songs.locator('b').allTextContents(),
    tones.map(({ name }) => name).sort(),
    'in the order of artists',
  )
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search')
  t.same(await flaws(page), [])
  t.match(await sheet.locator('.standing').innerText(), 'нікому відповісти')
  const buttons = sheet.locator('li button')
  t.equal(await buttons.first().getAttribute('aria-disabled'), 'true', 'nobody is there to answer')

  const admin = await adminAt(t, api.url)
  await sheet.locator('li button[aria-disabled=false]').first().waitFor()
  // Neither what plays nor what comes next: those are too near to be queued again.
  const near = [await titleShown(page), await page.locator('section:has(#next) li b').first().textContent()]
  const wish = tones.find(({ name }) => !near.includes(name))!.name
  await page.keyboard.type(`${wish.toUpperCase().replace(' ', '-')} artist`)
  await songs.nth(1).waitFor({ state: 'detached' })
  t.equal(await songs.locator('b').innerText(), wish, 'every word of the search occurs')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const said = page.getByRole('status').filter({ hasText: wish })
  await said.filter({ hasText: 'Замовлення надіслано' }).waitFor()
  const timer = sheet.locator('[role=timer] b')
  const left = (await timer.innerText()).trim()
  t.match(left, /^[45]:\d\d$/, 'the wait is shown')
  await page.waitForFunction(
    (text) => document.querySelector('dialog [role=timer] b')?.textContent !== text,
    left,
  )
  t.equal(await buttons.getAttribute('aria-disabled'), 'true', 'while it lasts, nothing is asked for')
  t.ok(
    await buttons.evaluate((button) => button === document.activeElement),
    'and the focus stays where it was',
  )

  const [request] = await admin.first<{ uid: string; song: { title: string } }[]>(
    'suggestions_update',
    (list) => list.length === 1,
  )
  t.equal(request!.song.title, wish)
  admin.socket.emit('admin_suggestion_action', { uid: request!.uid, action: 'add' })
  await said.filter({ hasText: 'Замовлення прийнято' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  t.ok(await opener.evaluate((button) => button === document.activeElement), 'the focus is back')
  const badge = page.locator('section:has(#next) li').filter({ hasText: wish }).locator('.badge')
  await badge.first().waitFor()
  t.equal(await badge.first().innerText(), 'на замовлення')

  await opener.click()
  await songs.first().waitFor()
  await page.mouse.click(20, 400)
  await sheet.waitFor({ state: 'detached' })
  t.pass('a press outside closes it')
  await page.reload()
  await page.locator('section:has(#request) [role=timer]').waitFor()
  t.pass('who comes again still has to wait')

  const next = page.locator('section:has(#next)')
  await next.getByRole('button', { name: 'Лише одну' }).click()
  t.equal(await next.locator('li').count(), 1)
  await page.getByRole('button', { name: 'Показувати «Раніше»' }).click()
  await page.reload()
  await next.locator('li').first().waitFor()
  t.equal(await next.locator('li').count(), 1, 'how much is shown is remembered')
  t.notOk(await page.locator('#earlier-body').isVisible(), 'and what is folded away')

  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await page.keyboard.press('l')
  const sung = page.locator('.lines [aria-current]')
  await sung.waitFor()
  const from = Number(/\d+$/.exec(await sung.innerText()))
  await page.waitForFunction((line) => {
    const now = Number(/\d+$/.exec(document.querySelector('.lines [aria-current]')?.textContent ?? ''))
    const { currentTime } = document.querySelector('audio')!
    return now > line && now === Math.floor(currentTime / 2)
  }, from)
  t.pass('the sung line is the one that is heard')
  t.same(await flaws(page), [])
  await page.getByRole('button', { name: 'Більші літери' }).click()
  await page.getByRole('button', { name: 'Рядки посередині' }).click()
  await page.locator('.lines[data-size=l][data-align=centre]').waitFor()
  await page.getByRole('button', { name: 'На весь екран' }).click()
  await page.getByRole('button', { name: 'Вийти з повного екрана' }).click()
  await page.getByRole('button', { name: 'На весь екран' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('r')
  await sheet.waitFor()
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  t.same(complaints, [], 'the browser has nothing to complain of')
})
