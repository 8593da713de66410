import { defaultSettings } from '@solstice/station'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'

t.test('J7, J8: an admin puts a jingle next in the panel, takes it back, and hears another’s', async (t) => {
  const station = await prepare(t, SUPER_ADMIN)
  for (const [i, name] of ['Call', 'Bell', 'Wave'].entries())
    await station.addClip('jingles', `${name}.mp3`, { hz: 900 + i, seconds: 20 })
  const data = await station.openData()
  const value = { ...defaultSettings.generation, JINGLES_ENABLED: true, JINGLES_FREQUENCY: 5 }
  await data.settings.insert({ section: 'generation', value, revision: 1 })
  const bell = (await data.clips.find()).find(({ filename }) => filename === 'Bell.mp3')!
  await data.close()
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page } = await visit(t, `${url}/en/adlogin`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)

  await page.getByText('Jingles', { exact: true }).click()
  const button = page.getByRole('button', { name: 'Play the jingle after this song: Bell' })
  await button.waitFor()
  t.same(await violations(page), [])
  if (process.env.PANEL_SHOTS) await page.screenshot({ path: `${process.env.PANEL_SHOTS}/jingles.png` })
  await button.click()
  await page.getByText('The jingle will play after this song').waitFor()

  const pending = page.getByText('Jingle after this song: Bell')
  await pending.waitFor()
  t.equal(await page.locator('.strip-next').innerText(), 'Jingle next\nBell')
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Take the jingle back: Bell' }).click()
  await page.getByText('The jingle is taken back').waitFor()
  await pending.waitFor({ state: 'detached' })
  const admin = await adminAt(t, url)
  admin.socket.emit('admin_insert_jingle', { id: bell.id })
  await pending.waitFor()
  admin.socket.emit('admin_skip_song')
  const { jingleId } = await admin.first<{ jingleId: string }>('stream_jingle_start')
  t.equal(jingleId, bell.id, 'the chosen one is on air')
  await pending.waitFor({ state: 'detached' })
})
