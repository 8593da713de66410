import t from 'tap'
import { SUPER_ADMIN } from '../harness/admin.ts'
import { adminAt, flaws, prepare, titleShown, tones, visit, writeLyrics } from '../harness/browser.ts'

t.test('a listener asks for a song, an admin says yes; the words follow the sound', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'false', ...SUPER_ADMIN })
  await writeLyrics(station)
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, api.url)
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()

  const opener = page.getByRole('button', { name: 'Обрати пісню' })
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Замовити пісню' })
  const songs = sheet.getByRole('listitem')
  await songs.nth(2).waitFor()
  t.same(
    await songs.locator('b').allTextContents(),
    tones.map(({ name }) => name).sort(),
    'in the order of artists',
  )
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'search')
  t.same(await flaws(page), [])
  t.match(await sheet.locator('.standing').innerText(), 'нікому відповісти')
  const buttons = sheet.locator('li button')
  t.equal(await buttons.first().getAttribute('aria-disabled'), 'true', 'nobody is there to answer')

  const admin = await adminAt(t, api.url)
  await sheet.locator('li button[aria-disabled=false]').first().waitFor()
  // Neither what plays nor what comes next: those are too near to be queued again.
  const near = [await titleShown(page), await page.locator('section:has(#next) li b').first().textContent()]
  const wish = tones.find(({ name }) => !near.includes(name))!.name
  await page.keyboard.type(`${wish.toUpperCase().replace(' ', '-')} artist`)
  await songs.nth(1).waitFor({ state: 'detached' })
  t.equal(await songs.locator('b').innerText(), wish, 'every word of the search occurs')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const said = page.getByRole('status').filter({ hasText: wish })
  await said.filter({ hasText: 'Замовлення надіслано' }).waitFor()
  const timer = sheet.locator('[role=timer] b')
  const left = (await timer.innerText()).trim()
  t.match(left, /^[45]:\d\d$/, 'the wait is shown')
  await page.waitForFunction(
    (text) => document.querySelector('dialog [role=timer] b')?.textContent !== text,
    left,
  )
  t.equal(await buttons.getAttribute('aria-disabled'), 'true', 'while it lasts, nothing is asked for')
  t.ok(
    await buttons.evaluate((button) => button === document.activeElement),
    'and the focus stays where it was',
  )

  const [request] = await admin.first<{ uid: string; song: { title: string } }[]>(
    'suggestions_update',
    (list) => list.length === 1,
  )
  t.equal(request!.song.title, wish)
  admin.socket.emit('admin_suggestion_action', { uid: request!.uid, action: 'add' })
  await said.filter({ hasText: 'Замовлення прийнято' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  t.ok(await opener.evaluate((button) => button === document.activeElement), 'the focus is back')
  const badge = page.locator('section:has(#next) li').filter({ hasText: wish }).locator('.badge')
  await badge.first().waitFor()
  t.equal(await badge.first().innerText(), 'на замовлення')

  await opener.click()
  await songs.first().waitFor()
  await page.mouse.click(20, 400)
  await sheet.waitFor({ state: 'detached' })
  t.pass('a press outside closes it')
  await page.reload()
  await page.locator('section:has(#request) [role=timer]').waitFor()
  t.pass('who comes again still has to wait')

  const next = page.locator('section:has(#next)')
  await next.getByRole('button', { name: 'Лише одну' }).click()
  t.equal(await next.locator('li').count(), 1)
  await page.getByRole('button', { name: 'Показувати «Раніше»' }).click()
  await page.reload()
  await next.locator('li').first().waitFor()
  t.equal(await next.locator('li').count(), 1, 'how much is shown is remembered')
  t.notOk(await page.locator('#earlier-body').isVisible(), 'and what is folded away')

  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await page.keyboard.press('l')
  const sung = page.locator('.lines [aria-current]')
  await sung.waitFor()
  const from = Number(/\d+$/.exec(await sung.innerText()))
  await page.waitForFunction((line) => {
    const now = Number(/\d+$/.exec(document.querySelector('.lines [aria-current]')?.textContent ?? ''))
    const { currentTime } = document.querySelector('audio')!
    return now > line && now === Math.floor(currentTime / 2)
  }, from)
  t.pass('the sung line is the one that is heard')
  t.same(await flaws(page), [])
  await page.getByRole('button', { name: 'Більші літери' }).click()
  await page.getByRole('button', { name: 'Рядки посередині' }).click()
  await page.locator('.lines[data-size=l][data-align=centre]').waitFor()
  await page.getByRole('button', { name: 'На весь екран' }).click()
  await page.getByRole('button', { name: 'Вийти з повного екрана' }).click()
  await page.getByRole('button', { name: 'На весь екран' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('r')
  await sheet.waitFor()
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  t.same(complaints, [], 'the browser has nothing to complain of')
})
