import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chunkEndMs, type SettingsRecord, sleep } from '@solstice/station'
import t, { type Test } from 'tap'
import { makeTone } from '../harness/audio/audio.ts'
import { inForm } from '../harness/long-form.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { temporaryFolder } from '../harness/processes/processes.ts'
import { startPostgres } from '../harness/servers/postgres.ts'
import { kofiDonation, kofiPosts, openPaymentServices } from '../harness/servers/services/payment-services.ts'
import { followBroadcast, listen, mustBeWhole, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const ROUNDS = inForm({ short: 1, long: 3 })
const SONGS = Array.from({ length: 5 }, (_, i) => ({
  ...{ name: `${i}`, hz: 300 + 50 * i, seconds: 40, isMono: true },
}))
const PAUSE_MS = 250
const LISTENED_BYTES = 16_000
const PAID_MEANWHILE = 3

interface Answer {
  status: number
  retryAfter: string | null
  // biome-ignore lint/suspicious/noExplicitAny: each request asserts the shape it expects
  body: any
}

/** People at work: they change one thing after the other, and note what was acknowledged. */
async function work(t: Test, url: string) {
  const send = async (path: string, body: object, more: Record<string, string> = {}): Promise<Answer> => {
    const isFile = Buffer.isBuffer(body)
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': isFile ? 'audio/mpeg' : 'application/json', ...more },
      body: isFile ? new Uint8Array(body) : JSON.stringify(body),
    })
    const { status, headers } = answer
    return { status, retryAfter: headers.get('retry-after'), body: await answer.json() }
  }
  const account = { login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS }
  const { token } = (await send('/api/admin/login', account)).body
  const authorization = `Bearer ${token}`
  const tone = join(await temporaryFolder(t), 'tone.mp3')
  await makeTone(tone, { hz: 440, seconds: 1, title: 'As tagged', artist: 'Tagged' })
  const bytes = await readFile(tone)

  const names = { dayRadioName: 'Day', nightRadioName: 'Night', messengerLabel: 'Write to us' }
  const kept = { groups: [], links: [], orders: [], uploads: [] } as Record<string, string[]>
  const asked: string[] = []
  /** Orders that wait for their payment. */
  const unpaid: { donationId: string; matchCode: string }[] = []
  const paid: string[] = []
  const refusals: Answer[] = []
  let isOver = false
  const busy = async (what: string, change: (n: number) => Promise<[Answer, name: string]>) => {
    for (let n = 0; !isOver; n++) {
      const [answer, name] = await change(n)
      if (answer.status === 200) kept[what]!.push(name)
      else if (answer.status >= 500) refusals.push(answer)
      await sleep(PAUSE_MS)
    }
  }
  const busyWith = [
    busy('groups', async (n) => {
      const name = `group ${n}`
      const group = { name, mode: 'day', songs: ['day/0.mp3'] }
      return [await send('/api/admin/song-groups', group, { authorization }), name]
    }),
    busy('links', async (n) => {
      const link = `https://example.org/${n}`
      asked.push(link)
      const branding = { messenger_url: link, byLang: { uk: names, en: names } }
      return [await send('/api/admin/settings', { branding }, { authorization }), link]
    }),
    busy('orders', async (n) => {
      const from = { 'x-forwarded-for': `203.0.113.${n % 250}` }
      const song = { songId: `day/${n % SONGS.length}.mp3` }
      const answer = await send('/api/public/donations/create', song, from)
      if (answer.status === 200) unpaid.push(answer.body)
      return [answer, answer.body.donationId]
    }),
    busy('uploads', async (n) => {
      const filename = `upload ${n}.mp3`
      const name = { authorization, 'x-file-name': encodeURIComponent(filename) }
      const sent = await send('/api/admin/upload-song-file?mode=day', bytes, name)
      if (sent.status !== 200) return [sent, '']
      const metadata = { filename, mode: 'day', title: `Upload ${n}`, artist: 'Hilda' }
      const committed = await send('/api/admin/upload-song-commit', { metadata }, { authorization })
      return [committed, `day/${filename}`]
    }),
  ]
  return {
    ...{ kept, asked, paid, refusals },
    /** Pays the oldest order that isn't paid; false when there is none. */
    async pay() {
      const order = unpaid.shift()
      if (!order) return false
      const about = { message: `for ${order.matchCode}`, amount: '100.00', currency: 'USD', atMs: Date.now() }
      const posted = kofiPosts(kofiDonation(about))
      const hook = `${url}/webhooks/donations/matching_provider_2`
      const { status } = await fetch(hook, { method: 'POST', headers: posted.headers, body: posted.body })
      t.equal(status, 200, 'a payment is taken')
      paid.push(order.donationId)
      return true
    },
    async more() {
      const before = Object.values(kept).map(({ length }) => length)
      const isMore = () => Object.values(kept).every(({ length }, i) => length > before[i]! + 2)
      await until('more of each is acknowledged', isMore)
    },
    async end() {
      isOver = true
      await Promise.all(busyWith)
    },
  }
}

t.test(
  'PostgreSQL fails over under a whole station: nothing acknowledged is lost, the air goes on',
  async (t) => {
    for (let round = 1; round <= ROUNDS; round++) await t.test(`station ${round}`, failOver)
  },
)

async function failOver(t: Test): Promise<void> {
  const primary = await startPostgres(t)
  const standby = await primary.startStandby()
  const services = await openPaymentServices(t)
  const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`)
  const station = await prepareStation(t, SONGS, {
    ...{ ...SUPER_ADMIN, ...services.env, DONATIONS_PROVIDER: 'kofi', TRUST_PROXY_HOPS: '1' },
    ...{ MEDIA_STORAGE: 'local', DATA_PROVIDER: 'sql', DATABASE_POOL_MAX: '4', DEMO_LIBRARY: 'false' },
    DATABASE_URL: `postgres://solstice@${hosts}/postgres?target_session_attrs=read-write`,
  })
  await Promise.all([station.startWorker(), station.startJobs()])
  const air = await followBroadcast(t, station)
  const { url } = await station.startApi()
  const listener = await listen(t, `${url}/api/stream/public.mp3`)
  const statusOf = async (path: string) => (await fetch(url + path)).status
  t.equal(await statusOf('/api/history'), 200)
  const { kept, asked, paid, refusals, pay, more, end } = await work(t, url)

  await more()
  const [heard, refused] = [listener.bytes().length, refusals.length]
  await primary.crash()
  await until('changes are refused', () => refusals.length > refused + 3)
  for (let i = 0; i < PAID_MEANWHILE; i++) await pay()
  t.equal(await statusOf('/readyz/stream'), 200, 'listeners are served')
  t.equal(await statusOf('/api/history'), 200, 'what was known is shown')
  await listener.received(heard + LISTENED_BYTES)
  await standby.promote()
  await more()
  await end()
  while (await pay()) t.ok(paid.length)
  t.same(
    refusals.filter(({ status, retryAfter }) => status !== 503 || retryAfter !== '5'),
    [],
    `${refusals.length} refusals say when to try again`,
  )

  const data = await station.openData()
  t.teardown(() => data.close())
  const found: Record<string, string[]> = {
    groups: (await data.groups.find()).map(({ name }) => name),
    orders: (await data.donations.find()).map(({ id }) => id),
    uploads: (await data.tracks.find()).map(({ id }) => id),
  }
  for (const [what, names] of Object.entries(found)) {
    const lost = kept[what]!.filter((one) => !names.includes(one))
    t.same(lost, [], `${kept[what]!.length} ${what} are there`)
    t.equal(new Set(names).size, names.length, 'once')
  }
  const branding = (await data.settings.get('branding')) as Readonly<SettingsRecord<'branding'>>
  const link = branding.value.messenger_url
  t.ok(asked.indexOf(link) >= asked.indexOf(kept.links!.at(-1)!), `${kept.links!.length} settings are there`)
  const isPaid = async (id: string) => /^paid/.test((await data.donations.get(id))!.status)
  await until('all payments are applied', async () => !(await Promise.all(paid.map(isPaid))).includes(false))
  for (const donationId of paid) {
    const claims = async () =>
      (await data.ledger.find({ donationId })).filter(({ event }) => event === 'claimed').length
    // The ledger follows the order.
    await until('it is in the ledger', async () => (await claims()) > 0)
    t.equal(await claims(), 1, 'a payment counts once')
  }
  const audit = await data.audit.find({ operationType: 'upload_song' })
  const titles = audit.map(({ data }) => (data as { title?: string }).title)
  t.equal(new Set(titles).size, titles.length, 'no upload is in the audit log twice')

  await air.more(4)
  const pairs = air.chunks.slice(1).map((chunk, i) => [air.chunks[i]!, chunk] as const)
  const skipped = pairs.filter(([before, next]) => next.frame !== before.frame + before.frames)
  t.same(skipped, [], 'every frame is broadcast')
  const late = pairs.filter(([before, next]) => Math.abs(next.atMs - chunkEndMs(before)) > 1)
  if (mustBeWhole(t, air)) t.same(late, [], 'without a gap')
  t.notOk(listener.response.destroyed, 'the listener is still there')
}
