import t, { type Test } from 'tap'
import { cut, makeRecording } from '../harness/audio/recording.ts'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { beLoud, giveVoice } from '../harness/browser/voice.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import type { SocketClient } from '../harness/people/socket-client.ts'

t.test('a moderator looks after those on air, bans an address and invites by code', async (t) => {
  const station = await prepare(t, { ...SUPER_ADMIN, RADIO_HOSTS_MODE: 'true' })
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page, complaints } = await visit(t, `${url}/en/adlogin`)
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  await signIn(page)
  await page.getByRole('link', { name: 'Live' }).click()
  await page.getByRole('tab', { name: 'Moderation' }).click()
  await page.getByText('Nobody is banned').waitFor()
  t.same(await flaws(page), [])
  t.same(await violations(page), [])

  const host = await adminAt(t, url)
  await host.ask('admin_go_live', {})
  const person = page.getByRole('region', { name: 'On air' }).locator('li', { hasText: 'host' })
  const level = (isIt: 'heard' | 'silent') =>
    page.waitForFunction((isIt) => {
      const shown = Number(document.querySelector('.speaker-meter')?.getAttribute('aria-valuenow'))
      return isIt === 'heard' ? shown > -50 : shown === -60
    }, isIt)
  await level('silent')
  await speak(t, host)
  await level('heard')
  await button(`Mute: ${SUPER_ADMIN.ADMIN_LOGIN}`).click()
  await person.getByText('muted').waitFor()
  await level('silent')
  if (process.env.PANEL_SHOTS) await page.screenshot({ path: `${process.env.PANEL_SHOTS}/panel-live.png` })
  t.same(await violations(page), [])
  await button(/^Take off:/).click()
  await page.locator(':focus', { hasText: 'No' }).waitFor()
  await button('Take off').click()
  t.same(await host.first('host_force_disconnect'), { reason: 'kick' })
  await page.getByText('Nobody. Hosts and guests').waitFor()

  const bans = async () => (await host.ask('moderator_get_banlist', {})) as { list: { ip: string }[] }
  await page.getByLabel('IP address').fill('nowhere')
  await page.keyboard.press('Enter')
  await page.locator('.message[data-is=failed]').waitFor()
  await page.getByLabel('IP address').fill('203.0.113.9')
  await page.getByLabel('Nickname').fill('Loud')
  await page.keyboard.press('Enter')
  await page.locator('li', { hasText: '203.0.113.9' }).getByText('Loud').waitFor()
  t.match(await bans(), {
    list: [{ ip: '203.0.113.9', nickname: 'Loud', bannedBy: SUPER_ADMIN.ADMIN_LOGIN }],
  })
  await button('Unban: 203.0.113.9').click()
  await button('Unban').click()
  await page.getByText('Nobody is banned').waitFor()
  t.same((await bans()).list, [])

  t.match(await host.ask('moderator_ban_ip', { ip: '203.0.113.10' }), { ok: true })
  await page.locator('li', { hasText: '203.0.113.10' }).waitFor()
  t.match(await host.ask('moderator_unban_ip', { ip: '203.0.113.10' }), { ok: true })
  await page.getByText('Nobody is banned').waitFor()

  const code = page.locator('.guest-code code')
  await page.getByLabel('Valid for').fill('1')
  await button('Create a code').click()
  await code.waitFor()
  await page.getByText('60 min left').waitFor()
  const first = await code.innerText()
  await button('New code').click()
  await button('Replace').click()
  await page.waitForFunction((old) => document.querySelector('.guest-code code')?.textContent !== old, first)
  t.match(await host.ask('moderator_get_guest_code'), { code: await code.innerText() })
  t.same(await violations(page), [])
  await button('Revoke the code').click()
  await button('Revoke').click()
  await button('Create a code').waitFor()
  t.match(await host.ask('moderator_get_guest_code'), { code: null })
  t.same(
    complaints.filter((complaint) => !/40[14]/.test(complaint)),
    [],
  )
})

t.test('a host sees the time on air, and is warned while the voice clips', async (t) => {
  const station = await prepare(t, { ...SUPER_ADMIN, RADIO_HOSTS_MODE: 'true' })
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const { page } = await visit(t, `${url}/en/adlogin`, {}, (page) => page.addInitScript(giveVoice, 0.5))
  const button = (name: string) => page.getByRole('button', { name })
  const onAir = page.locator('.host-time')
  const warning = page.locator('.meter-clips', { hasText: 'Your voice is clipping' })
  await signIn(page)
  await page.getByRole('link', { name: 'Live' }).click()
  t.equal(await onAir.count(), 0, 'not before')
  await button('Go live').click()
  await onAir.filter({ hasText: /Time on air \d+:(0[1-9]|[1-5]\d)/ }).waitFor()
  t.pass('it counts up')

  await button('Turn the microphone on').click()
  await page.waitForFunction(
    () => Number(document.querySelector('.meter')?.getAttribute('aria-valuenow')) > -30,
  )
  t.equal(await warning.count(), 0, 'a voice at half of full scale is fine')
  await page.evaluate(beLoud, 1.5)
  await warning.waitFor()
  t.same(await violations(page), [])
  await page.evaluate(beLoud, 0.5)
  await warning.waitFor({ state: 'detached' })
  t.pass('it goes when the voice is softer')

  await button('Go off air').click()
  await button('Go live').waitFor()
  t.equal(await onAir.count(), 0)
})

/** Turns a client's microphone on, and sends a tone in real time until the test ends. */
async function speak(t: Test, { socket }: SocketClient) {
  const [seconds, pieceMs] = [20, 250]
  const pieces = cut(await makeRecording(`sine=frequency=800:duration=${seconds}`, seconds), seconds, pieceMs)
  let sent = 0
  socket.emit('host_mic_toggle', { on: true })
  const timer = setInterval(() => socket.emit('host_audio_chunk', pieces[sent++ % pieces.length]), pieceMs)
  t.teardown(() => clearInterval(timer))
}
