import { parseArgs } from 'node:util'
import type { Teardown } from '../../tests/harness/processes/processes.ts'
import { type Look, openBrowser, type View } from './camera.ts'
import { takeListener } from './listener.ts'
import { takeDay, takeNight, takeStudio } from './pages.ts'
import { takeEntrance, takePanel } from './panel.ts'
import { takeStates } from './panel-states.ts'
import { comeIn } from './people.ts'
import { openStage } from './station.ts'
import { takeStatus } from './status.ts'

// `npm run pictures`: all pictures of the documents, taken at a station of its own with an invented library. The first run
// makes that library, which takes minutes; it is kept in `.build/pictures`.
//
//   --sets panel,entrance,status,day,studio,night   which of them; also `states` of the panel (panel-states.ts) and `listener`, those
//                                            of the listener's page (listener.ts)
//   --only on-air,library         these scenes of the panel (scenes.ts), its states and the listener's page
//   --views desktop,phone         also `tablet`, `small` (320 px), `zoomed` (400 %) and `wide` (4K); these pictures, and all
//                                 states, go to .build/pictures/others
//   --looks day,night
//   --locale en                   or `uk`; the documents show `en`

const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: 'panel,entrance,status,day,studio,night' },
    only: { type: 'string', default: '' },
    views: { type: 'string', default: 'desktop,phone' },
    looks: { type: 'string', default: 'day,night' },
    locale: { type: 'string', default: 'en' },
  },
})
const list = (text: string) => text.split(',').filter(Boolean)
const sets = list(values.sets)
const wish = {
  only: list(values.only),
  views: list(values.views) as View[],
  looks: list(values.looks) as Look[],
  locale: values.locale as 'en' | 'uk',
}

const ends: (() => unknown)[] = []
const run: Teardown = { teardown: (end) => void ends.unshift(end) }
process.once('SIGINT', () => finish(130))
process.once('SIGTERM', () => finish(143))
try {
  const stage = await openStage(run)
  const audience = await comeIn(run, stage)
  const browser = await openBrowser(run, stage.url)
  const wrong: string[] = []
  if (sets.includes('panel')) wrong.push(...(await takePanel(browser, stage, wish, audience.ask)))
  if (sets.includes('states')) wrong.push(...(await takeStates(browser, stage, wish)))
  if (sets.includes('entrance')) wrong.push(...(await takeEntrance(browser, wish)))
  if (sets.includes('listener')) wrong.push(...(await takeListener(run, browser, stage, wish, audience)))
  if (sets.includes('status')) await takeStatus(browser)
  if (sets.includes('day')) await takeDay(browser, stage, audience)
  if (sets.includes('studio')) await takeStudio(browser, stage)
  if (sets.includes('night')) await takeNight(browser, stage, audience)
  for (const line of wrong) process.stderr.write(`${line}\n`)
  await finish(wrong.length ? 1 : 0)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  await finish(1)
}

async function finish(code: number): Promise<void> {
  for (const end of ends.splice(0)) await end()
  process.exit(code)
}
