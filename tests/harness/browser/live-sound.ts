import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { openSocket } from '../people/socket-client.ts'
import { prepare } from './browser.ts'

/** A song whose pitch tells its position. Where its frames lie can't be calculated. */
const RISING = { name: 'Flood', hz: 400, rise: 20, seconds: 480, isVariable: true }

/** A station in sync mode that plays one song, whose pitch tells the position; the song began at `beganMs`. */
export async function prepareRising(t: Test): Promise<{ url: string; beganMs: number }> {
  // Only sound from the page's own origin can be analysed.
  const station = await prepare(t, { STREAM_MODE: 'false', MEDIA_STORAGE: 'local' }, [RISING])
  await station.startWorker()
  const { url } = await station.startApi()
  const listener = openSocket(t, url)
  const { serverTimeMs, seek } = await listener.first<{ serverTimeMs: number; seek: number }>(
    'sync',
    ({ seek }) => seek > 0,
  )
  listener.socket.disconnect()
  return { url, beganMs: serverTimeMs - 1000 * seek }
}

/**
 * Measures from now on how far a page's sound is behind the station, many times a second: its position by the pitch at the
 * output, and when that is heard by the output's own clock. Silence and an output that stands still give no readings.
 *
 * @param beganMs when the song began, epoch ms.
 */
export async function listenIn(page: Page, beganMs: number): Promise<void> {
  await page.evaluate(
    ({ beganMs, hz, rise }) => {
      const view = window as Window & { analyser?: AnalyserNode; readings?: number[] }
      view.readings = []
      let lastS = 0
      let stoodS = 0
      setInterval(() => {
        const { analyser } = view
        if (!analyser) return
        const context = analyser.context as AudioContext
        if (context.state !== 'running') {
          stoodS = context.currentTime
          return
        }
        if (context.currentTime < stoodS) stoodS = 0
        const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp()
        const renderedS = context.currentTime
        if (renderedS === lastS || contextTime === 0) return
        lastS = renderedS
        // The analyser holds the end of what sounded before, too.
        if (renderedS - stoodS < 0.05 + analyser.fftSize / context.sampleRate) return
        analyser.smoothingTimeConstant = 0
        const bins = new Float32Array(analyser.frequencyBinCount)
        analyser.getFloatFrequencyData(bins)
        const top = bins.indexOf(Math.max(...bins))
        const [below, most, above] = [bins[top - 1]!, bins[top]!, bins[top + 1]!]
        if (!(most > -50)) return
        const binHz = context.sampleRate / analyser.fftSize
        const pitchHz = binHz * (top + (below - above) / 2 / (below - 2 * most + above))
        const middleS = renderedS - analyser.fftSize / 2 / context.sampleRate
        const heardMs = performance.timeOrigin + performanceTime + 1000 * (middleS - contextTime)
        view.readings!.push(heardMs - beganMs - (1000 * (pitchHz - hz)) / rise)
      }, 40)
    },
    { beganMs, ...RISING },
  )
}

/** Forgets the readings so far. */
export const forgetReadings = (page: Page): Promise<void> =>
  page.evaluate(() => void Object.assign(window, { readings: [] }))

/** How far the page's sound is behind the station in ms, by each reading since they were last forgotten. */
export const readings = (page: Page): Promise<number[]> =>
  page.evaluate(() => (window as Window & { readings?: number[] }).readings!)

const SETTLED = 15

/** Resolves once so many readings in a row are within this distance of the station; returns their median in ms. */
export async function isLive(page: Page, withinMs: number): Promise<number> {
  const found = await page.waitForFunction(
    ({ count, withinMs }) => {
      const last = (window as Window & { readings?: number[] }).readings!.slice(-count)
      const isSteady = last.length === count && last.every((behindMs) => Math.abs(behindMs) < withinMs)
      return isSteady && { medianMs: last.sort((a, b) => a - b)[count >> 1]! }
    },
    { count: SETTLED, withinMs },
    { polling: 50 },
  )
  return ((await found.jsonValue()) as { medianMs: number }).medianMs
}
