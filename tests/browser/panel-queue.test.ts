import type { RadioState } from '@solstice/contracts'
import { defaultSettings } from '@solstice/station'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { until } from '../harness/until.ts'

const names = [
  'Anchor',
  'Buoy',
  'Compass',
  'Dory',
  'Estuary',
  'Fathom',
  'Galley',
  'Harbour',
  'Inlet',
  'Jetty',
  'Keel',
  'Lagoon',
]
const tracks = names.map((name) => ({ name, hz: 440, seconds: 2 }))
/** By its record no song ends while the queue is moved about, however slow the machine. */
const RECORDED_S = 3_600
const settings = {
  STREAM_MODE: 'false',
  DAY_START_HOUR: '6',
  NIGHT_START_HOUR: '6',
  QUEUE_ADD_COOLDOWN_S: '0',
  QUEUE_REMOVE_COOLDOWN_S: '3',
  ...SUPER_ADMIN,
}

t.test('A11: an admin moves songs in the queue by keyboard, by mouse, and with clicks', async (t) => {
  const station = await prepare(t, settings, tracks)
  const data = await station.openData()
  for (const { id } of await data.tracks.find()) await data.tracks.update({ id }, { duration: RECORDED_S })
  const value = { ...defaultSettings.generation, USE_ALL_DAY_SONGS: true }
  await data.settings.insert({ section: 'generation', value, revision: 1 })
  await data.close()
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page)
  const row = (position: number) => page.locator('.queue-row').nth(position - 1)
  const handle = (position: number) => row(position).getByRole('button', { name: /^Move: / })
  await handle(6).waitFor()
  const admin = await adminAt(t, url)
  const onServer = async () =>
    ((await admin.ask('get_queue', { limit: 20 })) as { items: { id: string; title: string }[] }).items
  const titles = async () => (await onServer()).map(({ title }) => title)
  const titleOnAir = async () => {
    const first = await admin.first<RadioState>('sync')
    return ((admin.all('sync').at(-1) as RadioState | undefined) ?? first).title
  }
  // Messages go by themselves: the page keeps what they said.
  await page.evaluate(() => {
    const look = () => {
      for (const { textContent } of document.querySelectorAll('.message p')) said.add(textContent ?? '')
    }
    const said = new Set<string>()
    Object.assign(window, { said })
    new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true })
  })
  const isSaid = (text: string) =>
    page.waitForFunction(
      (wanted) => [...(window as unknown as { said: Set<string> }).said].some((one) => one.includes(wanted)),
      text,
    )
  /** Takes the messages away, and forgets them. */
  const quiet = () =>
    page.evaluate(() => {
      for (const close of document.querySelectorAll<HTMLElement>('.message .tool')) close.click()
      ;(window as unknown as { said: Set<string> }).said.clear()
    })
  /** The station has this order, and the page shows it. */
  const isOrder = async (wanted: string[]) => {
    await until('the station has this order', async () => (await titles()).join() === wanted.join())
    await page.waitForFunction(
      (order) =>
        Array.from(document.querySelectorAll('.queue-row b'), ({ textContent }) => textContent).join() ===
        order,
      wanted.join(),
    )
  }
  /** The cooldown has passed, and the page shows what the server has. */
  const ready = async () => {
    await quiet()
    await page.locator('.queue-handle[aria-disabled=false]').first().waitFor()
    return titles()
  }
  const isMoved = async (before: string[], from: number, to: number) => {
    await isOrder(before.toSpliced(from - 1, 1).toSpliced(to - 1, 0, before[from - 1]!))
    await isSaid('The song is moved')
  }

  await t.test('with Alt and the arrows; the focus goes along', async () => {
    const before = await ready()
    t.equal(await handle(1).count(), 0, 'the next one is locked')
    await handle(5).focus()
    await page.keyboard.down('Alt')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await row(5).getByText('place 3').waitFor()
    await page.getByText(`${before[4]}: place 3`).waitFor({ state: 'attached' })
    t.same(await titles(), before, 'nothing is sent while Alt is held')
    await page.keyboard.up('Alt')
    await isMoved(before, 5, 3)
    t.ok(await handle(3).evaluate((button) => button === document.activeElement))
  })

  await t.test('with the mouse', async () => {
    const before = await ready()
    await drag(handle(3), handle(6))
    await row(3).getByText('place 6').waitFor()
    await shoot(page, 'queue')
    await page.mouse.up()
    await isMoved(before, 3, 6)
  })

  await t.test('with two clicks', async () => {
    const before = await ready()
    await handle(4).click()
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Put it here, place 2' }).click()
    await isMoved(before, 4, 2)
  })

  let others: string[] = []
  await t.test('among those of its kind only; Escape puts it back', async () => {
    const [next, , , , , ...later] = (await onServer()).filter(
      ({ id }, i, all) => all.findIndex((other) => other.id === id) === i,
    )
    for (const [orderType, track] of [
      ['donated', later[0]!],
      ['lastinline', later[2]!],
    ] as const) {
      admin.socket.emit('admin_add_song', { id: track.id, orderType, tier: null })
      await admin.first('admin_success')
    }
    others = later.map(({ title }) => title)
    await row(1).getByText('paid').waitFor()
    await row(2).getByText('requested').waitFor()
    const before = await ready()
    t.equal(before[2], next!.title)
    t.equal((await handle(1).count()) + (await handle(2).count()), 0, 'there is no place for these')
    await drag(handle(5), row(1))
    await row(5).getByText('place 3').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.up()
    await row(5).getByText('place 3').waitFor({ state: 'detached' })
    t.same(await titles(), before)
  })

  await t.test('A12: a song from the library is dropped at its place, or put there by keyboard', async () => {
    await quiet()
    const taken = [...(await titles()).slice(0, 6), await titleOnAir()]
    const [first, second] = names.filter((name) => !taken.includes(name))
    const find = async (title: string) => {
      await page.getByRole('searchbox').fill(title)
      return page.getByRole('button', { name: `Choose a place in the queue: ${title}` })
    }
    const dropped = await find(first!)
    await dropped.hover()
    await page.mouse.down()
    const { x, y } = (await row(2).boundingBox())!
    await page.mouse.move(x + 60, y + 4, { steps: 6 })
    await page.locator('.queue-row[data-drop=true]').waitFor()
    await shoot(page, 'queue-drop')
    await page.mouse.up()
    await isSaid('The song is queued')
    t.same((await titles()).slice(1, 3), [first, others[2]], 'ahead of the one that was requested before')
    await quiet()
    const chosen = await find(second!)
    await chosen.focus()
    await page.keyboard.press('Enter')
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'after all requested songs' }).focus()
    await page.keyboard.press('Enter')
    await isSaid('The song is queued')
    t.equal((await titles())[3], second)
    const search = page.getByRole('searchbox')
    await search.fill('Anchor')
    await search.press('Escape')
    await page.keyboard.press('/')
    t.equal(await search.inputValue(), '', 'the key of the search is not typed into it')
  })

  await t.test('and is told why one was refused', async () => {
    // Where the cooldown was over before the page moved its song, another one begins it again.
    for (let isRefused = false; !isRefused; ) {
      await ready()
      const items = await onServer()
      admin.forget()
      admin.socket.emit('admin_move_song', { id: items[8]!.id, from: 9, to: 8 })
      await admin.first('admin_success')
      await row(8).getByText(items[8]!.title, { exact: true }).waitFor()
      await handle(7).focus()
      await page.keyboard.press('Alt+ArrowUp')
      // A row that changes its place at this moment takes no key.
      const answer = await page
        .waitForFunction(
          () => [...(window as unknown as { said: Set<string> }).said].find((one) => one.includes('moved')),
          undefined,
          { timeout: 20_000 },
        )
        .then((said) => said.jsonValue())
        .catch(() => '')
      isRefused = answer?.startsWith('The next song can be moved in') ?? false
      await page.locator('.queue:not([data-moving])').waitFor()
    }
  })

  await t.test('A13: a removed song is put back at its place with a key', async () => {
    const before = await ready()
    await row(4)
      .getByRole('button', { name: /^Remove from the queue/ })
      .click()
    await isSaid(`The song is removed from the queue: ${before[3]}`)
    await page.keyboard.press('z')
    await isSaid('The song is back in the queue')
    await isOrder(before)
  })

  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.getByText('move the song whose row has the focus').waitFor()
  await page.keyboard.press('Escape')

  await t.test('on a phone and at 400 % zoom too', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    const before = await ready()
    await handle(7).click()
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
    t.same(await violations(page), [])
    await shoot(page, 'queue-phone')
    await page.getByRole('button', { name: 'Put it here, place 6' }).click()
    await isMoved(before, 7, 6)
    await quiet()

    await page.setViewportSize({ width: 390, height: 844 })
    const listener = openSocket(t, url)
    listener.socket.emit('listener_init')
    await listener.first('listener_uid')
    // Beside itself a song is refused: the one on air is no wish.
    const wish = before[8]!
    t.match(await listener.ask('suggest_song', { id: `day/${wish}.mp3` }), { ok: true })
    await page.getByRole('tab', { name: /^Requests/ }).click()
    const request = page.locator('.inbox .queue-song', { hasText: wish })
    await request.waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    t.ok((await request.boundingBox())!.width >= 110, 'its buttons leave a title its room')
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: `Accept: ${wish}` }).click()
    t.match(await listener.first('suggestion_result'), { accepted: true })
    await quiet()
    await page.getByRole('tab', { name: 'Add' }).click()
    const taken = [...(await titles()).slice(0, 7), await titleOnAir()]
    const other = names.find((name) => !taken.includes(name))!
    await page.getByRole('searchbox').fill(other)
    await page.getByRole('button', { name: `Choose a place in the queue: ${other}` }).click()
    t.same(await violations(page), [])
    await shoot(page, 'place-phone')
    const place = page.getByRole('group', { name: `Place in the queue: ${other}` }).getByRole('button')
    await place.first().click()
    await isSaid('The song is queued')
    t.equal((await titles())[1], other, 'ahead of the requests, behind what is paid for')
    await page.getByRole('tab', { name: 'Queue' }).click()
    await page.locator('.queue-row', { hasText: other }).first().waitFor()
    if (process.env.PANEL_SHOTS) await darken(page)
    await shoot(page, 'panel-on-air-phone')
  })
  t.same(
    complaints.filter((complaint) => !/401/.test(complaint)),
    [],
  )
})

/** Chooses the dark look. */
async function darken(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  await page.keyboard.press('Escape')
}

/** Takes a picture where somebody wants to look at it. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.PANEL_SHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

/** Presses on a handle and moves to another place, without letting go. */
async function drag(handle: Locator, place: Locator): Promise<void> {
  const page = handle.page()
  await handle.hover()
  await page.mouse.down()
  const { y, height } = (await place.boundingBox())!
  const { x } = (await handle.boundingBox())!
  await page.mouse.move(x + 10, y + height / 2, { steps: 6 })
}
