import type { Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { downloaded } from '../harness/browser/downloaded.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'

const tracks = ['Low Tide', 'High Tide'].map((name) => ({ name, hz: 440, seconds: 240 }))
/** First bytes of a file (RFC 1952, 2.3.1). */
const GZIP_MAGIC = 0x1f8b
const settings = { NIGHT_MODE: 'false', STREAM_MOUNTS: 'mp3:128,opus:64', ...SUPER_ADMIN }

t.test('the super admin dresses the station, gives it a face and a helper, and takes a backup', async (t) => {
  const station = await prepare(t, settings, tracks)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  await signIn(page)
  await page.getByRole('link', { name: 'Station' }).click()
  const tab = (name: string) => page.getByRole('tab', { name }).click()

  await t.test(
    'a new name is previewed while it is typed, and listeners see it once it is saved',
    async (t) => {
      for (const [language, day, night, label] of [
        ['Українська', 'Приплив', 'Відплив', 'Пишіть'],
        ['English', 'Radio Tide', 'Radio Ebb', 'Write'],
      ] as const) {
        const names = page.getByRole('group', { name: language })
        await names.getByLabel('Name by day').fill(day)
        await names.getByLabel('Name at night').fill(night)
        await names.getByLabel('Label of the link').fill(label)
      }
      await page.getByLabel('Messenger link').fill('https://example.org/tide')
      const directories = page.getByRole('group', { name: 'Radio directories' })
      await directories.getByLabel('Genres').fill('Folk')
      await directories.getByLabel('may list the station').check()
      await page.locator('.branding-preview', { hasText: 'Radio Ebb' }).waitFor()
      t.same(await flaws(page), [])
      t.same(await violations(page), [])
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('.rail-name', { hasText: 'Radio Tide' }).waitFor()
      const { page: listener } = await visit(t, `${url}/en/`)
      await listener.locator('.header .name', { hasText: 'Radio Tide' }).waitFor()
      const saved = await page.evaluate(async () => (await fetch('/api/admin/settings')).json())
      t.match(saved.settings.branding.directory, { genre: 'Folk', isPublic: true })
    },
  )

  await t.test('any picture becomes a portrait in JPEG', async (t) => {
    await tab('Artist images')
    await page.getByText('2 without an image').waitFor()
    await page.getByLabel('Choose an image: artist of low tide').setInputFiles({
      name: 'wide.png',
      mimeType: 'image/png',
      buffer: await picture(page),
    })
    await page.getByRole('group', { name: 'The part to keep' }).waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Save the image' }).click()
    await page.getByText('1 without an image').waitFor()
    const saved = await page.evaluate(async () => {
      const answer = await fetch('/api/admin/artist-arts/file/artist%20of%20low%20tide')
      const { width, height } = await createImageBitmap(await answer.blob())
      return { width, height }
    })
    t.same(saved, { width: 180, height: 400 })
  })

  await t.test('a helper gets a password that is shown once, and rights that work at once', async (t) => {
    await tab('Helpers')
    await page.getByRole('button', { name: 'Add a helper' }).click()
    await page.getByLabel('Login').fill('olena')
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await page.getByRole('button', { name: 'Create' }).click()
    const password = await page.locator('.helper-password').innerText()
    await page.keyboard.press('Escape')
    await page.getByText('not activated').waitFor()
    await page.locator('.helper-password').waitFor({ state: 'detached' })
    const ask = async (method: string, path: string, token = '', body?: object) => {
      const answer = await fetch(`${url}/api/admin/${path}`, {
        method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      })
      return (await answer.json()) as { token: string; privileges: string[] }
    }
    const { token } = await ask('POST', 'login', '', { login: 'olena', password })
    const passwords = { tempPassword: password, newPassword: 'Own password 1' }
    await ask('POST', 'admins/self/activate', token, passwords)
    await page.getByText('activated', { exact: true }).waitFor()
    const right = page.getByLabel('olena: queue')
    const [granted] = await Promise.all([page.waitForResponse(/\/privileges$/), right.check()])
    t.equal(granted.status(), 200)
    t.same((await ask('GET', 'verify', token)).privileges, ['queue_manage', 'stats'])
    t.same(await flaws(page), [])
    t.same(await violations(page), [])

    const { token: second } = await ask('POST', 'login', '', { login: 'olena', password: 'Own password 1' })
    await page.getByRole('button', { name: 'Sessions: olena' }).click()
    const drawer = page.getByRole('dialog', { name: 'Where olena is logged in' })
    await drawer.getByRole('listitem').nth(1).waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await drawer.getByRole('button', { name: 'End:' }).first().click()
    await drawer.getByRole('button', { name: 'Yes' }).click()
    await drawer.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
    const isLoggedIn = async (token: string) => 'privileges' in (await ask('GET', 'verify', token))
    t.notOk(await isLoggedIn(second), 'the newest session is over')
    t.ok(await isLoggedIn(token))
    await drawer.getByRole('button', { name: 'End all: olena' }).click()
    await drawer.getByRole('button', { name: 'Yes' }).click()
    await drawer.getByText('Nowhere right now.').waitFor()
    t.notOk(await isLoggedIn(token))
    await page.keyboard.press('Escape')
  })

  await t.test('a helper is invited, activates, gets a right, works, and is removed', async (t) => {
    await page.getByRole('button', { name: 'Add a helper' }).click()
    await page.getByLabel('Login').fill('petro')
    await page.getByRole('button', { name: 'Create' }).click()
    const password = await page.locator('.helper-password').innerText()
    await page.keyboard.press('Escape')
    const { page: helper } = await visit(t, `${url}/en/adlogin`)
    await signIn(helper, 'petro', password)
    await helper.getByLabel('Temporary password').fill(password)
    await helper.getByLabel('Your own password', { exact: true }).fill('Own password 2')
    await helper.getByLabel('Your own password again').fill('Own password 2')
    await helper.getByRole('button', { name: 'Activate' }).click()
    await helper
      .getByText(/^You need the “.*” right/)
      .first()
      .waitFor()
    t.equal(await helper.getByRole('button', { name: /^Remove from the queue/ }).count(), 0)
    await page.getByLabel('petro: queue').check()
    await helper
      .getByRole('button', { name: /^Remove from the queue/ })
      .nth(1)
      .click()
    await helper.getByText('The song is removed from the queue').waitFor()
    t.pass('a right works at once, without a new login')
    await page.getByRole('button', { name: 'Delete: petro' }).click()
    await page.locator('.confirm').getByRole('button', { name: 'Delete' }).click()
    await helper.getByText('This account no longer exists.').waitFor()
    await page.locator('.helpers-who', { hasText: 'petro' }).waitFor({ state: 'detached' })
  })

  await t.test('jobs, links and the set-up are shown', async (t) => {
    await tab('Jobs')
    const scans = page.locator('.job-runs', { hasText: 'reconcile-media' })
    await scans.getByText(/^1 run · last at/).click()
    await scans.locator('li', { hasText: 'reconcile-media' }).waitFor()
    await page.getByText('Recurring jobs').first().click()
    await page.getByText('purge-expired').first().waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await tab('Links')
    await page.getByRole('link', { name: `${url}/api/stream/public.mp3` }).waitFor()
    await page.getByRole('link', { name: `${url}/api/stream/public-64.opus` }).waitFor()
    await page.getByRole('link', { name: `${url}/api/hls/live.m3u8` }).waitFor()
    await page.locator('.qr-code path').nth(1).waitFor({ state: 'attached' })
    await page.getByRole('group', { name: 'Layout' }).getByText('Card').click()
    await page.getByRole('group', { name: 'Code' }).getByText('Frame').click()
    const code = await page.getByLabel('Code for the site', { exact: true }).inputValue()
    t.match(code, `<iframe src="${url}/embed?layout=card&amp;theme=auto&amp;lang=en"`)
    await page.frameLocator('.embed-preview').locator('.mark', { hasText: 'On air' }).waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await tab('Set-up')
    await page.getByText('Needs DONATIONS_ENABLED').waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
  })

  await t.test('a backup is downloaded', async (t) => {
    const { name, content } = await downloaded(page, page.getByRole('link', { name: 'Download a backup' }))
    t.match(name, /\.tar\.gz$/)
    t.equal(content.readUInt16BE(), GZIP_MAGIC)
  })

  t.same(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})

/** A picture that is wider than high, as PNG. */
async function picture(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 600, height: 400 })
    canvas.getContext('2d')!.fillRect(0, 0, 300, 400)
    return canvas.toDataURL('image/png')
  })
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
