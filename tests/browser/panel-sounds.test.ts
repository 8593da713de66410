import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { violations } from '../harness/browser/axe.ts'
import { prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS

const sounds = await temporaryFolder(t)
async function sound(name: string, seconds: number) {
  const path = join(sounds, name)
  await makeTone(path, { hz: 440, seconds })
  return { name, mimeType: 'audio/mpeg', buffer: await readFile(path) }
}

t.test('clips are added, listened to, cut, taken off air, moved and deleted', async (t) => {
  const station = await prepare(t, { RADIO_HOSTS_MODE: 'true', ...SUPER_ADMIN })
  for (const [name, seconds] of [
    ['Station call.mp3', 4],
    ['Harbour bell.mp3', 6],
  ] as const)
    await station.addClip('jingles', name, { hz: 600, seconds })
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  const shoot = (name: string) => shots && page.screenshot({ path: join(shots, `${name}.png`) })
  if (shots) page.setDefaultTimeout(30_000)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  await page.getByRole('link', { name: 'Sounds' }).click()
  const row = (name: string) => page.locator('.clip-row', { hasText: name })
  const files = page.locator('input[type=file]')
  await row('Station call').waitFor()
  await page.getByText('2 on air, 3 needed').waitFor()
  await files.setInputFiles([await sound('Low tide bell.mp3', 3), await sound('Station call.mp3', 1)])
  await row('Low tide bell').waitFor()
  await page.getByText('This name is taken').waitFor()
  await page.getByText(/^Day 3 on air$/).waitFor()
  await row('Harbour bell').getByRole('slider').waitFor()
  t.same(await violations(page), [])
  await shoot('panel-sounds')

  await row('Station call').getByRole('button', { name: 'Play: Station call' }).click()
  await row('Station call').getByRole('button', { name: 'Pause: Station call' }).click()
  await row('Harbour bell').getByRole('checkbox', { name: 'On air: Harbour bell' }).uncheck()
  await page.getByText('2 on air, 3 needed').waitFor()
  await page.getByRole('checkbox', { name: 'Select: Low tide bell' }).check()
  await page.getByRole('button', { name: 'Move to night' }).click()
  await row('Low tide bell').getByText('Night').waitFor()
  await page.getByRole('checkbox', { name: 'Select: Station call' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('.confirm').getByRole('button', { name: 'Delete' }).click()
  await row('Station call').waitFor({ state: 'detached' })

  await page.getByLabel('Trim before sending').check()
  await files.setInputFiles(await sound('Long wave.mp3', 8))
  const trim = page.getByRole('form', { name: 'Part of Long wave.mp3' })
  await trim.getByLabel('From').fill('2')
  await trim.getByLabel('To').fill('6')
  t.same(await violations(page), [])
  await shoot('sounds-trim')
  await trim.getByRole('button', { name: 'Use 4.0 s' }).click()
  await row('Long wave').waitFor()

  await page.getByRole('tab', { name: 'Phrases' }).click()
  await files.setInputFiles(await sound('This is Solstice.mp3', 9))
  const cut = page.getByRole('form', { name: 'Part of This is Solstice.mp3' })
  await cut.getByLabel('From').fill('2')
  await cut.getByRole('button', { name: 'Use 3.0 s' }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  t.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    'nothing is wider than a phone',
  )
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('radio', { name: 'Light' }).check()
  const light = await page.locator('.waveform canvas').evaluate((one: HTMLCanvasElement) => one.toDataURL())
  await page.getByRole('radio', { name: 'Dark' }).check()
  // A waveform has the colours of the theme.
  await page.waitForFunction(
    (before) => document.querySelector<HTMLCanvasElement>('.waveform canvas')?.toDataURL() !== before,
    light,
  )
  await page.keyboard.press('Escape')
  await shoot('panel-sounds-phone')
  await cut.getByRole('button', { name: 'Use 3.0 s' }).click()
  await row('This is Solstice').waitFor()

  const data = await station.openData()
  const clips = await data.clips.find()
  await data.close()
  const facts = clips.map(({ family, mode, filename, used }) => [family, mode, filename, used].join(' | '))
  t.same(facts.sort(), [
    'jingles | day | Harbour bell.mp3 | false',
    'jingles | day | Long wave.mp3 | true',
    'jingles | night | Low tide bell.mp3 | true',
    'phrases | day | This is Solstice.mp3 | true',
  ])
  const wave = clips.find(({ filename }) => filename === 'Long wave.mp3')
  t.ok(Math.abs((wave?.duration ?? 0) - 4) < 0.1, `${wave?.duration} s`)
  const phrase = clips.find(({ family }) => family === 'phrases')
  t.ok(Math.abs((phrase?.duration ?? 0) - 3) < 0.1, `${phrase?.duration} s`)
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})
