import { lyricsKey } from '@solstice/station'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import tap, { type Test } from 'tap'
import { SUPER_ADMIN } from '../people/admin.ts'
import { openSocket, type SocketClient } from '../people/socket-client.ts'
import { builtPage } from '../processes/programs.ts'
import { noteMeasurements } from '../stations/measured.ts'
import { prepareStation, type Station, type Tone } from '../stations/station.ts'
import { PATIENCE_MS, until } from '../until.ts'
import { openChromium } from './chromium.ts'

/** Long enough for everything a test does to a page while the first song plays, even on a slow machine. */
const SONG_S = 240
export const tones = [
  { name: 'Low Tide', hz: 440, seconds: SONG_S },
  { name: 'Half Tide', hz: 660, seconds: SONG_S },
  { name: 'High Tide', hz: 880, seconds: SONG_S },
]

/** `TEST_PAGE_SLOWDOWN=8` makes pages eight times slower, so that a test that outruns its page fails here too. */
const SLOWDOWN = Number(process.env.TEST_PAGE_SLOWDOWN ?? 1)

let launched: Promise<Browser> | null = null

/** One browser shared by all tests of a file. */
async function launch(): Promise<Browser> {
  const browser = await openChromium()
  tap.teardown(() => browser.close())
  return browser
}

export interface Visit {
  page: Page
  /** Errors that the browser reported, except missing artist pictures. */
  complaints: string[]
}

/**
 * Opens the page as a first-time visitor.
 *
 * @param beforehand prepares the page, before it is opened.
 */
export async function visit(
  t: Test,
  url: string,
  screen: BrowserContextOptions = {},
  beforehand: (page: Page) => Promise<unknown> = async () => {},
): Promise<Visit> {
  launched ??= launch()
  const browser = await launched
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...screen })
  t.teardown(() => page.close())
  if (SLOWDOWN > 1) {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  }
  await page.addInitScript(analyseOutput)
  page.setDefaultTimeout((2 / 3) * PATIENCE_MS)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await beforehand(page)
  await page.goto(url)
  return { page, complaints }
}

/** Logs in on the panel's login page, as the super admin unless another account is given. */
export async function signIn(
  page: Page,
  login = SUPER_ADMIN.ADMIN_LOGIN,
  password = SUPER_ADMIN.ADMIN_PASS,
): Promise<void> {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

/** A station that serves the page as currently built. Its jobs find all songs measured. */
export async function prepare(
  t: Test,
  settings: Record<string, string>,
  songs: Tone[] = tones,
): Promise<Station> {
  const cheap = songs.map((song) => ({ isMono: true, ...song }))
  const station = await prepareStation(t, cheap, { WEB_DIST: await builtPage(), ...settings })
  const startJobs = async () => {
    await noteMeasurements(station, cheap)
    return station.startJobs()
  }
  return { ...station, startJobs }
}

/** Gives every song of the station lyrics: one line every two seconds. */
export async function writeLyrics(station: Station): Promise<void> {
  const data = await station.openData()
  for (const { name, seconds } of tones) {
    const lines = Array.from({ length: seconds / 2 }, (_, i) => ({ time: 2 * i, text: `${name}, line ${i}` }))
    await data.lyrics.put({ key: lyricsKey(`Artist of ${name}`, name), synced: true, lines })
  }
  await data.close()
}

/** The super admin on a socket of their own, ready to answer requests. */
export async function adminAt(
  t: Test,
  url: string,
): Promise<SocketClient & { openWindow(): Promise<SocketClient> }> {
  const answer = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS }),
  })
  const { token } = (await answer.json()) as { token: string }
  const openWindow = async () => {
    const admin = openSocket(t, url)
    admin.socket.emit('admin_active', token)
    await admin.first('admin_confirmed')
    return admin
  }
  return { ...(await openWindow()), openWindow }
}

/**
 * Resolves when the loudest pitch from the audio element is this one, within one bin. A page may not analyse audio from
 * another origin, such as a bucket: then it resolves once playback advances.
 */
export async function hears(page: Page, hz: number): Promise<void> {
  const source = await page.evaluate(() => document.querySelector('audio')!.currentSrc)
  if (process.env.TEST_MEDIA === 'cloud' && source.includes('/api/audio/')) return advances(page)
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

/** Keeps an analyser at what a page plays through Web Audio: `window.analyser`. */
function analyseOutput(): void {
  const connect = AudioNode.prototype.connect as (to: AudioNode) => AudioNode
  AudioNode.prototype.connect = function (this: AudioNode, to: AudioNode) {
    if (to instanceof AudioDestinationNode) {
      const analyser = new AnalyserNode(this.context, { fftSize: 8192 })
      connect.call(this, analyser)
      Object.assign(window, { analyser })
    }
    return connect.call(this, to)
  } as typeof AudioNode.prototype.connect
}

/** Resolves once the sound has advanced by a second: that of the element, or the position shown while the element is silent. */
export async function advances(page: Page): Promise<void> {
  const position = () => {
    const audio = document.querySelector('audio')!
    const shown = Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second)
    return audio.loop ? shown : audio.currentTime
  }
  const from = await page.evaluate(position)
  await until('the sound advances', async () => (await page.evaluate(position)) > from + 1)
}

export const titleShown = async (page: Page) => (await page.locator('h1').textContent())?.trim() ?? ''

/** Finds the first faults of an accessibility audit: names, languages, headings, duplicate ids. */
export async function flaws(page: Page): Promise<string[]> {
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

/** How many style sheets the station sent within the page, and those that were fetched nevertheless. */
export const placedStyles = (page: Page): Promise<{ placed: number; again: string[] }> =>
  page.evaluate(() => {
    const hrefs = [...document.querySelectorAll<HTMLElement>('style[data-href]')].map(
      ({ dataset }) => new URL(dataset.href!, location.href).href,
    )
    const fetched = performance.getEntriesByType('resource').map(({ name }) => name)
    return { placed: hrefs.length, again: hrefs.filter((href) => fetched.includes(href)) }
  })
