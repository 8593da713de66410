import { join } from 'node:path'
import t from 'tap'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { flaws, prepare, visit } from '../harness/people/browser.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS
const names = [
  'Low Tide',
  'Half Tide',
  'High Tide',
  'Neap',
  'Spring',
  'Ebb',
  'Flood',
  'Slack',
  'Bore',
  'Surge',
]
const tracks = names.map((name, i) => ({ name, hz: 300 + 60 * i, seconds: 120 }))

t.test('an admin who logs in sees the queue with its times, and the palette opens by keyboard', async (t) => {
  const station = await prepare(
    t,
    { STREAM_MODE: 'false', QUEUE_REMOVE_COOLDOWN_S: '1', ...SUPER_ADMIN },
    tracks,
  )
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  const shoot = (name: string) => shots && page.screenshot({ path: join(shots, `${name}.png`) })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByLabel('Login').fill(SUPER_ADMIN.ADMIN_LOGIN)
  await page.getByLabel('Password').fill(SUPER_ADMIN.ADMIN_PASS)
  await page.keyboard.press('Enter')

  const rows = page.locator('.queue-row')
  await rows.nth(4).waitFor()
  t.same(await flaws(page), [])
  t.match(
    await rows.nth(1).locator('.queue-time').innerText(),
    /^\d\d:\d\d$/,
    'the second has an expected time',
  )
  await shoot('desktop-day')

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('keyboard')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  t.pass('the palette closes on Escape')
  t.same(
    complaints.filter((complaint) => !/40[14]|ERR_INTERNET_DISCONNECTED|WebSocket/.test(complaint)),
    [],
  )
})
