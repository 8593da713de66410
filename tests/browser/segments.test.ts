import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { advances, prepare, titleShown, visit } from '../harness/browser/browser.ts'
import { haveSegments, visitOnIphone } from '../harness/browser/segments.ts'
import { assertPlaysOnAfterSilence, assertTakeoverUnheard } from '../harness/browser/takeover.ts'
import { inForm } from '../harness/long-form.ts'
import type { Process } from '../harness/processes/processes.ts'
import { startRefusingProxy } from '../harness/servers/refusing-proxy.ts'
import type { Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const SONG_S = 20
const songs = [
  { name: 'Low Tide', hz: 440, seconds: SONG_S },
  { name: 'Half Tide', hz: 660, seconds: SONG_S },
  { name: 'High Tide', hz: 880, seconds: SONG_S },
]
const pitchOf = (title: string) => songs.find(({ name }) => name === title)?.hz
const ENDLESS = /^\/api\/stream\b/
/** Segments are heard 18 to 24 s late, and the endless stream 8 s: a title by the wrong one is off by more. */
const TITLE_WITHIN_MS = 5_000
const SETTINGS = { STREAM_MODE: 'true', STREAM_MOUNTS: 'mp3:128,aac:64' }

/** A station that has segments already. */
async function prepareSegments(t: Test): Promise<{ url: string; station: Station; worker: Process }> {
  const station = await prepare(t, SETTINGS, songs)
  const worker = await station.startWorker()
  const { url } = await station.startApi()
  await haveSegments(url)
  return { url, station, worker }
}

t.test('where the endless stream is refused, segments are played', async (t) => {
  const { url, station, worker } = await prepareSegments(t)
  const other = await station.startApi()
  const asked: string[] = []
  const proxy = await startRefusingProxy(t, url, other.url)
  proxy.refuse(ENDLESS)
  const { page, complaints } = await visit(t, `${proxy.url}/en/`, {}, async (opening) => {
    opening.on('request', (request) => asked.push(new URL(request.url()).pathname))
  })
  const sounds = (is: string) => page.locator(`.horizon[data-sound=${is}]`).waitFor()
  const countOf = (path: RegExp) => asked.filter((one) => path.test(one)).length

  await t.test('they come after a few refusals', async (t) => {
    await page.locator('.listen').click()
    await sounds('playing')
    t.ok(countOf(/^\/api\/stream$/) >= 3)
    t.ok(countOf(/^\/api\/hls\/mp3-128\/\d+\.mp3$/) >= 1)
    await advances(page)
  })

  await t.test('titles change with the sound, which has no hole', async (t) => {
    await watch(page)
    await page.waitForFunction(() => (window as Watched).seen!.changes.length >= 1)
    const { changes, waits } = await page.evaluate(() => (window as Watched).seen!)
    for (const { title, apartMs } of changes)
      t.ok(
        Math.abs(apartMs) < TITLE_WITHIN_MS,
        `${title} is shown ${Math.round(apartMs)} ms after it is heard`,
      )
    t.same(waits, [], 'the sound never waited')
  })

  await t.test('another quality is another mount, heard from where it was', async (t) => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Preferences' }).click()
    await markChange(page)
    await page.getByRole('radio', { name: 'Low' }).check({ force: true })
    await until('it is fetched', () => countOf(/^\/api\/hls\/aac-64\/\d+\.aac$/) > 0)
    await sounds('playing')
    await advances(page)
    const [before, after] = await page.evaluate(() => (window as Watched).seconds!)
    const laterS = (after! - before! + SONG_S) % SONG_S
    t.ok(laterS < 5, `it goes on ${laterS} s later`)
    await page.keyboard.press('Escape')
  })

  await t.test('they stay when nothing is refused any more, also after a pause', async (t) => {
    proxy.refuse(null)
    const before = countOf(/^\/api\/stream$/)
    await advances(page)
    await page.locator('.play').click()
    await sounds('paused')
    t.equal(await page.evaluate(() => document.querySelector('audio')!.hasAttribute('src')), false)
    await page.locator('.play').click()
    await sounds('playing')
    await advances(page)
    t.equal(countOf(/^\/api\/stream$/), before)
  })

  let onAir = worker
  await t.test(
    'the death of the worker on air is not heard, with another replica at each request',
    async (t) => {
      onAir = await assertTakeoverUnheard(t, { page, station, worker })
    },
  )

  await t.test('after a silence of the station it plays on by itself', (t) =>
    assertPlaysOnAfterSilence(t, { page, station, worker: onAir, url }),
  )

  await t.test('the sound names its songs while the station tells nothing', async () => {
    proxy.refuse(/socket\.io/)
    await page.locator('.link:not([data-link=online])').waitFor()
    // The page was told of the next one before.
    for (const song of ['the next', 'one that the page was not told of']) {
      const before = await titleShown(page)
      await until(`${song} is shown`, async () => (await titleShown(page)) !== before)
      const hz = pitchOf(await titleShown(page))
      await page.waitForFunction((wanted) => (window as Watched).pitch!() === wanted, hz)
    }
  })

  t.same(
    complaints.filter((text) => !/403|WebSocket/.test(text)),
    [],
    'the browser has nothing to complain of',
  )
})

type Watched = Window & {
  /** The pitch that is heard; null = none of the songs'. */
  pitch?: () => number | null
  seen?: {
    /** When the title of a song was shown after its first sound. */
    changes: { title: string; apartMs: number }[]
    /** How often the element waited for sound. */
    waits: string[]
  }
  /** The seconds of the song that were shown when the sound changed, and when it went on. */
  seconds?: number[]
}

/** Watches from now on when songs are heard and when their titles are shown: `window.seen`. */
async function watch(page: Page): Promise<void> {
  await page.evaluate((songs) => {
    const audio = document.querySelector('audio')!
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 })
    context.createMediaElementSource(audio).connect(analyser)
    analyser.connect(context.destination)
    const bins = new Float32Array(analyser.frequencyBinCount)
    const pitch = () => {
      analyser.getFloatFrequencyData(bins)
      const binHz = context.sampleRate / analyser.fftSize
      const hz = bins.indexOf(Math.max(...bins)) * binHz
      return songs.find((song) => Math.abs(song.hz - hz) < 2 * binHz)?.hz ?? null
    }
    const seen: NonNullable<Watched['seen']> = { changes: [], waits: [] }
    Object.assign(window, { pitch, seen })
    audio.addEventListener('waiting', () => {
      const { currentTime, buffered } = audio
      const ranges = Array.from({ length: buffered.length }, (_, i) => [buffered.start(i), buffered.end(i)])
      // A busy machine is late with sound that it has.
      if (ranges.some(([from, to]) => from! <= currentTime && currentTime + 1 < to!)) return
      seen.waits.push(`at ${currentTime} of ${JSON.stringify(ranges)}`)
    })
    const titleNow = () => document.querySelector('h1')!.textContent!.trim()
    const pitchedAt = new Map<number, number>()
    const titledAt = new Map<string, number>()
    let lastHz = pitch()
    let lastTitle = titleNow()
    setInterval(() => {
      const [hz, title] = [pitch(), titleNow()]
      if (hz !== null && lastHz !== null && hz !== lastHz) pitchedAt.set(hz, performance.now())
      if (title !== lastTitle) titledAt.set(title, performance.now())
      lastHz = hz ?? lastHz
      lastTitle = title
      for (const { name, hz } of songs) {
        const [shown, heard] = [titledAt.get(name), pitchedAt.get(hz)]
        if (shown === undefined || heard === undefined) continue
        seen.changes.push({ title: name, apartMs: shown - heard })
        titledAt.delete(name)
        pitchedAt.delete(hz)
      }
    }, 100)
  }, songs)
}

/** Notes the second of the song that the page shows when the next change of the sound begins, and when it is done: `window.seconds`. */
async function markChange(page: Page): Promise<void> {
  await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    const seconds: number[] = []
    const note = () => seconds.push(Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second))
    Object.assign(window, { seconds })
    audio.addEventListener('emptied', note, { once: true })
    audio.addEventListener('emptied', () => audio.addEventListener('playing', note, { once: true }), {
      once: true,
    })
  })
}

t.test('iPhones get segments at once, by their own player', async (t) => {
  const { url, station, worker } = await prepareSegments(t)
  const other = await station.startApi()
  const proxy = await startRefusingProxy(t, url, other.url)
  const asked: string[] = []
  const { page } = await visitOnIphone(t, `${proxy.url}/en/`, {}, async (opening) => {
    opening.on('request', (request) => asked.push(new URL(request.url()).pathname))
  })
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await advances(page)
  const { pathname } = new URL(await page.evaluate(() => document.querySelector('audio')!.currentSrc))
  t.equal(pathname, '/api/hls/aac-64/live.m3u8')
  t.same(
    asked.filter((path) => /^\/api\/stream/.test(path)),
    [],
  )

  let onAir = worker
  await t.test(
    'the death of the worker on air is not heard, with another replica at each request',
    async (t) => {
      onAir = await assertTakeoverUnheard(t, { page, station, worker })
    },
  )

  if (inForm({ short: false, long: true }))
    await t.test('after a silence of the station it plays on by itself', (t) =>
      assertPlaysOnAfterSilence(t, { page, station, worker: onAir, url }),
    )
})
