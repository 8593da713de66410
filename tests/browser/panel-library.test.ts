import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { until } from '../harness/until.ts'

const names = ['Low Tide', 'Half Tide', 'High Tide', 'Neap', 'Spring', 'Ebb', 'Flood', 'Slack']
const tracks = names.map((name) => ({ name, hz: 440, seconds: 120 }))

t.test('an admin finds, previews, queues, moves and deletes tracks', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false', ...SUPER_ADMIN }, tracks)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  await page.locator('.strip-now b').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  const rows = page.locator('.library [data-row]')
  const counts = (count: number) =>
    page.getByText(count === 1 ? /^1 song$/ : new RegExp(`^${count} songs$`)).waitFor()
  await counts(8)
  await page.locator('.lib-lock', { hasText: 'on air' }).waitFor()
  t.same(await violations(page), [])

  await page.keyboard.press('/')
  await page.keyboard.type('tide')
  await counts(3)
  t.match(page.url(), /\?q=tide$/)
  await page.keyboard.press('Escape')
  await counts(8)

  const free = rows.filter({ hasNot: page.locator('.lib-lock') })
  const titles = await free.locator('b').allInnerTexts()
  const row = (title: string) =>
    rows.filter({ has: page.locator('b', { hasText: new RegExp(`^${title}$`) }) })
  const [first, second, third] = titles as [string, string, string]
  await row(first).focus()
  await page.keyboard.press(' ')
  const player = page.getByRole('region', { name: 'Preview' })
  await player.getByText(first, { exact: true }).waitFor()
  await page.waitForFunction(
    () => Number(document.querySelector('.lib-player [role=slider]')?.getAttribute('aria-valuenow')) >= 1,
  )
  t.pass('Space plays a track to the admin alone')
  await page.keyboard.press('Escape')
  await player.waitFor({ state: 'detached' })
  await page.keyboard.press('q')
  await page.locator('.message[data-is=done]').waitFor()
  t.pass('Q puts it in the queue')

  await row(second).click({ modifiers: ['Control'] })
  await row(third).click({ modifiers: ['Control'] })
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Move to night' }).click()
  await page.getByText('2 songs moved.').waitFor()
  await page.getByRole('button', { name: /^Night/ }).click()
  await counts(2)
  t.same((await rows.locator('b').allInnerTexts()).sort(), [second, third].sort())

  await row(second).click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await counts(1)
  await page.getByRole('button', { name: /^Night/ }).click()
  await counts(7)
  const data = await station.openData()
  t.teardown(() => data.close())
  await until('the station has no such track', async () => {
    const left = await data.tracks.find()
    return left.length === 7 && left.some(({ id }) => id.startsWith('night/'))
  })

  await row(first).focus()
  await page.keyboard.press('Control+a')
  await page.getByText('7 selected').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^You can delete in 1[0-5] s$/ })
    .waitFor()
  t.same(await violations(page), [])
  t.pass('everything is deleted only after a look at the question')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const known = await data.tracks.find()
  const more = Array.from({ length: 400 }, (_, i) => {
    const id = `day/more-${i}.mp3`
    return {
      ...known[0]!,
      id,
      filename: `more-${i}.mp3`,
      storageKey: id,
      mode: 'day' as const,
      title: `More ${i}`,
      // Behind all others.
      artist: 'Zephyr',
    }
  })
  await data.tracks.replaceAll({ records: [...known, ...more], serial: 0 })
  await page.getByRole('button', { name: /^Day/ }).click()
  const shown = 400 + known.filter(({ mode }) => mode === 'day').length
  await counts(shown)
  await row(first).focus()
  const place = Number(await row(first).getAttribute('data-row'))
  await page.waitForFunction(() => !document.querySelector('.library [data-hole]'))
  await rows.evaluateAll((all) => {
    for (const row of all) row.setAttribute('data-seen', '')
  })
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await page.locator(`.library [data-row="${shown - 1}"]:not([data-hole])`).waitFor()
  const fresh = await rows.evaluateAll((all) => all.filter((row) => !row.hasAttribute('data-seen')).length)
  t.ok(fresh <= 1, `${fresh} rows with new elements: only the one with the focus has kept its own`)
  t.same(await violations(page), [])
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(
    (next) => document.activeElement?.getAttribute('data-row') === `${next}`,
    place + 1,
  )
  t.pass('the focus stays on its row, however far the table is scrolled')
  await page.getByRole('button', { name: /^Day/ }).click()

  await page.setViewportSize({ width: 390, height: 844 })
  await rows.nth(6).waitFor()
  t.same(await violations(page), [])
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it fits a phone')
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})
