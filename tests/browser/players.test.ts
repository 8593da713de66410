import type { Page } from 'playwright-core'
import t from 'tap'
import { advances, prepare, visit } from '../harness/browser/browser.ts'
import { forgetReadings, isLive, listenIn, prepareRising, readings } from '../harness/browser/live-sound.ts'

t.test(
  'where Web Audio can’t decode a file the element plays it; one that stands still gets it again',
  async (t) => {
    const station = await prepare(t, { STREAM_MODE: 'false', MEDIA_STORAGE: 'local' })
    await station.startWorker()
    const api = await station.startApi()
    const { page } = await visit(t, `${api.url}/en/`, {}, (opening) =>
      opening.addInitScript(() => {
        BaseAudioContext.prototype.decodeAudioData = () =>
          Promise.reject(new DOMException('no decoder', 'EncodingError'))
      }),
    )
    await page.locator('.listen').click()
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await page.waitForFunction(() => document.querySelector('audio')!.src.includes('/api/audio/stream'))
    await advances(page)
    await page.evaluate(() => {
      const audio = document.querySelector('audio')!
      const { currentTime } = audio
      Object.defineProperty(audio, 'currentTime', {
        configurable: true,
        get: () => currentTime,
        set: () => {},
      })
      audio.addEventListener('emptied', () => Reflect.deleteProperty(audio, 'currentTime'), { once: true })
    })
    await page.waitForFunction(() => !Object.hasOwn(document.querySelector('audio')!, 'currentTime'))
    await page.locator('.horizon[data-sound=playing]').waitFor()
    await advances(page)
  },
)

/** Beyond this, a listener hears the sound jump. */
const JUMP_MS = 350
/** Exact figures are the benchmark's business: here other tests compute at the same time. */
const IN_STEP_MS = 60
/** So late that counting frames from the beginning would take long. */
const LATE_S = 20

t.test('interruptions of the sound', async (t) => {
  const { url, beganMs } = await prepareRising(t)
  const failed = { count: 0 }
  const { page } = await visit(t, `${url}/en/`, {}, async (opening) => {
    await opening.addInitScript(makeHideable)
    await opening.addInitScript(refuseFirstSound)
    await opening.addInitScript(keepMediaKeys)
    await opening.addInitScript(placeDevice)
    opening.on('requestfailed', (request) => {
      if (request.url().includes('/api/audio/stream')) failed.count++
    })
    await opening.route('**/api/audio/stream*', (route) => route.abort(), { times: 1 })
  })
  const sounds = (is: string) => page.locator(`.horizon[data-sound=${is}]`).waitFor()
  await listenIn(page, beganMs)

  await t.test('a browser that wants another press gets it', async () => {
    await page.locator('.listen').click()
    await sounds('blocked')
    await page.locator('.notice[role=alert]', { hasText: 'Press Play' }).waitFor()
    await page.locator('.play').click()
  })

  await t.test('a file that can’t be fetched at first is fetched again', async (t) => {
    await isLive(page, JUMP_MS)
    t.ok(failed.count > 0)
  })

  await t.test('after a pause by the system the sound goes on live', async (t) => {
    await page.evaluate(() => document.querySelector('audio')!.pause())
    await sounds('paused')
    await contextIs(page, 'suspended')
    await forgetReadings(page)
    await stationMovesOn(page, 2)
    t.same(await readings(page), [], 'silent meanwhile')
    await page.evaluate(() => document.querySelector('audio')!.play())
    await isLive(page, JUMP_MS)
    t.ok(await wasLive(page), 'nothing of what passed is heard')
  })

  await t.test('lock screens and media keys pause it and let it go on', async (t) => {
    const press = (key: 'play' | 'pause') =>
      page.evaluate((action) => {
        ;(window as Window & { mediaKeys?: Record<string, () => void> }).mediaKeys![action]!()
        return navigator.mediaSession.playbackState
      }, key)
    t.equal(await page.evaluate(() => navigator.mediaSession.playbackState), 'playing')
    await press('pause')
    await sounds('paused')
    await page.waitForFunction(() => navigator.mediaSession.playbackState === 'paused')
    t.ok(await page.evaluate(() => document.querySelector('audio')!.paused), 'for the system, too')
    await press('play')
    await isLive(page, JUMP_MS)
  })

  await t.test('a context that the system suspends goes on when it may', async (t) => {
    await page.evaluate(async () => {
      const { context } = (window as Window & { analyser?: AnalyserNode }).analyser!
      Object.assign(context, {
        resume: () => Promise.reject(new DOMException('A call', 'InvalidStateError')),
      })
      await (context as AudioContext).suspend()
    })
    await sounds('starting')
    await forgetReadings(page)
    await stationMovesOn(page, 2)
    t.same(await readings(page), [], 'silent meanwhile')
    const own = await page.evaluateHandle(() => {
      const { context } = (window as Window & { analyser?: AnalyserNode }).analyser!
      Reflect.deleteProperty(context, 'resume')
      return context
    })
    await isLive(page, JUMP_MS)
    await page.waitForFunction(({ state }) => state === 'running', own)
    t.ok(await wasLive(page), 'the same one, and nothing of what passed is heard')
  })

  await t.test('an audio clock that stands still is replaced', async () => {
    const old = await page.evaluateHandle(() => {
      const { context } = (window as Window & { analyser?: AnalyserNode }).analyser!
      const { currentTime } = context
      Object.defineProperty(context, 'currentTime', { get: () => currentTime })
      Object.assign(context, { getOutputTimestamp: () => ({ contextTime: currentTime, performanceTime: 0 }) })
      return context
    })
    await page.waitForFunction(
      (dead) => (window as Window & { analyser?: AnalyserNode }).analyser!.context !== dead,
      old,
    )
    await isLive(page, JUMP_MS)
    await page.waitForFunction((dead) => dead.state === 'closed', old)
  })

  await t.test(
    'in the background, where timers run once a second, the sound stays where it is',
    async (t) => {
      await forgetReadings(page)
      await setHidden(page, true)
      await stationMovesOn(page, 4)
      await isLive(page, JUMP_MS)
      await setHidden(page, false)
      t.ok(await wasLive(page))
    },
  )

  await t.test('another device gets the song itself; afterwards the page is in step again', async () => {
    const menuItem = async (text: string) => {
      await page.getByRole('button', { name: 'Menu' }).click()
      const item = page.locator('.menu-item', { hasText: text })
      await item.waitFor()
      return item
    }
    await (await menuItem('Play on another device')).click()
    await page.locator('.toast[data-shown=true]', { hasText: 'no device nearby' }).waitFor()
    await page.evaluate(() =>
      Object.assign((window as Window & { device?: object }).device!, { refusal: null }),
    )
    await (await menuItem('Play on another device')).click()
    await page.waitForFunction(() => document.querySelector('audio')!.src.includes('/api/audio/stream'))
    await sounds('playing')
    await deviceBecomes(page, 'connected')
    await menuItem('Playing on another device')
    await page.keyboard.press('Escape')
    await deviceBecomes(page, 'disconnected')
    await page.locator('.play').click()
    await sounds('paused')
    await page.locator('.play').click()
    await page.waitForFunction(() => document.querySelector('audio')!.loop)
    await isLive(page, JUMP_MS)
  })

  await t.test('whoever joins late is in step at once, although the bit rate varies', async (t) => {
    await stationReaches(page, LATE_S)
    const { page: other } = await visit(t, `${url}/en/`)
    await listenIn(other, beganMs)
    const places = other.waitForResponse('**/api/audio/frames?*')
    await other.locator('.listen').click()
    t.equal((await places).status(), 200, 'the station tells where the frames lie')
    await Promise.all([isLive(page, IN_STEP_MS), isLive(other, IN_STEP_MS)])
  })
})

/** True when the page sounded live since the readings were forgotten; a few of them are off where a machine is starved. */
async function wasLive(page: Page): Promise<boolean> {
  const all = await readings(page)
  return all.filter((behindMs) => Math.abs(behindMs) > JUMP_MS).length < all.length / 4
}

const contextIs = (page: Page, state: string) =>
  page.waitForFunction(
    (wanted) => (window as Window & { analyser?: AnalyserNode }).analyser!.context.state === wanted,
    state,
  )

/** Resolves when the station is this many seconds further, by what the page shows. */
async function stationMovesOn(page: Page, seconds: number): Promise<void> {
  const shown = () => Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second)
  const from = await page.evaluate(shown)
  await stationReaches(page, from + seconds)
}

/** Resolves when the song is this many seconds old, by what the page shows. */
const stationReaches = (page: Page, second: number) =>
  page.waitForFunction(
    (to) => Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second) >= to,
    second,
  )

/** Lets a test say that the page is in the background, where browsers run timers once a second. */
function makeHideable(): void {
  const { setTimeout } = window
  const view = window as Window & { isHidden?: boolean }
  const slowed = (ms = 0) => (view.isHidden ? Math.max(1000, ms) : ms)
  Object.assign(window, {
    setTimeout: (run: TimerHandler, ms?: number) => setTimeout(run, slowed(ms)),
  })
  Object.defineProperty(document, 'hidden', { get: () => view.isHidden === true })
  Object.defineProperty(document, 'visibilityState', { get: () => (view.isHidden ? 'hidden' : 'visible') })
}

/** The first sound is refused, as browsers do to pages that nobody has touched. */
function refuseFirstSound(): void {
  const { play } = HTMLMediaElement.prototype
  HTMLMediaElement.prototype.play = async () => {
    HTMLMediaElement.prototype.play = play
    throw new DOMException('Press something first', 'NotAllowedError')
  }
}

/** Keeps what the page does when a media key is pressed. */
function keepMediaKeys(): void {
  const mediaKeys: Record<string, MediaSessionActionHandler | null> = {}
  Object.assign(window, { mediaKeys })
  const session = navigator.mediaSession
  const set = session.setActionHandler.bind(session)
  session.setActionHandler = (action, handler) => {
    mediaKeys[action] = handler
    set(action, handler)
  }
}

interface Device extends EventTarget {
  state: 'connecting' | 'connected' | 'disconnected'
  /** Name of the error with which it answers a prompt. */
  refusal: string | null
  becomes(state: Device['state']): void
}

/** Puts a device nearby that can play what the page plays (Remote Playback): `window.device`. */
function placeDevice(): void {
  const events = { connecting: 'connecting', connected: 'connect', disconnected: 'disconnect' }
  const device: Device = Object.assign(new EventTarget(), {
    state: 'disconnected' as Device['state'],
    refusal: 'NotFoundError',
    becomes(state: Device['state']) {
      device.state = state
      device.dispatchEvent(new Event(events[state]))
    },
    async watchAvailability(tell: (isAvailable: boolean) => void) {
      tell(true)
      return 1
    },
    async cancelWatchAvailability() {},
    async prompt() {
      if (device.refusal) throw new DOMException('', device.refusal)
      device.becomes('connecting')
    },
  })
  Object.assign(window, { device })
  Object.defineProperty(HTMLMediaElement.prototype, 'remote', { get: () => device })
}

const deviceBecomes = (page: Page, state: Device['state']) =>
  page.evaluate((to) => (window as Window & { device?: Device }).device!.becomes(to), state)

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.assign(window, { isHidden: hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)
}
