import { spawn } from 'node:child_process'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { pitch } from '../harness/audio/audio.ts'
import { adminAt, flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { waiting } from '../harness/until.ts'

/** The browser's simulated microphone beeps twice a second. */
const VOICE_HZ = 400
const FILLER_HZ = 2000
const songs = [
  { name: 'Tide', hz: 1000, seconds: 90, volume: 2 },
  { name: 'Moon', hz: 1000, seconds: 90, volume: 2 },
]
const NICKNAME = 'Ivha'
const RATE = 44_100
const WINDOW = RATE / 20
const WINDOWS_PER_S = 20

t.test('a host goes live; a guest is admitted, heard by everybody, and removed', async (t) => {
  const hosting = { RADIO_HOSTS_MODE: 'true', MAX_LIVE_HOST_SLOTS: '3', GUEST_REQUEST_EXPIRY_S: '300' }
  const station = await prepare(t, { ...SUPER_ADMIN, ...hosting }, songs)
  // Background music, played while songs are paused.
  await station.addClip('background-music', 'Filler.mp3', { hz: FILLER_HZ, seconds: 30, volume: 2 })
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker()])
  const [{ page: host, complaints }, { page: guest, complaints: ofGuest }] = await Promise.all([
    visit(t, `${url}/en/adlogin`),
    visit(t, `${url}/en/guest`),
  ])
  await guest.evaluate(() => {
    const { mediaDevices } = navigator
    const ask = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = async (wanted) => {
      const stream = await ask(wanted)
      Object.assign(window, { stream })
      return stream
    }
  })
  const button = (page: typeof host, name: string | RegExp) => page.getByRole('button', { name })

  await signIn(host)
  await host.getByRole('link', { name: 'Live' }).click()
  await button(host, 'Go live').click()
  await host.locator('.on-air').waitFor()
  await guest.locator('.on-air').waitFor()

  await guest.getByLabel('Your name').fill(NICKNAME)
  await guest.keyboard.press('Enter')
  await guest.locator('[data-status=waiting]').waitFor()
  await button(host, /^Let in/).click()
  await guest.locator('[data-status=invited]').waitFor()
  await guest.locator('h1:focus').waitFor()
  t.same(await flaws(guest), [])
  await button(guest, 'Go live').click()
  await guest.locator('[data-status=live]').waitFor()
  t.match(await guest.locator('h1').innerText(), NICKNAME, 'a name is text')
  t.match(await guest.getByRole('timer').innerText(), /1[45]:\d\d/)

  const ear = openEar(t, `${url}/api/stream/public.mp3`)
  await ear.hears(1000)
  t.ok(ear.isSilent(VOICE_HZ), 'nobody is heard before turning the microphone on')
  await button(guest, 'Turn the microphone on').click()
  await ear.hears(VOICE_HZ)
  t.pass('a guest on air is heard in the public stream')
  const row = host.locator('.rows li', { hasText: NICKNAME })
  t.match(await row.getByRole('timer').innerText(), /^1[345]:\d\d left$/)
  await louder(host, `Voice level: ${NICKNAME}`)
  t.pass('the host sees how loud the guest is, and for how long the guest may stay')
  const mark = guest.locator('.people li', { hasText: SUPER_ADMIN.ADMIN_LOGIN }).locator('.speaking')
  t.equal(await mark.getAttribute('data-on'), 'false')
  await button(host, 'Turn the microphone on').click()
  await guest.locator('.speaking[data-on=true]', { hasText: 'speaking' }).first().waitFor()
  await mark.and(guest.locator('[data-on=true]')).waitFor()
  await button(host, 'Turn the microphone off').click()
  await mark.and(guest.locator('[data-on=false]')).waitFor()
  t.pass('the guest sees when the host speaks')
  await button(host, 'Pause now').click()
  await ear.hears(FILLER_HZ)
  await host.locator('.strip-now', { hasText: 'Just chatting' }).waitFor()
  const { page: listener } = await visit(t, `${url}/en/`)
  await listener.locator('.hosts', { hasText: 'Solstice' }).waitFor()
  t.pass('listeners see who talks, by the names of the roster')
  await listener.close()
  t.same(await flaws(host), [])

  await button(host, /^Mute/).click()
  await guest.locator('.mic[data-muted=true]').waitFor()
  await ear.hearsNo(VOICE_HZ)
  t.pass('a muted guest is not heard')
  await button(host, 'Resume music').click()
  await ear.hears(1000)

  await button(host, /^Take off air/).click()
  await host.locator(':focus', { hasText: 'No' }).waitFor()
  await host.keyboard.press('Escape')
  await host.locator(':focus', { hasText: 'Take off air' }).waitFor()
  t.pass('the focus is never lost, and Escape means no')
  await host.keyboard.press('Enter')
  await button(host, 'Take off').click()
  await guest.getByText('The hosts have taken you off air.').waitFor()
  await guest.waitForFunction(() => {
    const { stream } = window as Window & { stream?: MediaStream }
    return stream?.getTracks().every(({ readyState }) => readyState === 'ended')
  })
  t.pass('the microphone is given back')
  await host.locator('.rows li', { hasText: NICKNAME }).waitFor({ state: 'detached' })
  t.same(ofGuest, [])
  // The browser reports the first 401, from before the login.
  t.same(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )

  const admin = await adminAt(t, url)
  t.match(await admin.ask('admin_go_live'), { error: { code: 'LIVE_ELSEWHERE' } })
  t.equal(await host.locator('.on-air').count(), 1, 'another window changes nothing')
  t.match(await admin.ask('admin_go_live', { takeOver: true }), { ok: true })
  await host.getByText('Your account went on air in another window.').waitFor()
  await button(host, 'Go live').click()
  await button(host, 'Take over here').click()
  await host.locator('.on-air').waitFor()
  t.same(await admin.first('host_force_disconnect'), { reason: 'session_replaced' })
  for (let i = 0; i < 7; i++) await admin.openWindow()
  const watcher = await admin.openWindow()
  t.equal(await host.locator('.on-air').count(), 1, 'a window that is on air is never detached')
  await button(host, 'Go off air').click()
  // The page shows it at once, the station once it has been told.
  await watcher.first<unknown[]>('live_hosts_roster', (people) => people.length === 0)
  const newest = await admin.openWindow()
  await host.getByText('open in too many windows').waitFor()
  await button(host, 'Use this window').click()
  await button(host, 'Go live').waitFor()
  t.match(await newest.ask('moderator_ban_ip', { ip: '127.0.0.1' }), { ok: true })
  await guest.reload()
  await guest.locator('[data-status=banned]').waitFor()
  t.equal(
    await guest.locator('.room input, .room button').count(),
    0,
    'a banned guest sees that, and nothing to press',
  )
})

/** Resolves when a meter of a page shows that somebody is heard. */
const louder = (page: Page, name: string) =>
  page.waitForFunction(
    (label) => Number(document.querySelector(`[aria-label="${label}"]`)?.getAttribute('aria-valuenow')) > -50,
    name,
  )

/** Listens to the public stream as a player does. */
function openEar(t: Test, url: string) {
  const from = ['-nostdin', '-loglevel', 'error', '-fflags', 'nobuffer', '-f', 'mp3', '-i', url]
  const to = ['-f', 'f32le', '-ac', '1', '-ar', String(RATE), 'pipe:1']
  const ffmpeg = spawn('ffmpeg', [...from, ...to])
  t.teardown(() => ffmpeg.kill('SIGKILL'))
  const pitches = [VOICE_HZ, FILLER_HZ, 1000]
  const windows: Map<number, number>[] = []
  const { changed, until } = waiting()
  let rest = Buffer.alloc(0)
  ffmpeg.stdout.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (; rest.length >= WINDOW * 4; rest = rest.subarray(WINDOW * 4)) {
      const samples = new Float32Array(WINDOW)
      for (let i = 0; i < WINDOW; i++) samples[i] = rest.readFloatLE(i * 4)
      windows.push(new Map(pitches.map((hz) => [hz, pitch(samples, hz)])))
    }
    changed()
  })
  const isHeard = (hz: number) => (window: Map<number, number>) => window.get(hz)! > 0.02
  const sounds = (what: string, isSo: (since: Map<number, number>[]) => boolean) => {
    const at = windows.length
    return until(what, () => isSo(windows.slice(at)))
  }
  return {
    isSilent: (hz: number) => !windows.some(isHeard(hz)),
    /** Resolves when the tone is heard from now on. */
    hears: (hz: number) => sounds(`${hz} Hz`, (since) => since.some(isHeard(hz))),
    /** Resolves after two seconds without the tone. */
    hearsNo: (hz: number) =>
      sounds(
        `no ${hz} Hz`,
        (since) => since.length >= 2 * WINDOWS_PER_S && !since.slice(-2 * WINDOWS_PER_S).some(isHeard(hz)),
      ),
  }
}
