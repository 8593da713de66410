import type { RadioState } from '@solstice/contracts'
import { lyricsKey } from '@solstice/station'
import type { Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openLyricsService } from '../harness/servers/services/lyrics-service.ts'
import { until } from '../harness/until.ts'

const songs = ['Low Tide', 'Half Tide', 'High Tide', 'Neap'].map((name) => ({
  name,
  hz: 440,
  seconds: 120,
}))

/** Opens the drawer of a track that is neither on air nor next. */
async function openDrawer(page: Page, id: string) {
  await signIn(page)
  await page.locator('.strip-now b').waitFor()
  await page.goto(`${new URL(page.url()).origin}/en/adpanel/library?sel=${encodeURIComponent(id)}`)
  await page.getByRole('dialog').getByLabel('Year').waitFor()
}

t.test('an admin corrects tags, finds lyrics and stamps a line by ear', async (t) => {
  const service = await openLyricsService(t)
  const settings = { STREAM_MODE: 'false', LYRICS_API_URL: service.url, ...SUPER_ADMIN }
  const station = await prepare(t, settings, songs)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const data = await station.openData()
  t.teardown(() => data.close())
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  const admin = await adminAt(t, url)
  const air = await admin.first<RadioState>('sync', ({ track, playlist }) => Boolean(track && playlist[0]))
  const locked = [air.track, air.playlist[0]!.id]
  const { name } = songs.find((song) => !locked.includes(`day/${song.name}.mp3`))!
  await openDrawer(page, `day/${name}.mp3`)
  const drawer = page.getByRole('dialog')
  const button = (name: string | RegExp) => drawer.getByRole('button', { name })
  t.same(await violations(page), [])

  await button('Save').click()
  await drawer.getByText('Nothing has changed').waitFor()
  t.pass('without a change nothing is sent')

  await drawer.getByLabel('Year').fill('1998')
  await drawer.getByRole('tab', { name: 'Lyrics' }).click()
  service.knows({ [name]: { plainLyrics: 'The water is quiet\nThe moon is low\nAnd nobody rows' } })
  await button('Look up again').click()
  await button('Use what was found').click()
  await drawer.getByRole('checkbox', { name: 'Synced' }).click()
  await button('One line per second').click()
  await drawer.getByRole('button', { name: 'Time of line 3: 00:02.00' }).waitFor()
  t.same(await violations(page), [])

  const lines = drawer.getByRole('list', { name: 'Lines' })
  await lines.focus()
  await page.keyboard.press('Space')
  await button('Pause').waitFor()
  await page.waitForFunction(() => document.querySelector('.transport-clock')!.textContent! > '00:01.00')
  await page.keyboard.press('t')
  await page.keyboard.press('Space')
  const stamped = /Time of line 1: 00:(0[1-9]|[1-5]\d)/
  await button(stamped).waitFor()

  await button(/^Time of line 2/).click()
  await page.keyboard.type('01:10.50')
  await page.keyboard.press('Enter')
  await button('Time of line 3: 01:02.00, before the line above').waitFor()
  t.pass('the minute carries to the line that follows')
  await button(/^Time of line 3/).click()
  await page.keyboard.type('00:00.00')
  await page.keyboard.press('Escape')
  await button(/^Time of line 3: 01:02/).click()
  await page.keyboard.type('1:15')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+s')
  await drawer.getByText('Not saved').waitFor({ state: 'detached' })

  const key = lyricsKey(`Artist of ${name}`, name)
  await until('the lyrics are stored', async () => (await data.lyrics.get(key))?.synced === true)
  const { lines: saved = [] } = (await data.lyrics.get(key)) ?? {}
  t.match(saved.slice(1), [
    { time: 70.5, text: 'The moon is low' },
    { time: 75, text: 'And nobody rows' },
  ])
  t.match(await data.tracks.get(`day/${name}.mp3`), { year: 1998, title: name })

  for (const [tab, content] of [
    ['Sound', 'Save cue points'],
    ['Artwork', 'This artist has no picture yet.'],
    ['Plays and changes', 'Last played'],
  ] as const) {
    await drawer.getByRole('tab', { name: tab }).click()
    await drawer.getByText(content).waitFor()
    t.same(await violations(page), [], tab)
    const saves = drawer.getByRole('button', { name: 'Save', exact: true })
    t.equal(await saves.count(), 0, `${tab} has nothing that a second button would save`)
  }
  t.same(
    complaints.filter((complaint) => !/40[134]/.test(complaint)),
    [],
  )
})
