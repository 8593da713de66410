import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Test } from 'tap'
import { until } from '../until.ts'
import { type Visit, visit } from './browser.ts'

/** Resolves when a player of HLS can begin. */
export async function haveSegments(url: string): Promise<void> {
  const count = async () =>
    (await (await fetch(`${url}/api/hls/mp3-128/live.m3u8`)).text()).split('#EXTINF').length - 1
  await until('there are segments', async () => (await count()) >= 3)
}

/** Opens the page as on an iPhone, where it plays segments by the browser's own player: those of AAC, as Chromium's plays no others. */
export function visitOnIphone(
  t: Test,
  url: string,
  screen: BrowserContextOptions = {},
  beforehand: (page: Page) => Promise<unknown> = async () => {},
): Promise<Visit> {
  const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)'
  return visit(t, url, { userAgent, ...screen }, async (opening) => {
    await beforehand(opening)
    await opening.addInitScript(() => {
      // As WebKit tells it.
      Object.assign(HTMLAudioElement.prototype, { getStartDate: () => new Date(Number.NaN) })
      localStorage.setItem('radio_quality', 'low')
    })
  })
}
