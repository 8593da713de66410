import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { violations } from '../harness/people/axe.ts'
import { prepare, signIn, visit } from '../harness/people/browser.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { openLyricsService } from '../harness/servers/lyrics-service.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS

const sounds = await temporaryFolder(t)
/** An MP3 as a file chooser or a drop would give it. */
async function song(name: string, tags: { title?: string; artist?: string; album?: string } = {}) {
  const path = join(sounds, name)
  await makeTone(path, { hz: 440, seconds: 2, ...tags })
  return { name, mimeType: 'audio/mpeg', buffer: await readFile(path) }
}

/** Drops files somewhere in the page, as a person does from a folder. */
async function drop(page: Page, selector: string, files: Awaited<ReturnType<typeof song>>[]): Promise<void> {
  const data = files.map(({ name, buffer }) => ({ name, base64: buffer.toString('base64') }))
  const transfer = await page.evaluateHandle((sent) => {
    const made = new DataTransfer()
    for (const { name, base64 } of sent) {
      const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
      made.items.add(new File([bytes], name, { type: name.endsWith('.mp3') ? 'audio/mpeg' : '' }))
    }
    return made
  }, data)
  await page.dispatchEvent(selector, 'dragover', { dataTransfer: transfer })
  await page.locator('.drop-layer').waitFor()
  await page.dispatchEvent(selector, 'drop', { dataTransfer: transfer })
}

t.test('files dropped anywhere become tracks, with their tags checked and their lyrics found', async (t) => {
  const lyrics = await openLyricsService(t)
  lyrics.knows({ 'Morning Tide': { syncedLyrics: '[00:01.00] the tide is in' } })
  const station = await prepare(t, { STREAM_MODE: 'false', LYRICS_API_URL: lyrics.url, ...SUPER_ADMIN })
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
  await drop(page, '.queue-row', [...files, { ...files[0]!, name: 'cover.jpg' }])
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
  await drop(page, '.add-part', [await song('Neap.mp3', { title: 'Neap', artist: 'Hilda' })])
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
  for (const toast of await page.getByRole('button', { name: 'Dismiss the message' }).all())
    await toast.click()
  await shoot('panel-add-phone')
  await page.getByRole('tab', { name: 'Video links' }).click()
  await page.getByText('can’t take music from videos').or(page.getByLabel('Link to a video')).waitFor()
  t.same(await violations(page), [])
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})
