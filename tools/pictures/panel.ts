import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type Look, openPage, take, tooWide, type View, views } from './camera.ts'
import { ORDER } from './past.ts'
import { type Scene, scenes } from './scenes.ts'
import { NEWCOMER, SITE, type Stage, TEMPORARY_PASSWORD } from './station.ts'

export interface Wish {
  /** Names of scenes; all when empty. */
  only: string[]
  views: View[]
  looks: Look[]
  locale: 'en' | 'uk'
}

const nameOf = (scene: string, view: View, look: Look, locale: string) =>
  `panel-${scene}${view === 'desktop' ? '' : `-${view}`}${look === 'night' ? '-dark' : ''}${locale === 'en' ? '' : `-${locale}`}`

/** Takes the pictures of the panel; returns what is wrong with them. @param before is awaited for each screen and look */
export async function takePanel(
  browser: Browser,
  stage: Stage,
  wish: Wish,
  before: () => Promise<unknown>,
): Promise<string[]> {
  const all = Object.entries(scenes(stage.song, ORDER, await filesToAdd(stage)))
  const wrong: string[] = []
  for (const view of wish.views)
    for (const look of wish.looks) {
      const chosen = all.filter(([name, scene]) =>
        wish.only.length > 0 ? wish.only.includes(name) : isPublished(scene, view, look),
      )
      if (chosen.length === 0) continue
      await before()
      const page = await openPage(browser, views[view], { admin_theme: look }, stage.token)
      page.on('pageerror', (error) => wrong.push(`${view} ${look}: ${error.message}`))
      for (const [name, scene] of chosen) {
        const picture = nameOf(name, view, look, wish.locale)
        wrong.push(...(await shoot(page, scene, view, picture, wish.locale)))
      }
      await page.context().close()
    }
  return wrong
}

/** The small and the zoomed screen show everything, for looking at only. */
function isPublished({ published }: Scene, view: View, look: Look): boolean {
  if (published === 'all' || view === 'small' || view === 'zoomed') return true
  if (view === 'desktop') return look === 'day'
  return published === 'some' && look === 'night'
}

async function shoot(
  page: Page,
  scene: Scene,
  view: View,
  picture: string,
  locale: string,
): Promise<string[]> {
  const wrong: string[] = []
  try {
    await page.unrouteAll()
    if (scene.isCalm) await calm(page)
    await page.goto(`${SITE}${locale === 'uk' ? '' : '/en'}/adpanel/${scene.at}`)
    await page.locator('.panel').waitFor()
    await page.locator(scene.ready).first().waitFor()
    await page.waitForTimeout(700)
    await scene.act?.(page, view)
    await page.waitForTimeout(600)
    wrong.push(...(await tooWide(page)).map((name) => `${picture}: ${name} is too wide`))
  } catch (error) {
    wrong.push(`${picture}: ${(error as Error).message.split('\n')[0]}`)
  }
  await take(page, picture, view).catch((error) => wrong.push((error as Error).message))
  return wrong
}

/** Answers that have nothing to be alerted of. */
const nothing = {
  alarms: { alarms: [] },
  'donations/history': { unqueued: 0 },
  webhooks: { webhooks: [] },
  jobs: { queues: [] },
}

async function calm(page: Page): Promise<void> {
  for (const [path, json] of Object.entries(nothing))
    await page.route(new RegExp(`/api/admin/${path}(\\?|$)`), (route) => route.fulfill({ json }))
}

/** Files that are not in the library under these names. */
async function filesToAdd({ media }: Stage): Promise<string[]> {
  const folder = join(media, 'new')
  return (await readdir(folder)).map((name) => join(folder, name))
}

/** The login page, and the form for a helper's own password. */
export async function takeEntrance(browser: Browser, wish: Wish): Promise<string[]> {
  const wrong: string[] = []
  for (const view of wish.views)
    for (const look of wish.looks) {
      const page = await openPage(browser, views[view], { admin_theme: look, last_mode: look })
      try {
        await page.goto(`${SITE}${wish.locale === 'uk' ? '' : '/en'}/adlogin`)
        const login = page.locator('form input').first()
        await login.waitFor()
        await take(page, nameOf('login', view, look, wish.locale), view)
        await login.fill(NEWCOMER)
        await page.locator('input[type=password]').fill(TEMPORARY_PASSWORD)
        await page.keyboard.press('Enter')
        await page.locator('input[autocomplete=new-password]').first().waitFor()
        await take(page, nameOf('activation', view, look, wish.locale), view)
      } catch (error) {
        wrong.push(`entrance, ${view}, ${look}: ${(error as Error).message.split('\n')[0]}`)
      }
      await page.context().close()
    }
  return wrong
}
