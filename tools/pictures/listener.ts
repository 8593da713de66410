import { sleep } from '@solstice/station'
import type { Browser } from 'playwright-core'
import { openSocket, type SocketClient } from '../../tests/harness/people/socket-client.ts'
import { logIn } from '../../tests/harness/people/uploads.ts'
import type { Teardown } from '../../tests/harness/processes/processes.ts'
import { until } from '../../tests/harness/until.ts'
import { type Look, look, openPage, tooWide, type View, views } from './camera.ts'
import { type ListenerScene, listenerScenes, talkScenes } from './listener-scenes.ts'
import { becomesNight } from './pages.ts'
import type { Wish } from './panel.ts'
import type { Audience } from './people.ts'
import { ADMIN, SITE, type Stage } from './station.ts'

/** Takes the states of the listener's page, also while hosts talk; returns what is wrong with them. */
export async function takeListener(
  t: Teardown,
  browser: Browser,
  stage: Stage,
  wish: Wish,
  audience: Audience,
): Promise<string[]> {
  const wrong: string[] = []
  for (const mode of wish.looks) {
    if (mode === 'night') await becomesNight(stage, audience)
    const takeAll = async (scenes: Record<string, ListenerScene>) => {
      for (const [name, scene] of chosen(scenes, wish))
        for (const view of wish.views.filter((view) => scene.views?.includes(view) ?? true))
          wrong.push(...(await shoot(browser, scene, { name, view, mode, locale: wish.locale })))
    }
    await takeAll(listenerScenes)
    if (chosen(talkScenes, wish).length === 0) continue
    const end = await talk(t, stage, audience)
    await takeAll(talkScenes)
    await end()
  }
  return wrong
}

const chosen = (scenes: Record<string, ListenerScene>, { only }: Wish) =>
  Object.entries(scenes).filter(([name]) => only.length === 0 || only.includes(name))

interface Shot {
  name: string
  view: View
  mode: Look
  locale: 'en' | 'uk'
}

/** A scene that can't be made is told of; the others are taken. */
async function shoot(browser: Browser, scene: ListenerScene, shot: Shot): Promise<string[]> {
  const picture = `listener-${shot.name}-${shot.view}-${shot.mode}-${shot.locale}`
  const wrong: string[] = []
  const page = await openPage(browser, { ...views[shot.view], ...scene.screen }, scene.stored)
  page.on('pageerror', ({ message }) => wrong.push(`${picture}: ${message}`))
  try {
    await scene.before?.(page)
    await page.goto(`${SITE}${shot.locale === 'en' ? '/en/' : '/'}${scene.query ?? ''}`)
    await page.locator('.tracks li').first().waitFor()
    await page.waitForTimeout(2_500)
    await scene.act?.(page, shot.view)
    const wide = await tooWide(page)
    if (wide.length > 0) wrong.push(`${picture} is too wide: ${wide.join(', ')}`)
  } catch (error) {
    wrong.push(`${picture}: ${(error as Error).message.split('\n')[0]}`)
  }
  await look(page, picture)
  await page.context().close()
  return wrong
}

/** Lets two hosts talk between tracks. @returns ends it */
async function talk(t: Teardown, stage: Stage, { admin }: Audience): Promise<() => Promise<void>> {
  const hosts: SocketClient[] = []
  for (const login of [ADMIN.login, 'ihor']) {
    const host = openSocket(t, stage.url, { headers: { 'x-forwarded-for': `192.0.2.${30 + hosts.length}` } })
    host.socket.emit('admin_active', await logIn(stage.url, login, ADMIN.password))
    await host.first('admin_confirmed')
    host.socket.emit('listener_init')
    const { error } = (await host.ask('admin_go_live')) as { error?: unknown }
    if (error) throw new Error(JSON.stringify(error))
    hosts.push(host)
  }
  const [first] = hosts
  await until('the queue rests', async () => {
    first!.forget()
    first!.socket.emit('host_pause_queue', { when: 'now' })
    const { paused } = await first!.first<{ paused: boolean }>('host_queue_pause_state')
    // Refused while paid songs are queued.
    if (!paused) admin.socket.emit('admin_skip_song')
    if (!paused) await sleep(4_000)
    return paused
  })
  await first!.first('stream_chat_mode_start')
  return async () => {
    first!.forget()
    first!.socket.emit('host_resume_queue')
    await first!.first('stream_chat_mode_end')
    for (const host of hosts) {
      host.socket.emit('admin_leave_live')
      host.socket.disconnect()
    }
  }
}
