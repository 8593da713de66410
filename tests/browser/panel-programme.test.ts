import { join } from 'node:path'
import type { Settings, SongGroup } from '@solstice/contracts'
import type { Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { logIn } from '../harness/people/uploads.ts'
import type { Station } from '../harness/stations/station.ts'
import { timeZoneAt } from '../harness/stations/time-zone.ts'

/** Where pictures of the panel are put, for people to look at. */
const shots = process.env.PANEL_SHOTS

/** Songs of each mode: artist, title, minutes. */
const library = {
  day: [
    ['Hilda', 'Morning Tide', 6],
    ['Hilda', 'Shores', 5],
    ['Hilda', 'Amber', 7],
    ['Oskar & the Ferry', 'Harbour Bell', 6],
    ['Oskar & the Ferry', 'Last Boat', 5],
    ['Low Hum', 'Wires', 8],
    ['Low Hum', 'Transformer', 7],
    ['Marta Lis', 'Kite', 4],
    ['Marta Lis', 'Orchard', 5],
    ['Paper Lanterns', 'First Tram', 6],
    ['Paper Lanterns', 'Rooftops', 5],
    ['Quiet Engine', 'Idle', 7],
    ['The Weather', 'Drizzle', 5],
  ],
  night: [
    ['Night Bus', 'Last Stop', 9],
    ['Night Bus', 'Depot', 8],
    ['Owl Parliament', 'Quorum', 10],
    ['Owl Parliament', 'Motion', 9],
    ['Selene', 'Far Side', 12],
    ['Selene', 'Regolith', 11],
    ['Moth', 'Lamp', 8],
  ],
} as const
const MODES = ['day', 'night'] as const

/** Gives the short tones of the station the names and lengths of songs. */
async function nameTracks(station: Station): Promise<void> {
  const data = await station.openData()
  for (const mode of MODES)
    for (const [i, [artist, title, minutes]] of library[mode].entries())
      await data.tracks.update({ id: `${mode}/${mode} ${i}.mp3` }, { artist, title, duration: minutes * 60 })
  await data.close()
}

/** Asks under `/api/admin/`; without a body it reads. */
async function ask<T>(url: string, path: string, token: string, body?: object): Promise<T> {
  const answer = await fetch(`${url}/api/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as T
}

/** The settings as the station has them, and what another admin saves. */
function openSettings(url: string, token: string) {
  const post = (body?: object) =>
    ask<{ settings: Settings; songGroups: SongGroup[] }>(url, 'settings', token, body)
  return { read: () => post(), save: post }
}

const HELPER = { login: 'olena', password: 'Own password 1' }

/** Creates a helper who may change nothing but what the moderators of hosts may. */
async function createHelper(url: string, token: string): Promise<void> {
  const { login, password: newPassword } = HELPER
  const password = 'Temporary 1'
  await ask(url, 'admins', token, { login, password, privileges: ['radio_moderator'] })
  const own = await logIn(url, login, password)
  await ask(url, 'admins/self/activate', own, { tempPassword: password, newPassword })
}

async function openProgramme(page: Page, login: string, password: string): Promise<void> {
  await page.setViewportSize({ width: 1440, height: 900 })
  await signIn(page, login, password)
  await page.locator('.strip-now b').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await page.getByRole('img', { name: /^The day: day starts at 07:00, night at 22:00/ }).waitFor()
}

/** The artists of a group, and an artist wherever it is. */
const boardOf = (page: Page) => ({
  column: (name: string) => page.getByRole('list', { name, exact: true }),
  card: (name: string) => page.locator('.artist-card', { hasText: name }),
})

async function createGroups(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.getByRole('button', { name: 'New group' }).click()
    await page.locator('.group-name:focus').fill(name)
    await page.keyboard.press('Enter')
  }
}

/** Carries Hilda to Calm, and Low Hum to Lively and back. */
async function carryByKeyboard(page: Page): Promise<void> {
  const { column, card } = boardOf(page)
  await card('Hilda').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowRight')
  await column('Calm').locator('.artist-card:focus', { hasText: 'Hilda' }).waitFor()
  await page.keyboard.press('Enter')
  await card('Low Hum').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await column('Lively').getByText('Low Hum').waitFor()
  await page.keyboard.press('Escape')
  await column('Unassigned').getByText('Low Hum').waitFor()
}

/** Makes a group of two songs, found by their artist and their title. */
async function fillSongGroup(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New song group' }).click()
  const drawer = page.getByRole('dialog', { name: 'New song group' })
  await drawer.getByLabel('Name').fill(name)
  await drawer.getByRole('radio', { name: 'Day' }).check()
  await drawer.getByRole('searchbox').fill('ferry')
  await drawer.getByRole('button', { name: 'Add: Last Boat — Oskar & the Ferry' }).click()
  await drawer.getByRole('searchbox').fill('orchard')
  await drawer.getByRole('button', { name: 'Add: Orchard — Marta Lis' }).click()
}

/** Takes a picture without messages and focus. */
async function shootPart(page: Page, path: string): Promise<void> {
  const messages = page.locator('.toasts')
  await messages.evaluateAll((lists) => {
    for (const list of lists as HTMLElement[]) list.style.visibility = 'hidden'
  })
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  await page.screenshot({ path })
  await messages.evaluateAll((lists) => {
    for (const list of lists as HTMLElement[]) list.style.visibility = ''
  })
}

t.test('an admin arranges playlists and makes a song group; a helper saves what they may', async (t) => {
  const tones = MODES.flatMap((mode) =>
    library[mode].map((_, i) => ({ name: `${mode} ${i}`, mode, hz: 440, seconds: 2 })),
  )
  // Day, whenever this runs: the groups are of artists of the day.
  const hours = { NIGHT_MODE: 'true', DAY_START_HOUR: '7', NIGHT_START_HOUR: '22', TIME_ZONE: timeZoneAt(10) }
  const station = await prepare(t, { STREAM_MODE: 'false', ...hours, ...SUPER_ADMIN }, tones)
  await nameTracks(station)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  if (shots) page.setDefaultTimeout(30_000)
  const shoot = (name: string) => shots && shootPart(page, join(shots, `${name}.png`))
  const faults = async () => [...(await flaws(page)), ...(await violations(page))]
  const token = await logIn(url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  const settings = openSettings(url, token)
  await openProgramme(page, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  const oneOfEach = page.getByRole('radio', { name: 'One of each' })
  await page.getByText('At least two groups with songs are needed').first().waitFor()
  t.ok(await oneOfEach.isDisabled(), 'without groups')

  await createGroups(page, ['Calm', 'Lively'])
  const { column, card } = boardOf(page)
  await carryByKeyboard(page)
  await card('Marta Lis').dragTo(column('Calm'))
  await column('Calm').getByText('Marta Lis').waitFor()
  t.equal(await page.locator('[aria-pressed=true]').count(), 0, 'a card that was dragged is not held')
  await card('Quiet Engine').click()
  await page.getByRole('button', { name: 'Move Quiet Engine to Calm' }).click()
  await column('Calm').getByText('Quiet Engine').waitFor()
  await page.locator('.group-count', { hasText: '6 songs' }).waitFor()
  t.same(
    await page.locator('.board[data-counting=false] .group-count').allInnerTexts(),
    ['6 songs', '7 songs'],
    'the last group takes the artists that none names',
  )
  await oneOfEach.check()
  await page.getByLabel('Minutes of music before a new playlist is made').fill('70')
  t.same(await faults(), [])
  await shoot('board')

  const hour = page.getByRole('list', { name: 'The next hour' })
  await page.getByText(/^Different from the saved settings: [1-9]/).waitFor()
  await hour.locator('[data-different=true]').first().waitFor()
  t.ok(await hour.getByRole('listitem').count(), 'songs with their times')
  await page.getByText('After the queue').click()
  await hour.getByText('queued').first().waitFor()

  const before = await settings.read()
  t.same(before.settings.generation.GROUP_DEFS, {}, 'nothing is saved yet')
  await page.getByRole('link', { name: 'On air' }).click()
  await page.getByText('Your unsaved programme changes are kept.').waitFor()
  await page.getByRole('button', { name: 'Back to Programme' }).click()
  await page.getByText('Unsaved:').waitFor()
  t.ok(await oneOfEach.isChecked(), 'unsaved changes outlive a look at another part')

  await settings.save({ artistArts: { nightEnabled: false } })
  const sending = page.waitForRequest(
    (request) => request.method() === 'POST' && /settings$/.test(request.url()),
  )
  await page.keyboard.press('Control+s')
  await page.getByText('The settings are saved').waitFor()
  await page.getByText('Unsaved:').waitFor({ state: 'detached' })
  await page.getByText('Same as with the saved settings').waitFor()
  t.same(
    Object.keys((await sending).postDataJSON()),
    ['generation'],
    'a helper may lack the rights of others',
  )
  const { settings: saved } = await settings.read()
  t.match(saved.generation, {
    GROUP_SECTIONS_ALGORYTM: true,
    MAX_DAY_DURATION: 70 * 60,
    GROUP_DEFS: { Calm: ['Hilda', 'Marta Lis', 'Quiet Engine'], Lively: [] },
  })
  t.equal(saved.artistArts.nightEnabled, false, 'what another admin saved meanwhile stays')
  await page.evaluate(() => scrollTo(0, 0))
  await shoot('panel-programme')

  await page.getByRole('tab', { name: 'Song groups' }).click()
  await fillSongGroup(page, 'Sea morning')
  t.same(await faults(), [])
  await shoot('editor')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const row = page.getByRole('listitem').filter({ hasText: 'Sea morning' })
  await row.getByText('2 songs').waitFor()
  t.equal((await settings.read()).songGroups[0]?.songCount, 2)
  await shoot('groups')
  await row.getByRole('button', { name: 'Delete: Sea morning' }).click()
  await row.locator('.confirm').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  t.same((await settings.read()).songGroups, [])

  await page.getByRole('tab', { name: 'Guests & artwork' }).click()
  t.notOk(await page.getByRole('checkbox', { name: 'Show by night' }).isChecked(), 'as the other admin saved')
  t.same(await faults(), [])
  await shoot('extras')
  await page.getByRole('link', { name: 'Sounds' }).click()
  await page.getByText('STREAM_MODE=true').waitFor()
  t.same(await faults(), [])
  await page.getByRole('link', { name: 'Programme' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('tab', { name: 'Day', exact: true }).click()
  await card('Hilda').waitFor()
  t.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    'nothing is wider than a phone',
  )
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('radio', { name: 'Dark' }).check()
  await page.keyboard.press('Escape')
  t.same(await faults(), [])
  await page.evaluate(() => scrollTo(0, 0))
  await shoot('panel-programme-phone')
  await card('Hilda').scrollIntoViewIfNeeded()
  await shoot('phone-board')

  await createHelper(url, token)
  const { page: other } = await visit(t, `${url}/en/adlogin`)
  await openProgramme(other, HELPER.login, HELPER.password)
  await other.getByText('You need the “').first().waitFor()
  t.ok(await other.getByRole('radio', { name: 'Shuffle' }).isDisabled())
  await other.setViewportSize({ width: 390, height: 844 })
  t.same(await violations(other), [], 'a board that may only be read has nothing to scroll')
  await other.setViewportSize({ width: 1280, height: 800 })
  await other.getByRole('tab', { name: 'Guests & artwork' }).click()
  t.ok(await other.getByRole('checkbox', { name: 'Show by day' }).isDisabled())
  await other.getByLabel('Minutes on air for a guest', { exact: true }).fill('20')
  t.same([...(await flaws(other)), ...(await violations(other))], [])
  await other.keyboard.press('Control+s')
  await other.getByText('The settings are saved').waitFor()
  t.match((await settings.read()).settings, {
    radioHosts: { guestMaxDurationMinutes: 20 },
    generation: { MAX_DAY_DURATION: 70 * 60 },
  })
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})
