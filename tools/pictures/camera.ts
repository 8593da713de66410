import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import { launchChromium } from '../../tests/harness/browser/chromium.ts'
import { root, type Teardown } from '../../tests/harness/processes/processes.ts'
import { SITE } from './station.ts'

export type Look = 'day' | 'night'
export type View = 'desktop' | 'tablet' | 'phone' | 'small' | 'zoomed' | 'wide'

export const views: Record<View, BrowserContextOptions & { viewport: { width: number; height: number } }> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true },
  small: { viewport: { width: 320, height: 640 }, hasTouch: true },
  // 400 % zoom of a window of 1280 × 1024.
  zoomed: { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 },
  wide: { viewport: { width: 3840, height: 2160 } },
}
/** Pictures of these belong to the documents; the others are for looking at only. */
const published: View[] = ['desktop', 'phone']

/** Set another one to compare before anything changes. */
const screenshots = process.env.PICTURES_DIR ?? join(root, 'docs/screenshots')
/** Folder of the pictures that are for looking at only. */
const unpublished = join(root, '.build/pictures/others')

const MAX_BYTES = 150_000

/** A browser that finds the station under its public name. @param url of its API */
export async function openBrowser(t: Teardown, url: string): Promise<Browser> {
  const name = new URL(SITE).hostname
  const browser = await launchChromium({
    args: [
      `--host-resolver-rules=MAP ${name}:80 ${new URL(url).host}`,
      // Microphones and service workers want a secure page.
      `--unsafely-treat-insecure-origin-as-secure=${SITE}`,
    ],
  })
  t.teardown(() => browser.close())
  return browser
}

/** A page of a browser of its own, that stands still; logged in with a token. */
export async function openPage(
  browser: Browser,
  screen: BrowserContextOptions,
  stored: Record<string, string> = {},
  token?: string,
): Promise<Page> {
  const context = await browser.newContext({
    ...screen,
    reducedMotion: 'reduce',
    permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(
    ([stored, token]) => {
      for (const [name, value] of Object.entries(stored)) localStorage.setItem(name, value)
      if (token) sessionStorage.setItem('admin_token', token)
    },
    [stored, token] as const,
  )
  if (token) await context.addCookies([{ name: 'adminToken', value: token, url: SITE }])
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return page
}

/** Takes a picture as a PNG of a palette. @throws when it is larger than pictures in documents may be */
export async function take(page: Page, name: string, view: View = 'desktop'): Promise<void> {
  await page.evaluate(() => {
    // A heading that a dialog gave the focus.
    const focused = document.activeElement
    if (focused instanceof HTMLElement && focused.tabIndex === -1) focused.blur()
    return document.fonts.ready
  })
  await save(await page.screenshot({ caret: 'hide' }), name, view)
}

/** @throws when it is larger than pictures in documents may be */
export async function save(picture: Buffer, name: string, view: View = 'desktop'): Promise<void> {
  const folder = published.includes(view) ? screenshots : unpublished
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${name}.png`)
  for (const colours of [256, 96, 32]) {
    await sharp(picture)
      .png({ palette: true, colours, effort: 7, compressionLevel: 9, dither: 0.6 })
      .toFile(path)
    if ((await stat(path)).size <= MAX_BYTES) return
  }
  throw new Error(`${name} is larger than ${MAX_BYTES} bytes`)
}

/** Takes a picture that is for looking at only, as it is. */
export async function look(page: Page, name: string): Promise<void> {
  await mkdir(unpublished, { recursive: true })
  await page.screenshot({ caret: 'hide', path: join(unpublished, `${name}.png`) })
}

/** The first elements that stand out of the page at the right; none may. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return []
    return Array.from(document.querySelectorAll('body *'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .slice(0, 3)
      .map((element) => element.className.toString() || element.tagName)
  })
}
