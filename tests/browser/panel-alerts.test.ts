import { createPasswords } from '@solstice/adapters'
import { beginAlarm, endAlarm } from '@solstice/station'
import type { Page } from 'playwright-core'
import t from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { pendingDonation } from '../harness/donations/orders.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'
import type { Station } from '../harness/stations/station.ts'

const PASSWORD = 'Correct horse 1'
const settings = {
  ...SUPER_ADMIN,
  STREAM_MODE: 'false',
  // Without songs for the night.
  NIGHT_MODE: 'true',
  DONATIONS_PROVIDER: 'donatello',
  SUGGEST_EXPIRY_S: '45',
}
const FAULT = { cause: 'silence', source: 'https://radio.example' } as const
const wallClock = { nowMs: () => Date.now(), aheadMs: () => 0 }

t.test('what needs a decision is told to those who may decide, with the way there', async (t) => {
  const { env } = await openPaymentServices(t)
  const { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL } = env
  const donatello = { DONATIONS_ENABLED, DONATELLO_API_TOKEN, DONATELLO_PAGE_URL, DONATELLO_API_URL }
  const station = await prepare(t, { ...settings, ...donatello })
  const data = await station.openData()
  t.teardown(() => data.close())
  const deps = { data, clock: wallClock, audit: { record: async () => {} } }
  await beginAlarm(deps, { ...FAULT, evidence: 'silent for 8.1 s' })
  await goWrong(data)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const [{ page, complaints }, { page: helper, complaints: ofHelper }] = await Promise.all([
    visit(t, `${url}/en/adlogin`),
    visit(t, `${url}/en/adlogin`),
  ])
  await signIn(page)
  await signIn(helper, 'taras', PASSWORD)
  const alert = (page: Page, text: string) => page.locator('.alerts li', { hasText: text })
  const alarm = 'Open alarms: 1'
  const order = 'Paid songs without a place: 1'
  const webhook = 'Failing webhooks: 1'
  const empty = 'The night library has no songs'

  await t.test('each of them leads to where it is solved', async (t) => {
    const leads = async (text: string, way: string, there: () => Promise<unknown>) => {
      await alert(page, text).getByRole('link', { name: way }).click()
      await there()
      await page.goBack()
      await alert(page, text).waitFor()
    }
    const tab = (name: string) => () => page.getByRole('tab', { name, selected: true }).waitFor()
    await alert(page, webhook).waitFor()
    t.same(await flaws(page), [])
    t.same(await violations(page), [])
    await leads(alarm, 'Alarms', tab('Alarms'))
    await leads(order, 'Decide', () => page.getByText('Waiting for your decision').waitFor())
    await leads(empty, 'Add music', () => page.locator('.add-part').waitFor())
    await leads(webhook, 'Webhooks', tab('Webhooks'))
    await page.setViewportSize({ width: 320, height: 700 })
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off')
    t.same(await violations(page), [])
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await t.test('a helper is told of what the account may see', async (t) => {
    await alert(helper, alarm).waitFor()
    for (const text of [order, webhook, empty]) t.equal(await alert(helper, text).count(), 0, text)
    t.same(
      ofHelper.filter((complaint) => !complaint.includes('401')),
      [],
      'and asks for nothing else',
    )
  })

  await t.test('what is solved goes by itself', async (t) => {
    await endAlarm(deps, FAULT)
    await removeWebhook(url)
    await Promise.all([page, helper].map((page) => alert(page, alarm).waitFor({ state: 'detached' })))
    await alert(page, webhook).waitFor({ state: 'detached' })
    t.equal(await alert(page, order).count(), 1)
  })

  await t.test('what can’t be read is tried again until it can', async (t) => {
    const unread = alert(page, 'Some of the station’s data can’t be read')
    await page.route('**/api/admin/donations/**', (route) => route.fulfill({ status: 503, json: {} }))
    await page.reload()
    await unread.waitFor()
    t.same(await violations(page), [])
    await unread.getByRole('button', { name: 'Try again' }).click()
    await page.unroute('**/api/admin/donations/**')
    await unread.waitFor({ state: 'detached' })
    await alert(page, order).waitFor()
  })

  await t.test('a request is pointed out before it expires', async (t) => {
    const admin = await adminAt(t, url)
    const { items } = (await admin.ask('get_queue', { limit: 2 })) as { items: { id: string }[] }
    const listener = openSocket(t, url)
    listener.socket.emit('listener_init')
    await listener.first('listener_uid')
    t.match(await listener.ask('suggest_song', { id: items[1]!.id }), { ok: true })
    await alert(page, 'Requests about to expire: 1').waitFor()
    t.equal(await alert(helper, 'Requests about to expire').count(), 0)
    t.match(await listener.first('suggestion_result'), { accepted: false, auto: true })
    await alert(page, 'Requests about to expire').waitFor({ state: 'detached' })
  })

  t.same(
    complaints.filter((complaint) => !/401|503/.test(complaint)),
    [],
  )
})

/** Removes the address; the audit log tells everybody. */
async function removeWebhook(url: string) {
  const answer = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS }),
  })
  const { token } = (await answer.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${url}/api/admin/webhooks/w`, { method: 'DELETE', headers })
}

/** A paid song without a place, an address that doesn't answer, and a helper who may see neither. */
async function goWrong(data: Awaited<ReturnType<Station['openData']>>) {
  const atMs = Date.now() - 60_000
  const refused = { status: 'paid_unqueued', queue: 'refused', refusedWhy: 'not_found' } as const
  await data.donations.put(pendingDonation('gone', { ...refused, createdAt: atMs, paidAt: atMs }))
  await data.webhooks.put({
    ...{ id: 'w', url: 'https://example.org/hook', types: ['alarm.began'], description: 'Night shift' },
    ...{ isOn: true, createdAt: atMs, since: atMs, failingSince: atMs, switchedOff: null, secret: 'whsec_' },
  })
  const times = { createdAt: 0, updatedAt: 0, temporarySinceMs: 0 }
  const passwordHash = await createPasswords().hash(PASSWORD)
  const taras = { adminId: 'taras', login: 'taras', loginKey: 'taras', passwordHash, authorized: true }
  await data.admins.put({ ...taras, privileges: ['stats', 'radio_moderator'], ...times })
}
