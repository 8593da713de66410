import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { downloaded } from '../harness/browser/downloaded.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'

/** Longer than a phone is wide. */
const LONG = 'Ebb of the Night before the Longest Day of the Year'
const tracks = ['Low Tide', 'Half Tide', 'High Tide', LONG].map((name) => ({
  name,
  hz: 440,
  seconds: 240,
}))
const settings = { STREAM_MODE: 'false', NIGHT_MODE: 'false', ...SUPER_ADMIN }

t.test('an admin sees what was done, in both windows, and takes the library home as a file', async (t) => {
  const station = await prepare(t, settings, tracks)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await signIn(page)
  const playing = await page.locator('.playing-song b').innerText()
  await page.keyboard.press('g')
  await page.keyboard.press('h')

  await t.test('the track on air is the newest of the history', async (t) => {
    await page.getByRole('grid', { name: 'Played' }).getByText(playing, { exact: true }).waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
  })

  await t.test('statistics are counted, sorted and searched', async (t) => {
    await page.getByRole('tab', { name: 'Statistics' }).click()
    await page.getByText('4 songs · 4 rows').waitFor()
    await page.getByText('A–Z').click()
    await page.keyboard.press('/')
    await page.keyboard.type('high tide')
    await page.getByText('1 song · 1 row').waitFor()
    t.match(await page.locator('.table-body .table-row').allInnerTexts(), [/High Tide\s+1\s+25\.0 %/])
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
  })

  await t.test('on the smallest phone a long name gives way to its figures', async (t) => {
    await page.setViewportSize({ width: 320, height: 640 })
    await page.getByRole('searchbox').fill(LONG)
    await page.getByText('1 song · 1 row').waitFor()
    const figures = page.locator('.count-line .soft', { hasText: '25.0 %' })
    await figures.waitFor()
    const ends = await figures.evaluate((figures) => {
      const cell = figures.closest('.table-phone')!
      return [figures.getBoundingClientRect().right, cell.getBoundingClientRect().right]
    })
    t.ok(ends[0]! <= ends[1]!, `the percentage ends at ${ends[0]} px of ${ends[1]}`)
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await t.test('an export holds the chosen fields of all tracks', async (t) => {
    await page.getByRole('button', { name: 'Export' }).click()
    const drawer = page.getByRole('dialog', { name: 'Export' })
    await drawer.getByText('CSV').click()
    for (const field of ['Album', 'Year', 'Duration, s', 'Mode', 'Group', 'File'])
      await drawer.getByLabel(field, { exact: true }).uncheck()
    await drawer.getByText('4 rows in the file').waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    const download = async () =>
      (await downloaded(page, page.getByRole('button', { name: 'Download' }))).content
    t.match(String(await download()), /^\uFEFFArtist,Title\r\n(Artist of [\w ]+,[\w ]+\r\n){4}$/)
    await drawer.getByText('Excel').click()
    t.equal((await download()).toString('latin1', 0, 2), 'PK', 'a spreadsheet is an archive')
    await page.keyboard.press('Escape')
  })

  await t.test('what is done elsewhere waits behind a button, and tells before and after', async (t) => {
    await page.getByRole('tab', { name: 'Audit log' }).click()
    await page.getByText('Logged in').waitFor()
    await page.getByLabel('About').selectOption('Settings')
    await page.getByText('Nobody changed anything').waitFor()
    const names = { dayRadioName: 'Dawn', nightRadioName: 'Dusk', messengerLabel: 'Chat' }
    const branding = { messenger_url: 'https://example.org', byLang: { uk: names, en: names } }
    await page.evaluate(
      (body) =>
        fetch('/api/admin/settings', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      { branding },
    )
    await page.getByRole('button', { name: 'Show 1 new entry' }).click()
    await page.getByText('Details').click()
    await page.locator('.changes ins', { hasText: 'Dawn' }).first().waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
  })

  t.same(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})
