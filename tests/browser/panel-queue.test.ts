import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { violations } from '../harness/people/axe.ts'
import { adminAt, prepare, signIn, visit } from '../harness/people/browser.ts'

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
const tracks = names.map((name, i) => ({ name, hz: 300 + 50 * i, seconds: 240 }))
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
  const message = (is: 'done' | 'failed') => page.locator(`.message[data-is=${is}]`)
  const quiet = async () => {
    for (const close of await page.locator('.message .tool').all()) await close.click().catch(() => {})
  }
  /** The cooldown has passed, and the page shows what the server has. */
  const ready = async () => {
    await quiet()
    await page.locator('.queue-handle[aria-disabled=false]').first().waitFor()
    return titles()
  }
  const isMoved = async (before: string[], from: number, to: number) => {
    await message('done').getByText('The song is moved').waitFor()
    const after = before.toSpliced(from - 1, 1).toSpliced(to - 1, 0, before[from - 1]!)
    t.same(await titles(), after)
    await page.waitForFunction(
      (wanted) =>
        Array.from(document.querySelectorAll('.queue-row b'), ({ textContent }) => textContent).join() ===
        wanted,
      after.join(),
    )
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
    t.equal(await handle(3).getAttribute('title'), 'You can move in 3 s', 'the cooldown is shown')
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

  await t.test('among those of its kind only; Escape puts it back', async () => {
    const [next, , , , , ...others] = (await onServer()).filter(
      ({ id }, i, all) => all.findIndex((other) => other.id === id) === i,
    )
    for (const [orderType, track] of [
      ['donated', others[0]!],
      ['lastinline', others[2]!],
    ] as const) {
      admin.socket.emit('admin_add_song', { id: track.id, orderType, tier: null })
      await admin.first('admin_success')
    }
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

  await t.test('and is told why one was refused', async () => {
    await ready()
    const items = await onServer()
    admin.socket.emit('admin_move_song', { id: items[6]!.id, from: 7, to: 6 })
    await admin.first('admin_success')
    await row(6).getByText(items[6]!.title, { exact: true }).waitFor()
    const before = await titles()
    await handle(5).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await message('failed').getByText('The next song can be moved in').waitFor()
    t.same(await titles(), before)
    await page.locator('.queue:not([data-moving])').waitFor()
  })

  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.getByText('move the song whose row has the focus').waitFor()
  await page.keyboard.press('Escape')

  await t.test('on a phone and at 400 % zoom too', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    const before = await ready()
    await handle(5).click()
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
    t.same(await violations(page), [])
    await shoot(page, 'queue-phone')
    await page.getByRole('button', { name: 'Put it here, place 4' }).click()
    await isMoved(before, 5, 4)
  })
  t.same(
    complaints.filter((complaint) => !/401/.test(complaint)),
    [],
  )
})

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
