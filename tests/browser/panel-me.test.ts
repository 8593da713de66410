import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'

const tracks = ['Low Tide', 'High Tide'].map((name) => ({ name, hz: 440, seconds: 240 }))
const settings = { STREAM_MODE: 'false', NIGHT_MODE: 'false', ...SUPER_ADMIN }
const TEMPORARY = 'Temporary1'
const FIRST = 'Own password 1'
const SECOND = 'Own password 2'

t.test('a helper activates the account, changes password and login, and ends other sessions', async (t) => {
  const station = await prepare(t, settings, tracks)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  /** Sends a request as somebody; gives its status and answer. */
  const ask = async (method: string, path: string, token = '', body?: object) => {
    const answer = await fetch(`${url}/api/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as { token: string } }
  }
  const logIn = (login: string, password: string) => ask('POST', 'login', '', { login, password })
  const boss = await logIn(SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
  await ask('POST', 'admins', boss.body.token, { login: 'olena', password: TEMPORARY, privileges: [] })

  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await signIn(page, 'olena', TEMPORARY)
  await page.getByLabel('Temporary password').fill(TEMPORARY)
  await page.getByLabel('Your own password', { exact: true }).fill(FIRST)
  await page.getByLabel('Your own password again').fill(FIRST)
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByRole('heading', { name: 'olena' }).waitFor()

  await t.test('another session is listed and ended', async (t) => {
    const elsewhere = await logIn('olena', FIRST)
    await page.reload()
    await page.getByText('this one').waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await page.getByRole('button', { name: /^End: / }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('No other sessions.').waitFor()
    t.equal((await ask('GET', 'verify', elsewhere.body.token)).status, 401)
  })

  await t.test('a new password needs what the rules say, and ends the other sessions', async (t) => {
    const elsewhere = await logIn('olena', FIRST)
    const form = page.locator('form', { hasText: 'New password again' })
    const change = form.getByRole('button', { name: 'Change password' })
    await form.getByLabel('Current password').fill(FIRST)
    await form.getByLabel('New password', { exact: true }).fill('weak')
    await form.locator('[data-met=true]', { hasText: 'lower-case' }).waitFor()
    await form.getByLabel('New password again').fill('weak')
    t.equal(await change.getAttribute('aria-disabled'), 'true', 'a weak one is not sent')
    await form.getByLabel('New password', { exact: true }).fill(SECOND)
    await form.getByText('The passwords differ.').waitFor()
    await form.getByLabel('New password again').fill(SECOND)
    await change.click()
    await page.getByText('The password is changed').waitFor()
    t.equal((await ask('GET', 'verify', elsewhere.body.token)).status, 401)
    t.equal((await logIn('olena', FIRST)).status, 401)
    t.equal((await logIn('olena', SECOND)).status, 200)
  })

  await t.test('a new login is shown at once', async (t) => {
    const form = page.locator('form', { hasText: 'New login' })
    await form.getByLabel('New login').fill('olena.k')
    await form.getByLabel('Current password').fill(SECOND)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'olena.k' }).waitFor()
    t.equal((await logIn('olena.k', SECOND)).status, 200)
  })

  await t.test('the look, the keys and the language are remembered', async (t) => {
    await page.getByRole('radio', { name: 'Dark' }).check()
    await page.getByRole('checkbox', { name: 'Single-letter shortcuts' }).uncheck()
    await page.getByRole('radio', { name: 'Українська' }).check()
    await page.getByRole('heading', { name: 'Де виконано вхід' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Де виконано вхід' }).waitFor()
    t.equal(await page.evaluate(() => document.documentElement.dataset.mode), 'night')
    t.notOk(await page.getByRole('checkbox').isChecked())
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
  })

  t.same(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})
