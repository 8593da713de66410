import type { Page } from 'playwright-core'
import t from 'tap'
import { prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { startFaultyReplica } from '../harness/servers/faulty-replica.ts'
import { until } from '../harness/until.ts'

const tracks = [{ name: 'Low Tide', hz: 440, seconds: 240 }]
/** The panel's player is no part of its document. */
const keepPlayers = () => {
  const Player = window.Audio
  const players: HTMLAudioElement[] = []
  window.Audio = class extends Player {
    constructor(src?: string) {
      super(src)
      players.push(this)
    }
  } as typeof Audio
  Object.assign(window, { players })
}

/** The state of the player that has a sound. */
const playing = (page: Page) =>
  page.evaluate(() => {
    const { players } = window as Window & { players?: HTMLAudioElement[] }
    const audio = players!.find(({ src }) => src !== '')
    return audio && { second: audio.currentTime, seconds: audio.duration, isOver: audio.ended }
  })

t.test('an admin hears what the monitor heard when an alarm began', async (t) => {
  const station = await prepare(t, { NIGHT_MODE: 'false', ...SUPER_ADMIN }, tracks)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const faulty = await startFaultyReplica(t, url)
  station.env.MONITOR_URLS = faulty.url
  const jobs = await station.startJobs()
  await jobs.printed(/monitor listening/)
  faulty.set('title')
  const data = await station.openData()
  t.teardown(() => data.close())
  await until('the sound of the alarm is stored', async () => {
    const [alarm] = await data.alarms.find({ cause: 'title' })
    return alarm?.hasEvidence === true
  })

  const keep = (page: Page) => page.addInitScript(keepPlayers)
  const { page, complaints } = await visit(t, `${url}/en/adlogin`, {}, keep)
  await signIn(page)
  await page.getByRole('link', { name: 'Monitoring' }).click()
  const alarm = page.getByRole('listitem').filter({ has: page.locator('.alarm-sound') })
  const answer = page.waitForResponse(/alarms\/evidence/)
  await alarm.getByRole('button', { name: /^What it sounded like/ }).click()
  t.match(await (await answer).allHeaders(), { 'content-type': 'audio/mpeg', 'accept-ranges': 'bytes' })
  t.equal((await answer).status(), 206, 'in ranges, without which Safari plays nothing')
  await until('it plays', async () => ((await playing(page))?.second ?? 0) > 0.5)
  const { seconds } = (await playing(page))!
  t.ok(seconds > 1 && seconds < 10.5, `${seconds} s`)
  await page.getByRole('button', { name: /^What it sounded like/, pressed: true }).click()
  await page.getByRole('button', { name: /^What it sounded like/, pressed: false }).click()
  await until('it is played to its end', async () => (await playing(page))?.isOver === true)
  t.equal(await alarm.getByRole('alert').count(), 0)
  t.same(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})
