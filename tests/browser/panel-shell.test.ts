import t, { type Test } from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, flaws, placedStyles, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'

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
const tracks = [
  ...names.map((name) => ({ name, hz: 440, seconds: 240 })),
  { name: 'Moth', hz: 440, seconds: 240, mode: 'night' as const },
]
const hour = new Date().getUTCHours()
/** A time of day so many hours from now. */
const inHours = (hours: number) => `${String((hour + hours + 24) % 24).padStart(2, '0')}:30`
const settings = {
  STREAM_MODE: 'false',
  // Day, and for long enough.
  NIGHT_MODE: 'true',
  TIME_ZONE: 'UTC',
  DAY_START_HOUR: String((hour + 22) % 24),
  NIGHT_START_HOUR: String((hour + 8) % 24),
  QUEUE_ADD_COOLDOWN_S: '1',
  QUEUE_REMOVE_COOLDOWN_S: '1',
  SUGGEST_COOLDOWN_S: '0',
  ...SUPER_ADMIN,
}

t.test('an admin works with the queue and the requests from any window, by keyboard', async (t) => {
  const station = await prepare(t, settings, tracks)
  const data = await station.openData()
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  const helper = { adminId: 'olena', login: 'olena', loginKey: 'olena', passwordHash: '', authorized: true }
  await data.admins.put({ ...helper, privileges: ['stats'], ...times })
  await data.close()
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await enter(t, url)
  const titles = () => page.locator('.queue-row b').allInnerTexts()
  const said = (is: 'done' | 'failed') => page.locator(`.message[data-is=${is}]`)
  /** Takes the messages away. */
  const quiet = () =>
    page.evaluate(() => {
      for (const close of document.querySelectorAll<HTMLElement>('.message .tool')) close.click()
    })

  await t.test('the queue is shown with the times at which it is expected', async (t) => {
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    t.match(await page.locator('.queue-time').nth(1).innerText(), /^\d\d:\d\d$/)
  })

  await t.test('style sheets that stand in the page are not fetched again', async (t) => {
    const { placed, again } = await placedStyles(page)
    t.ok(placed > 0)
    t.same(again, [], 'they would stand behind the sheets that override them')
  })

  await t.test('a track is found and queued without the mouse', async (t) => {
    await page.keyboard.press('/')
    const wish = (await titles())[5]!
    await page.keyboard.type(wish)
    const add = page.getByRole('button', { name: new RegExp(`^Add to the queue: .*${wish}`) })
    await add.waitFor()
    t.same(await violations(page), [])
    await add.focus()
    await page.keyboard.press('Enter')
    await said('done').waitFor()
    await page.locator('.queue-row', { hasText: wish }).getByText('requested').waitFor()
    await page.getByRole('searchbox').press('Escape')
    t.equal(await page.getByRole('searchbox').inputValue(), '', 'Escape empties the search')
    await quiet()
  })

  await t.test('a removed track leaves the queue', async (t) => {
    const gone = (await titles())[2]!
    const row = page.locator('.queue-row').nth(2)
    await row.getByRole('button', { name: /^Remove from the queue/ }).click()
    await said('done').waitFor()
    await page.waitForFunction(
      (title) => document.querySelectorAll('.queue-row b')[2]?.textContent !== title,
      gone,
    )
    t.pass()
    await quiet()
  })

  await t.test('layers take the focus, give it back, and one is open at a time', async (t) => {
    const search = page.getByRole('button', { name: /^Search and commands/ })
    await search.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('keyboard')
    t.same(await violations(page), [], 'the palette')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    t.equal(await page.locator('dialog[open]').count(), 1)
    t.same(await violations(page), [], 'the keys')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await search.focus()
    // An observer is called before the next key arrives.
    await page.evaluate(() => {
      const wasModal = new Promise((resolve) => {
        const look = () => {
          const dialog = document.querySelector('dialog')
          if (dialog) resolve(dialog.matches(':modal'))
        }
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
      })
      Object.assign(window, { wasModal })
    })
    await page.keyboard.press('?')
    const wasModal = await page.evaluate(() => (window as unknown as { wasModal: unknown }).wasModal)
    t.equal(wasModal, true, 'Escape closes a sheet from its first moment')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.ok(await search.evaluate((button) => button === document.activeElement))
  })

  await t.test('a mode switch at a time that has passed is offered for tomorrow', async (t) => {
    const mode = page.getByRole('button', { name: /Switch the mode/ })
    await mode.click()
    const dialog = page.getByRole('dialog', { name: 'Switch to night' })
    await dialog.getByRole('radio', { name: 'At a set time' }).check()
    const time = dialog.getByLabel(/^Station time/)
    if (hour > 0) {
      await time.fill('00:00')
      await dialog.getByText('the mode will change tomorrow').waitFor()
    }
    t.same(await violations(page), [])
    await time.fill(inHours(3))
    await dialog.getByRole('button', { name: 'Switch to night' }).click()
    await page.locator('.strip-pending', { hasText: `night at ${inHours(3)}` }).waitFor()
    await page.locator('dialog').waitFor({ state: 'detached' })
    t.ok(await mode.evaluate((button) => button === document.activeElement), 'the focus returns')
    await quiet()
  })

  await t.test('requests are answered by keyboard, and a refusal can be undone', async (t) => {
    const all = await titles()
    const onAir = await page.locator('.strip-now b').innerText()
    // Far from where requests are put, so that none is refused for its neighbours.
    const second = all[3]
    const [first] = all
      .slice(4)
      .filter((title) => title !== onAir && all.filter((other) => other === title).length === 1)
    await ask(t, url, first!)
    const accept = page.getByRole('button', { name: new RegExp(`^Accept: .*${first}`) })
    await accept.waitFor()
    t.same(await violations(page), [])
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Undo' }).click()
    await accept.waitFor()
    t.not(await page.evaluate(() => document.activeElement?.tagName), 'BODY', 'the focus is not lost')
    await page.keyboard.press('a')
    await said('done').waitFor()
    await page.getByText('No requests.').waitFor()
    await quiet()
    const listener = await ask(t, url, second!)
    await page.getByRole('button', { name: new RegExp(`^Decline: .*${second}`) }).click()
    t.match(await listener.first('suggestion_result'), { accepted: false, auto: false })
    await quiet()
  })

  await t.test('a skip that was held is seen in another window, and both go on working', async (t) => {
    const { page: other } = await enter(t, url)
    const before = await page.locator('.strip-now b').innerText()
    const changed = (title: string) => document.querySelector('.strip-now b')?.textContent !== title
    await page.getByRole('button', { name: 'Skip the song' }).hover()
    await page.mouse.down()
    await page.waitForFunction(changed, before)
    await page.mouse.up()
    await other.waitForFunction(changed, before)
    await said('done').waitFor()
    await quiet()
    t.match(await page.locator('.strip-skip').getAttribute('aria-label'), /You can skip in \d+ s/)
    const admin = await adminAt(t, url)
    admin.socket.emit('admin_remove_song', 4)
    await admin.first('admin_success')
    const { items } = (await admin.ask('get_queue', { limit: 20 })) as { items: { title: string }[] }
    const left = items.map(({ title }) => title).join()
    for (const window of [page, other])
      await window.waitForFunction(
        (wanted) =>
          Array.from(document.querySelectorAll('.queue-row b'), ({ textContent }) => textContent).join() ===
          wanted,
        left,
      )
  })

  await t.test('without a connection what is known stays, and is renewed afterwards', async (t) => {
    await page.context().setOffline(true)
    await page.getByText('No connection.').waitFor()
    t.ok((await titles()).length > 3)
    await page.context().setOffline(false)
    await page.getByText('No connection.').waitFor({ state: 'detached' })
    t.pass()
  })

  await t.test('Ctrl K finds settings, artists, helpers, and songs of both modes', async (t) => {
    const choose = async (query: string, name: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(query)
      await page.getByRole('option', { name }).first().click()
      await page.locator('dialog.palette').waitFor({ state: 'detached' })
    }
    const asked = (name: string) => new URL(page.url()).searchParams.get(name)
    await choose('алгоритм night', /^Night programme/)
    await page.getByRole('tab', { name: 'Night', selected: true }).waitFor()
    await choose('artist of bore', /^Artist of Bore/)
    await page.getByRole('searchbox').waitFor()
    t.equal(asked('q'), 'Artist of Bore', 'an artist’s songs are shown in the library')
    await choose('olena', /^olena/)
    await page.getByRole('tab', { name: 'Helpers', selected: true }).waitFor()
    await choose('moth', /^Moth — Artist of Moth/)
    await page.getByRole('dialog', { name: 'Moth' }).waitFor()
    t.equal(asked('sel'), 'night/Moth.mp3', 'a song of the other mode is opened')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'On air' }).click()
    await page.locator('.queue-row').nth(4).waitFor()
    const all = await titles()
    const wish = names.find((name) => !all.slice(0, 3).includes(name))!
    await choose(wish, new RegExp(`^${wish} — `))
    await said('done').filter({ hasText: 'queued' }).waitFor()
    t.pass('a song of the mode on air is queued')
    await quiet()
  })

  await t.test('it is at home on a phone, and at 400 % zoom', async (t) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByText('No requests.').waitFor()
    t.match(page.url(), /\/en\/adpanel\/on-air\?view=inbox$/, 'the address tells what is shown')
    t.same(await violations(page), [])
    await page.goBack()
    await page.locator('.queue-row').first().waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('radio', { name: 'Dark' }).check()
    t.same(await violations(page), [], 'the sheet, in the dark')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    // 1280 px at 400 %.
    await page.setViewportSize({ width: 320, height: 256 })
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
    t.same(await violations(page), [])
  })

  t.same(
    complaints.filter((complaint) => !/40[14]|ERR_INTERNET_DISCONNECTED|WebSocket/.test(complaint)),
    [],
  )
})

/** Logs in and waits for the queue. */
async function enter(t: Test, url: string) {
  const visited = await visit(t, `${url}/en/adlogin`)
  const { page } = visited
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  await page.locator('.queue-row').nth(4).waitFor()
  return visited
}

/** A listener who asks for a track. */
async function ask(t: Test, url: string, title: string) {
  const listener = openSocket(t, url)
  listener.socket.emit('listener_init')
  await listener.first('listener_uid')
  const asked = await listener.ask('suggest_song', {
    id: `day/${title}.mp3`,
    title,
    artist: `Artist of ${title}`,
  })
  t.match(asked, { ok: true })
  return listener
}
