import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openMedia, readConfig } from '@solstice/adapters'
import {
  beginAlarm,
  endAlarm,
  FRAME_MS,
  frameBytes,
  hourStartMs,
  type Part,
  writePart,
} from '@solstice/station'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { flaws, prepare, signIn, visit } from '../harness/browser/browser.ts'
import { downloaded } from '../harness/browser/downloaded.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import type { Station } from '../harness/stations/station.ts'

const tracks = [{ name: 'Low Tide', hz: 440, seconds: 240 }]
const settings = {
  ...{ STREAM_MODE: 'false', NIGHT_MODE: 'false', ...SUPER_ADMIN },
  ...{ AIRCHECK_DAYS: '36500', TIME_ZONE: 'UTC', WEBHOOK_LOCAL_HOSTS: '127.0.0.1' },
}
const wallClock = { nowMs: () => Date.now(), aheadMs: () => 0 }
const DATE = '2026-11-20'
const START = hourStartMs(`${DATE}T14`)
const PART_FRAMES = 760

t.test(
  'the super admin reads an alarm, finds a moment of the recording, and tells another service',
  async (t) => {
    const station = await prepare(t, settings, tracks)
    await record(station)
    const data = await station.openData()
    t.teardown(() => data.close())
    const deps = { data, clock: wallClock, audit: { record: async () => {} } }
    const fault = { cause: 'silence', source: 'https://radio.example' } as const
    await beginAlarm(deps, { ...fault, evidence: 'silent for 8.1 s' })
    const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
    const { page, complaints } = await visit(t, `${url}/en/adlogin`)
    await signIn(page)
    await page.getByRole('link', { name: 'Monitoring' }).click()
    const tab = (name: string) => page.getByRole('tab', { name }).click()
    const isSound = async () => {
      t.same(await flaws(page), [])
      t.same(await violations(page), [])
    }

    await t.test('an open alarm says what is wrong, and when it is over', async () => {
      await page.getByText('1 open alarm').waitFor()
      const alarm = page.getByRole('listitem').filter({ hasText: 'Silence on air' })
      await alarm.getByText('silent for 8.1 s').waitFor()
      await alarm.getByText(/going on/).waitFor()
      await isSound()
      await endAlarm(deps, fault)
      await page.getByText('No open alarms').waitFor()
      await alarm.getByText(/lasted/).waitFor()
    })

    await t.test('a moment is found in the recording, heard from there, and cut out', async (t) => {
      await tab('Aircheck')
      await page.getByText('Nothing was recorded on this day').waitFor()
      await page.getByLabel('Day', { exact: true }).fill(DATE)
      await page.getByLabel('What was on at').fill('14:00:30')
      const second = page.getByRole('listitem').filter({ hasText: 'Second Song' })
      await second.getByText('ada').waitFor()
      await second.getByText('paid, ₴50').waitFor()
      await second.and(page.locator('[data-sought=true]')).waitFor()
      await isSound()
      const asked = page.waitForRequest(/aircheck\/sound\.mp3/)
      await second.getByRole('button', { name: 'Play from 14:00:30' }).click()
      const from = Number(new URL((await asked).url()).searchParams.get('from'))
      t.equal(from, START + 30_000)
      await page.locator('.aircheck-clock', { hasText: /14:00:3[1-9]/ }).waitFor()
      await isSound()
      await page.getByRole('button', { name: 'Pause' }).first().click()
      await second.getByRole('button', { name: 'Cut: ' }).click()
      const drawer = page.getByRole('dialog', { name: 'Cut a piece' })
      await drawer.getByLabel('To').fill('14:00:29')
      await drawer.getByText(/^0:09 long/).waitFor()
      await drawer.getByLabel('To').fill('14:00:35')
      await drawer.getByText(/^0:15 long/).waitFor()
      await isSound()
      const tagsOf = ({ content }: { content: Buffer }) => content.subarray(0, 200).toString('latin1')
      const piece = await downloaded(page, drawer.getByRole('link', { name: 'Download MP3' }))
      t.match(tagsOf(piece), /^ID3.*Second Song/s)
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
      const link = page.getByRole('link', { name: 'Download MP3: show of 14:00–14:00' })
      const show = await downloaded(page, link)
      t.match(show.name, /^show-.*\.mp3$/)
      t.match(tagsOf(show), /^ID3.*ada/s)
    })

    await t.test('a webhook is added, tried and read about', async (t) => {
      const receiver = await receive(t)
      await tab('Webhooks')
      await page.getByText('No webhooks yet').waitFor()
      await isSound()
      await page.getByRole('button', { name: 'Add a webhook' }).click()
      const adding = page.getByRole('dialog', { name: 'Add a webhook' })
      await adding.getByLabel('Address').fill(receiver.url)
      await adding.getByLabel('Description').fill('Night shift')
      await isSound()
      await adding.getByRole('button', { name: 'Add', exact: true }).click()
      const shown = page.getByRole('dialog', { name: 'Secret' })
      const secret = await shown.locator('code').innerText()
      await isSound()
      await page.keyboard.press('Escape')
      await shown.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: /Night shift/ }).click()
      const drawer = page.getByRole('dialog', { name: '127.0.0.1' })
      const taken = receiver.next()
      await drawer.getByRole('button', { name: 'Send a test' }).click()
      const { body, headers } = await taken
      t.match(new Webhook(secret).verify(body, headers), { type: 'webhook.test' })
      await drawer.getByText('delivered', { exact: true }).waitFor()
      await isSound()
      await drawer.getByLabel('Switched on').uncheck()
      await page.getByText('The webhook is saved.').first().waitFor()
      t.match(await data.webhooks.find(), [{ isOn: false, description: 'Night shift' }])
    })

    t.same(
      complaints.filter((complaint) => !complaint.includes('401')),
      [],
    )
  },
)

/** A minute of recording of two songs, the second of which a host spoke over. */
async function record({ env }: Station): Promise<void> {
  const frames = framesOf(await readFile(join(env.MEDIA_DIR!, 'music/day/Low Tide.mp3')))
  const media = await openMedia(readConfig(env).config, pino({ level: 'silent' }))
  for (const [i, title] of ['First Song', 'Second Song', 'Third Song'].entries()) {
    const frame = i * PART_FRAMES
    const atMs = START + frame * FRAME_MS
    const speakers = i === 1 ? ['ada'] : []
    const order = i === 1 ? { type: 'donated' as const, id: 'paid', amount: 50, currency: 'UAH' } : null
    const part: Part = {
      ...{ frame, frames: PART_FRAMES, atMs },
      audio: Buffer.concat(frames.slice(frame, frame + PART_FRAMES)),
      heard: [{ frame, atMs, kind: 'track', title, artist: 'Hilda', speakers, order }],
    }
    await writePart(media, part)
  }
  await media.close()
}

function framesOf(mp3: Buffer): Buffer[] {
  const isTagged = mp3.subarray(0, 3).toString('latin1') === 'ID3'
  // Seven bits of each byte count.
  const tagBytes = mp3.subarray(6, 10).reduce((sum, byte) => sum * 128 + byte, 0)
  const frames: Buffer[] = []
  for (let at = isTagged ? 10 + tagBytes : 0; at < mp3.length; ) {
    const bytes = frameBytes(mp3, at)
    if (!bytes) break
    frames.push(mp3.subarray(at, at + bytes))
    at += bytes
  }
  return frames
}

/** Another service that takes messages. */
async function receive(t: Test) {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    response.writeHead(204).end()
    server.emit('taken', { body, headers: request.headers as Record<string, string> })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: async (): Promise<{ body: string; headers: Record<string, string> }> =>
      (await once(server, 'taken'))[0],
  }
}
