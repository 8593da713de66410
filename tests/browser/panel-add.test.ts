import { join } from 'node:path'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { prepare, signIn, visit } from '../harness/browser/browser.ts'
import { dropFiles, openFileMaker } from '../harness/browser/dropped-files.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { minuteOfFrames } from '../harness/people/uploads.ts'
import { openLine } from '../harness/servers/line.ts'
import { openLyricsService } from '../harness/servers/services/lyrics-service.ts'
import { linkTo, makeVideoTool, SITE } from '../harness/stations/kinds/video-station.ts'
import { until } from '../harness/until.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS

const song = await openFileMaker(t)

t.test('files dropped anywhere become tracks, with their tags checked and their lyrics found', async (t) => {
  const lyrics = await openLyricsService(t)
  lyrics.knows({ 'Morning Tide': { syncedLyrics: '[00:01.00] the tide is in' } })
  const { tool } = await makeVideoTool(t)
  const video = { VIDEODOWN_PATH: tool, VIDEO_SITE_HOSTS: new URL(SITE).host }
  const settings = { STREAM_MODE: 'false', LYRICS_API_URL: lyrics.url, ...video, ...SUPER_ADMIN }
  const station = await prepare(t, settings)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  const shoot = (name: string) => shots && page.screenshot({ path: join(shots, `${name}.png`) })
  if (shots) page.setDefaultTimeout(30_000)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  await page.locator('.queue-row').first().waitFor()

  // This one stays on its way until the others have been looked at.
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/upload-song-lyrics', async (route) => {
    if (route.request().postData()?.includes('Slack Water')) await released
    await route.continue()
  })
  const files = await Promise.all([
    song('01.mp3', { title: 'Morning Tide', artist: 'Hilda', album: 'Shores' }),
    song('02.mp3', { title: 'Slack Water', artist: 'Hilda', album: 'Shores' }),
    song('Low Tide.mp3', { title: 'Low Tide', artist: 'Nobody' }),
    song('Marta Kvit - Night Ferry.mp3'),
  ])
  await dropFiles(page, '.queue-row', [...files, { ...files[0]!, name: 'cover.jpg' }])
  const row = (name: string) => page.locator('.add-row', { hasText: name })
  await page.locator('.message', { hasText: 'Skipped, not MP3: 1' }).waitFor()
  t.match(page.url(), /\/en\/adpanel\/add$/, 'a drop leads to Add music')
  await row('Morning Tide').locator('.mark', { hasText: 'synced lyrics' }).waitFor()
  await row('Low Tide').getByText('This programme already has this song').waitFor()
  const form = page.getByRole('form', { name: /^Tags: / })
  await form.waitFor()
  await row('Slack Water').getByText('Finding lyrics').waitFor()
  t.equal(
    await form.getByLabel('Title').inputValue(),
    'Night Ferry',
    'missing tags are guessed from the name',
  )
  t.equal(await form.getByLabel('Artist').inputValue(), 'Marta Kvit')
  t.same(await violations(page), [])
  await shoot('panel-add')

  await page.getByRole('button', { name: /Night Ferry.*: Day programme/ }).click()
  await page.getByRole('button', { name: /Night Ferry.*: Night programme/ }).waitFor()
  await form.waitFor()
  t.pass('a song that waits can go to the other programme')

  await page.getByRole('link', { name: 'On air' }).click()
  await page.locator('.rail .rail-count', { hasText: '2/4' }).waitFor()
  release()
  await page.locator('.rail .rail-count', { hasText: '3/4' }).waitFor()
  t.pass('uploads go on while another part is shown')
  await page.goBack()
  await form.getByLabel('Album').fill('Harbour Lights')
  await page.keyboard.press('Enter')
  await row('Night Ferry').getByText('Added').waitFor()
  await page.locator('.rail .rail-count', { hasText: '/4' }).waitFor({ state: 'detached' })

  // Songs of the night are neither on air nor next, so none of them is locked.
  await page.getByRole('radio', { name: 'Night' }).check()
  await dropFiles(page, '.add-part', [await song('Neap.mp3', { title: 'Neap', artist: 'Hilda' })])
  await row('Neap').getByText('Added').waitFor()
  await page.getByRole('checkbox', { name: /^Select: Neap/ }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('.confirm').getByRole('button', { name: 'Delete' }).click()
  await row('Neap').waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: /^Select: Night Ferry/ }).check()
  await page.getByRole('button', { name: 'Move to day' }).click()
  await page.locator('.message', { hasText: '1 moved' }).waitFor()

  const data = await station.openData()
  const added = (await data.tracks.find()).filter(({ addedBy }) => addedBy)
  await data.close()
  const facts = added.map(({ id, title, artist, album }) => [id, title, artist, album].join(' | '))
  t.same(facts.sort(), [
    'day/01.mp3 | Morning Tide | Hilda | Shores',
    'day/02.mp3 | Slack Water | Hilda | Shores',
    'day/Marta Kvit - Night Ferry.mp3 | Night Ferry | Marta Kvit | Harbour Lights',
  ])

  await page.setViewportSize({ width: 390, height: 844 })
  t.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    'nothing is wider than a phone',
  )
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  // At once: messages also go by themselves.
  const dismissals = page.getByRole('button', { name: 'Dismiss the message' })
  await dismissals.evaluateAll((buttons) => {
    for (const button of buttons) (button as HTMLElement).click()
  })
  await shoot('panel-add-phone')
  await page.getByRole('tab', { name: 'Video links' }).click()
  const link = page.getByLabel('Link to a video')
  await link.fill(linkTo('song'))
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await row('Song').getByText('Added').waitFor()
  await link.fill(`${SITE}/playlist?list=tides`)
  await page.keyboard.press('Enter')
  await page.getByText('Number 0').waitFor()
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'None' }).click()
  await page.getByRole('checkbox', { name: 'Number 1', exact: true }).check()
  await page.getByRole('button', { name: /^Add .*1/ }).click()
  await row('n1').getByText('Added').waitFor()
  t.pass('songs come from links of videos and of playlists')

  await t.test(
    'a connection that is lost in the middle of an upload costs nothing and doubles nothing',
    async (t) => {
      const line = await openLine(t, Number(new URL(url).port))
      const { page: far } = await visit(t, `http://127.0.0.1:${line.port}/en/adlogin`)
      await signIn(far)
      await far.getByRole('link', { name: 'Add music' }).click()
      const minute = await minuteOfFrames(t)
      const buffer = Buffer.concat(Array.from({ length: 4 }, () => minute))
      const chooser = far.locator('input[type=file]')
      line.hangAfter('upload-song-file')
      await chooser.setInputFiles({ name: 'Far - Long Swell.mp3', mimeType: 'audio/mpeg', buffer })
      await until('the upload is on its way', () => line.isHanging)
      line.cutAll()
      await far.getByText('No connection.').waitFor()
      // The browser may try again by itself.
      await until('the upload waits for the connection', () => {
        line.cutAll()
        return far.getByText('No connection: goes on by itself').isVisible()
      })
      line.isHanging = false
      line.cutAll()
      const form = far.getByRole('form', { name: /^Tags: / })
      await form.waitFor()
      // The station saves it, and its answer is lost.
      line.cutAtCommit(true)
      await form.getByLabel('Album').fill('Far Away')
      await far.keyboard.press('Enter')
      await far.locator('.add-row', { hasText: 'Long Swell' }).getByText('Added').waitFor()
      t.equal(line.cuts, 1)
      const data = await station.openData()
      const find = () => data.tracks.find({ filename: 'Far - Long Swell.mp3' })
      await until('the song is saved', async () => (await find()).length > 0)
      const found = await find()
      await data.close()
      t.match(found, [{ title: 'Long Swell', artist: 'Far', album: 'Far Away' }])
      t.equal(found.length, 1)
    },
  )
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})
