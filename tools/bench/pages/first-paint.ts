import { type BrowserContextOptions, chromium } from 'playwright-core'
import type { Teardown } from '../../../tests/harness/processes/processes.ts'
import { builtPage } from '../../../tests/harness/processes/programs.ts'
import { prepareStation } from '../../../tests/harness/stations/station.ts'
import { until } from '../../../tests/harness/until.ts'
import { usageOf } from '../usage.ts'

/** How the page comes to one kind of screen: the median of several first visits. */
export interface FirstPaint {
  device: string
  fcpMs: number
  lcpMs: number
  shift: number
  /** From the first byte to the socket's first answer: the page is live. */
  onlineMs: number
  /** Of the page, its scripts and its style sheets, as they came. */
  kilobytes: number
}

export interface PageLoad {
  perSecond: number
  p99Ms: number
  /** % of a core per 100 pages a second. */
  apiCpu: number
}

const VISITS = 5
const CPU_SLOWDOWN = 4
/** Slow 4G as Lighthouse has it. */
const LINE = { latency: 150, downloadThroughput: (1.6384e6 * 1.024 ** 2) / 8, uploadThroughput: 750_000 / 8 }
const LOAD_MS = 5_000
const LOAD_AT_ONCE = 20

const devices: Record<string, BrowserContextOptions> = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1440, height: 900 } },
}

/** Measures first visits to the listener's page on a slow device and line, and the page under load. */
export async function measureFirstPaint(run: Teardown): Promise<{ paints: FirstPaint[]; load: PageLoad }> {
  const tones = [{ name: 'First Tram over the Long Bridge', hz: 440, seconds: 240 }]
  const station = await prepareStation(run, tones, { WEB_DIST: await builtPage() })
  const [api] = await Promise.all([station.startApi(), station.startWorker()])
  await until('the song is in the page', async () => (await pageOf(api.url)).includes('First Tram'))
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  run.teardown(() => browser.close())

  const paints: FirstPaint[] = []
  for (const [device, options] of Object.entries(devices)) {
    const visits: Omit<FirstPaint, 'device'>[] = []
    for (let i = 0; i < VISITS; i++) {
      const context = await browser.newContext({ ...options, serviceWorkers: 'block' })
      visits.push(await measureVisit(await context.newPage(), api.url))
      await context.close()
    }
    const medianOf = (name: keyof (typeof visits)[number]) => median(visits.map((visit) => visit[name]))
    paints.push({
      device,
      fcpMs: medianOf('fcpMs'),
      lcpMs: medianOf('lcpMs'),
      shift: Math.max(...visits.map(({ shift }) => shift)),
      onlineMs: medianOf('onlineMs'),
      kilobytes: medianOf('kilobytes'),
    })
  }
  return { paints, load: await measureLoad(api.url, api.process.child.pid!) }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newPage']>>

async function measureVisit(page: Page, url: string): Promise<Omit<FirstPaint, 'device'>> {
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', { offline: false, ...LINE })
  await client.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.addInitScript(() => {
    const seen = { lcpMs: 0, shift: 0 }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.lcpMs = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        seen.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(url)
  await page.waitForFunction(() => document.querySelector('.link[data-link=online]'))
  const onlineMs = await page.evaluate(() => performance.now())
  await page.waitForLoadState('networkidle')
  return page.evaluate((onlineMs) => {
    const { seen } = window as unknown as Window & { seen: { lcpMs: number; shift: number } }
    const entries = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')),
    ] as PerformanceResourceTiming[]
    return {
      ...seen,
      onlineMs,
      fcpMs: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
      kilobytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1000,
    }
  }, onlineMs)
}

async function measureLoad(url: string, pid: number): Promise<PageLoad> {
  const times: number[] = []
  const before = await usageOf(pid)
  const startedMs = performance.now()
  const visitor = async () => {
    while (performance.now() - startedMs < LOAD_MS) {
      const askedMs = performance.now()
      await pageOf(url)
      times.push(performance.now() - askedMs)
    }
  }
  await Promise.all(Array.from({ length: LOAD_AT_ONCE }, visitor))
  const elapsedS = (performance.now() - startedMs) / 1000
  const cpuS = (await usageOf(pid)).cpuS - before.cpuS
  const perSecond = times.length / elapsedS
  return {
    perSecond,
    p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!,
    apiCpu: ((cpuS / elapsedS) * 100) / (perSecond / 100),
  }
}

async function pageOf(url: string): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html', 'accept-encoding': 'br' } })).text()
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
