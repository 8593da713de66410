import { createPasswords } from '@solstice/adapters'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'

const PASSWORD = 'Correct horse 1'
/** The privileges of each helper; all have statistics. */
const helpers = { olena: ['stats', 'mode_switch'], taras: ['stats', 'queue_manage', 'radio_host'] } as const
const settings = {
  ...SUPER_ADMIN,
  NIGHT_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  DONATIONS_PROVIDER: 'donatello',
}

/** Sentences about privileges that are missing. */
const need = (...rights: string[]) => {
  const names = rights.map((name) => `“${name}”`)
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(names)
  return `You need the ${list} right, which the super admin grants.`
}

t.test('a helper with one privilege sees everywhere which one is missing, and who grants it', async (t) => {
  const { env } = await openPaymentServices(t)
  const { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL } = env
  const donatello = { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL }
  const station = await prepare(t, { ...settings, ...donatello })
  const data = await station.openData()
  const passwordHash = await createPasswords().hash(PASSWORD)
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  for (const [login, privileges] of Object.entries(helpers)) {
    const who = { adminId: login, login, loginKey: login, passwordHash, authorized: true }
    await data.admins.put({ ...who, privileges: [...privileges], ...times })
  }
  await data.close()
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])

  await t.test('from part to part', async (t) => {
    const { page, go, says, refusals } = await enter(t, url, 'olena')
    const isSound = async (what: string) => {
      t.same(await flaws(page), [], what)
      t.same(await violations(page), [], what)
    }
    await says(need('queue'))
    t.equal(await page.locator('.denied', { hasText: need('queue') }).count(), 3, 'queue, requests, adding')
    await page.getByRole('button', { name: `Skip the song. ${need('queue')}` }).waitFor()
    await isSound('on air')
    const parts: [name: string, ...rights: string[]][] = [
      ['Add music', 'song uploads'],
      ['Sounds', 'jingles and phrases'],
      ['Programme', 'programme algorithm', 'song groups', 'moderation'],
      ['Live', 'live hosting', 'moderation'],
      ['Donations', 'donations'],
    ]
    for (const [name, ...rights] of parts) {
      await go(name)
      await says(need(...rights))
      await isSound(name)
      t.equal(await page.locator('main button, main input, main a').count(), 0, 'and nothing to press')
    }
    await go('History')
    await page.getByRole('tab', { name: 'Played', selected: true }).waitFor()
    await go('Monitoring')
    await page.getByText('No alarms').first().waitFor()
    await go('Station')
    await page.getByRole('tab', { name: 'Links', selected: true }).waitFor()
    t.pass('it opens with the first tab that may be used')
    for (const [tab, right] of [
      ['Branding', 'station branding'],
      ['Artist images', 'artist images'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      await says(need(right))
      await isSound(tab)
    }
    await go('My account')
    await page.getByText('mode switching').waitFor()

    await go('Library')
    await page.getByRole('row').nth(1).click()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog')
    for (const [tab, ...rights] of [
      ['Tags', 'song tags'],
      ['Lyrics', 'song tags', 'lyrics'],
      ['Sound', 'song tags'],
      ['Artwork', 'artist images'],
      ['Plays and changes', 'song tags', 'lyrics'],
    ] as const) {
      await drawer.getByRole('tab', { name: tab, exact: true }).click()
      await drawer
        .getByText(need(...rights))
        .first()
        .waitFor()
      t.same(await violations(page), [], tab)
    }
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'More' }).click()
    t.equal(
      await page.getByRole('dialog').locator('[data-denied=true]').count(),
      parts.length,
      'locked on a phone, too',
    )
    t.same(await violations(page), [], 'the sheet')
    t.same(refusals(), [], 'nothing is asked for that would be refused')
  })

  await t.test('within a part that may be used', async (t) => {
    const { page, go, says, refusals } = await enter(t, url, 'taras')
    await page.getByText('Song groups', { exact: true }).click()
    await says(need('song groups'))
    await page.getByRole('button', { name: need('mode switching') }).waitFor()
    t.same(await violations(page), [])
    await go('Live')
    await page.getByRole('button', { name: 'Go live' }).waitFor()
    await page.getByRole('tab', { name: 'Moderation' }).click()
    await says(need('moderation'))
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    t.same(refusals(), [])
  })
})

/** Logs a helper in. */
async function enter(t: Test, url: string, login: string) {
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await page.setViewportSize({ width: 1280, height: 900 })
  await signIn(page, login, PASSWORD)
  await page.locator('.queue-row').nth(1).waitFor()
  return {
    page,
    go: (name: string) => part(page, name).click(),
    says: (text: string) => page.locator('.denied', { hasText: text }).first().waitFor(),
    // The first 401 is from before the login.
    refusals: () => complaints.filter((complaint) => !complaint.includes('401')),
  }
}

const part = (page: Page, name: string) => page.locator('.rail').getByRole('link', { name, exact: true })
