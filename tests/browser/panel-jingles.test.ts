import type { QueueItem, RadioState } from '@solstice/contracts'
import { defaultSettings } from '@solstice/station'
import type { Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { until } from '../harness/until.ts'

const names = ['Anchor', 'Buoy', 'Compass', 'Dory', 'Estuary', 'Fathom', 'Galley', 'Harbour']
const tracks = [
  ...names.map((name) => ({ name, hz: 440, seconds: 240 })),
  { name: 'Moth', hz: 440, seconds: 240, mode: 'night' as const },
]
const hour = new Date().getUTCHours()
const settings = {
  // Day, and for long enough.
  NIGHT_MODE: 'true',
  TIME_ZONE: 'UTC',
  DAY_START_HOUR: String((hour + 22) % 24),
  NIGHT_START_HOUR: String((hour + 8) % 24),
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '0',
  QUEUE_SKIP_COOLDOWN_S: '0',
  SUGGEST_COOLDOWN_S: '0',
  ...SUPER_ADMIN,
}

t.test('a day at the desk, with a mouse and on a phone', async (t) => {
  const station = await prepare(t, settings, tracks)
  for (const [i, name] of ['Call', 'Bell', 'Wave'].entries())
    await station.addClip('jingles', `${name}.mp3`, { hz: 900 + i, seconds: 8 })
  const data = await station.openData()
  const value = { ...defaultSettings.generation, JINGLES_ENABLED: true, JINGLES_FREQUENCY: 5 }
  await data.settings.insert({ section: 'generation', value, revision: 1 })
  const bell = (await data.clips.find()).find(({ filename }) => filename === 'Bell.mp3')!
  t.teardown(() => data.close())
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])

  await t.test('J7, J8: a jingle is put next, taken back, and another admin’s is heard', async (t) => {
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
    await admin.first('stream_jingle_end')
  })

  await t.test('a phone is enough for everything an operator does in a day', async (t) => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
    const { page, complaints } = await visit(t, `${url}/en/adlogin`, phone)
    const admin = await adminAt(t, url)
    const queue = async () => ((await admin.ask('get_queue', { limit: 20 })) as { items: QueueItem[] }).items
    const titles = async () => (await queue()).map(({ title }) => title)
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const bar = (name: string | RegExp) =>
      page.locator('.bottom-bar').getByRole(name === 'More' ? 'button' : 'link', { name })
    await signIn(page)
    await page.locator('.queue-row').nth(6).waitFor()
    t.same(await smallTargets(page), [], 'On air')
    t.same(await underTheBar(page), [], 'On air')

    const sessions = async () => (await data.sessions.find()).filter(({ endedAt }) => endedAt === null).length
    const listener = openSocket(t, url)
    listener.socket.emit('listener_init')
    await listener.first('listener_uid')
    // Beside itself a song is refused, and requests come next: it is neither on air nor soon.
    const wish = (await titles())[5]!
    t.match(await listener.ask('suggest_song', { id: `day/${wish}.mp3` }), { ok: true })
    await bar(/^Requests/).tap()
    await button(`Accept: ${wish}`).waitFor()
    t.same(await smallTargets(page), [], 'Requests')
    await button(new RegExp(`^Accept: .*${wish}`)).tap()
    t.match(await listener.first('suggestion_result'), { accepted: true })

    await bar('On air').tap()
    await page.locator('.queue-row', { hasText: wish }).getByText('requested').waitFor()
    const before = await titles()
    await page
      .locator('.queue-row')
      .nth(5)
      .getByRole('button', { name: /^Move: / })
      .tap()
    await button('Put it here, place 4').tap()
    const moved = before.toSpliced(5, 1).toSpliced(3, 0, before[5]!)
    const isShown = (wanted: string[]) =>
      until(
        'the queue is as wanted',
        async () => (await titles()).slice(0, 7).join() === wanted.slice(0, 7).join(),
      )
    await isShown(moved)
    t.pass('a song is moved with two taps')

    await page.getByRole('tab', { name: 'Add' }).tap()
    await page.getByText('Jingles', { exact: true }).tap()
    await button('Play the jingle after this song: Bell').tap()
    t.same(await smallTargets(page), [], 'Add')
    t.same(await underTheBar(page), [], 'Add')

    await page.getByRole('tab', { name: 'Queue' }).tap()
    await page.getByText('Jingle after this song: Bell').waitFor()
    await page
      .locator('.queue-row')
      .nth(4)
      .getByRole('button', { name: /^Remove/ })
      .tap()
    await isShown(moved.toSpliced(4, 1))
    t.pass('a song leaves the queue with one')

    admin.forget()
    const begun = admin.first<{ jingleId: string }>('stream_jingle_start')
    await hold(page, 'Skip the song', begun)
    t.equal((await begun).jingleId, bell.id, 'held for long enough, the button skips to the jingle')

    await button(/Switch the mode/).tap()
    const dialog = page.getByRole('dialog', { name: 'Switch to night' })
    await dialog.getByRole('radio', { name: 'At a set time' }).check()
    await dialog.getByLabel(/^Station time/).fill(`${String((hour + 3) % 24).padStart(2, '0')}:30`)
    await dialog.getByRole('button', { name: 'Switch to night' }).tap()
    const pending = (isPlanned: boolean) =>
      admin.first<RadioState>('sync', ({ pendingModeSwitch }) => Boolean(pendingModeSwitch) === isPlanned)
    t.match(await pending(true), { pendingModeSwitch: { targetMode: 'night' } })
    admin.forget()
    await button(/Switch the mode/).tap()
    await dialog.getByRole('button', { name: 'Cancel the planned switch' }).tap()
    t.match(await pending(false), { mode: 'day' })

    await bar('Library').tap()
    // The track on air and the next one are locked.
    const title = (await titles())[4]!
    await page.locator('.library [data-row]', { hasText: `Artist of ${title}` }).tap()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('Year').fill('1998')
    t.same(await smallTargets(page), [], 'the library, and the drawer of a song')
    await drawer.getByRole('button', { name: 'Save', exact: true }).tap()
    await until('the year is stored', async () => {
      const [track] = (await data.tracks.find()).filter((one) => one.title === title)
      return track?.year === 1998
    })
    await drawer.getByRole('button', { name: 'Close' }).tap()

    const open = await sessions()
    // As little as a phone on its side has.
    await page.setViewportSize({ width: 390, height: 320 })
    await bar('More').tap()
    await button('Log out').tap()
    await page.waitForURL(/adlogin/, { waitUntil: 'commit' })
    await until('the session has ended', async () => (await sessions()) === open - 1)
    t.same(
      complaints.filter((complaint) => !/40[134]/.test(complaint)),
      [],
    )
  })
})

/** Controls in view that a finger misses: lower than 44 px. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('button, a[href], summary, select, [role=tab]'))
      .filter((control) => control.checkVisibility() && !control.closest('.unseen'))
      .map((control) => ({ control, box: control.getBoundingClientRect() }))
      .filter(({ box }) => box.height > 1 && Math.round(box.height) < 44)
      .map(({ control, box }) => `${control.className} ${control.textContent} ${Math.round(box.height)}`),
  )
}

/** Controls of the part that stay under the bar at the bottom however far one scrolls. */
function underTheBar(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const from = scrollY
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
    const { top } = document.querySelector('.bottom-bar')!.getBoundingClientRect()
    const covered = Array.from(document.querySelectorAll<HTMLElement>('#part :is(button, a[href], input)'))
      .filter((control) => control.checkVisibility() && control.getBoundingClientRect().bottom > top)
      .map((control) => `${control.className} ${control.textContent}`)
    scrollTo({ top: from, behavior: 'instant' })
    return covered
  })
}

/** Holds a button with a finger until something has happened. */
async function hold(page: Page, name: string, happened: Promise<unknown>): Promise<void> {
  const { x, y, width, height } = (await page.getByRole('button', { name }).boundingBox())!
  const touch = await page.context().newCDPSession(page)
  const touchPoints = [{ x: x + width / 2, y: y + height / 2 }]
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await happened
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
