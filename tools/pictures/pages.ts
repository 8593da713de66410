import type { NowPlaying } from '@solstice/contracts'
import { artistKey, sleep } from '@solstice/station'
import type { Browser, Page } from 'playwright-core'
import { giveVoice } from '../../tests/harness/browser/voice.ts'
import { until } from '../../tests/harness/until.ts'
import { openPage, save, take, views } from './camera.ts'
import type { Audience } from './people.ts'
import { SITE, type Stage } from './station.ts'

/** The pages that listeners and other sites see by day: the page, the picture of a link, the player for other sites. */
export async function takeDay(browser: Browser, stage: Stage, audience: Audience): Promise<void> {
  await playsPictured(stage, audience)
  await listenAt(browser, 'day')
  const share = await fetch(`${stage.url}/share.png?lang=en`)
  await save(Buffer.from(await share.arrayBuffer()), 'share')
  for (const theme of ['day', 'night'])
    for (const [layout, width, height] of [
      ['compact', 420, 112],
      ['card', 340, 470],
    ] as const) {
      const page = await openPage(browser, { viewport: { width, height }, deviceScaleFactor: 2 })
      await page.goto(`${SITE}/embed?layout=${layout}&theme=${theme}&lang=en`)
      await page.locator('button').first().waitFor()
      await page.waitForTimeout(1_500)
      const player = await page.locator('#page > *').first().boundingBox()
      await page.setViewportSize({ width, height: Math.ceil(player?.height ?? height) })
      await take(page, `embed-${layout}${theme === 'night' ? '-dark' : ''}`)
      await page.context().close()
    }
}

/** Skips songs whose artists have no picture. */
async function playsPictured(stage: Stage, { admin }: Audience): Promise<void> {
  const { items } = await stage.ask<{ items: { artist: string; hasArt: boolean }[] }>('GET artist-arts')
  const pictured = new Set(items.filter(({ hasArt }) => hasArt).map(({ artist }) => artist))
  const isPictured = async () => {
    const { current } = (await (await fetch(`${stage.url}/api/now-playing`)).json()) as NowPlaying
    if (current && pictured.has(artistKey(current.artist))) return true
    admin.socket.emit('admin_skip_song')
    await sleep(4_000)
    return false
  }
  await until('an artist with a picture is on air', isPictured)
}

/** The listener page after the programme has become that of the night. */
export async function takeNight(browser: Browser, stage: Stage, audience: Audience): Promise<void> {
  await becomesNight(stage, audience)
  await listenAt(browser, 'night')
}

/** Switches the programme, and waits until it is that of the night. */
export async function becomesNight(stage: Stage, { admin }: Audience): Promise<void> {
  const isNight = async () => {
    const { mode } = (await (await fetch(`${stage.url}/api/now-playing`)).json()) as { mode: string }
    if (mode === 'night') return true
    // Refused while paid songs are queued.
    await stage.ask('POST switch-mode', { targetMode: 'night' }).catch(() => {})
    admin.socket.emit('admin_skip_song')
    await sleep(4_000)
    return false
  }
  await until('it is night', isNight)
}

async function listenAt(browser: Browser, name: 'day' | 'night'): Promise<void> {
  const page = await openPage(browser, views.desktop)
  await page.goto(`${SITE}/en/`)
  await page.locator('.byline b').waitFor()
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  // The light has left the edge, and the picture of the artist has faded in.
  await page.waitForTimeout(20_000)
  await take(page, name)
  await page.context().close()
}

/** The studio with a guest on air, and the page of that guest. */
export async function takeStudio(browser: Browser, { token }: Stage): Promise<void> {
  const host = await openPage(browser, views.desktop, { admin_theme: 'day' }, token)
  await host.addInitScript(giveVoice, 0.3)
  await host.goto(`${SITE}/en/adpanel/live`)
  await host.getByRole('button', { name: 'Go live' }).click()
  await press(host, /Turn the microphone on/)
  const guest = await askToCome(browser, 'Ivha')
  await host
    .getByRole('button', { name: /^Let in/ })
    .first()
    .click()
  await press(guest, /Go on air|Go live|Turn the microphone on|Join/)
  await press(guest, /Turn the microphone on/)
  await host.waitForTimeout(2_500)
  await take(guest, 'guest')
  await take(host, 'studio')
  for (const view of ['desktop', 'phone'] as const)
    for (const look of ['day', 'night'] as const) {
      await host.setViewportSize(views[view].viewport)
      // A reload would take the host off air.
      await host.evaluate((look) => {
        document.documentElement.dataset.mode = look
        scrollTo(0, 0)
      }, look)
      await host.waitForTimeout(800)
      await take(
        host,
        `panel-live${view === 'phone' ? '-phone' : ''}${look === 'night' ? '-dark' : ''}`,
        view,
      )
    }
  await Promise.all(browser.contexts().map((context) => context.close()))
}

async function askToCome(browser: Browser, name: string): Promise<Page> {
  const page = await openPage(browser, views.desktop)
  await page.addInitScript(giveVoice, 0.1)
  await page.goto(`${SITE}/en/guest`)
  await page.locator('form input').first().fill(name)
  await page.locator('form button').first().click()
  return page
}

/** Presses a button that is offered only in some browsers. */
const press = (page: Page, name: RegExp) =>
  page
    .getByRole('button', { name })
    .first()
    .click({ timeout: 6_000 })
    .catch(() => {})
