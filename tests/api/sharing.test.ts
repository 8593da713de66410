import type { NowPlaying } from '@solstice/contracts'
import { failureBody } from '@solstice/contracts'
import t from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { type OpenApp, openApp } from '../harness/stations/app.ts'
import { until } from '../harness/until.ts'

const ELSEWHERE = { origin: 'https://elsewhere.example' }
const PUBLIC = { PUBLIC_SERVER_URL: 'https://radio.example', NIGHT_MODE: 'false' }

async function play(station: OpenApp, title: string, artist: string): Promise<void> {
  const track = { id: `day/${title}.mp3`, title, artist, album: '', year: null, durationMs: 3_600_000 }
  const entry = { entryId: title, track, orderType: null, tier: null }
  await putOnAir(station, { onAir: { phase: 'track', entry, startedAtMs: station.ports.clock.nowMs() } })
  const now = async () => (await station.app.inject('/api/now-playing')).json() as NowPlaying
  await until('the song', async () => (await now()).current?.title === title, 600)
}

t.test('the picture of a link shows the song on air, and is drawn once', async (t) => {
  const station = await openApp(t, PUBLIC)
  const { app } = station
  const ask = (headers = {}, url = '/share.png?lang=uk&v=1') =>
    app.inject({ url, headers: { ...ELSEWHERE, ...headers } })
  const alone = await ask()
  await play(station, 'Ранковий приплив', 'Гільда')
  const picture = await ask()
  t.equal(picture.statusCode, 200)
  t.match(picture.headers, {
    'content-type': 'image/png',
    'cache-control': 'public, max-age=60',
    'access-control-allow-origin': '*',
  })
  const png = picture.rawPayload
  t.equal(png.toString('latin1', 1, 4), 'PNG')
  t.same([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630])
  t.ok(png.length < 300_000, `${png.length} bytes`)
  t.not(picture.headers.etag, alone.headers.etag)
  t.notOk(png.equals(alone.rawPayload))
  t.ok((await ask()).rawPayload.equals(png))
  const known = await ask({ 'if-none-match': picture.headers.etag })
  t.equal(known.statusCode, 304)
  t.equal(known.body, '')
  t.not((await ask({}, '/share.png?lang=en')).headers.etag, picture.headers.etag)
  t.equal((await ask({}, '/share.png?lang=fr')).statusCode, 400)
})

t.test('many who ask at once get one drawing, which holds the process up but briefly', async (t) => {
  const { app } = await openApp(t, PUBLIC)
  const beganMs = performance.now()
  let longestMs = 0
  let lastMs = beganMs
  const ticks = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs)
    lastMs = performance.now()
  }, 1)
  const all = await Promise.all(Array.from({ length: 30 }, () => app.inject('/share.png')))
  clearInterval(ticks)
  t.equal(new Set(all.map(({ statusCode }) => statusCode)).size, 1)
  t.equal(new Set(all.map(({ rawPayload }) => rawPayload.length)).size, 1)
  t.comment(`${Math.round(longestMs)} ms held up at most`)
})

t.test('an address may ask for 120 pictures and descriptions a minute', async (t) => {
  const { app, ports, tokens } = await openApp(t, PUBLIC)
  await ports.redis.set(`solstice:limit:sharing:${tokens.uidOf('127.0.0.1')}`, 119, 'PX', 60_000)
  t.equal((await app.inject('/share.png')).statusCode, 200)
  t.equal((await app.inject('/share.png')).statusCode, 429)
  t.equal((await app.inject('/oembed?url=https://radio.example/')).statusCode, 429)
})

t.test('oEmbed describes the listener page, as JSON', async (t) => {
  const station = await openApp(t, PUBLIC)
  const { app } = station
  const ask = (query: Record<string, string>) =>
    app.inject({ url: `/oembed?${new URLSearchParams(query)}`, headers: ELSEWHERE })
  const name = (await app.inject('/api/now-playing')).json().station.name
  t.match((await ask({ url: 'https://radio.example' })).json(), { type: 'link', title: name.uk })
  await play(station, 'Morning Tide', 'Hilda')
  const reply = await ask({ url: 'https://radio.example/en/?from=elsewhere', format: 'json' })
  t.equal(reply.statusCode, 200)
  t.equal(reply.headers['access-control-allow-origin'], '*')
  const described = reply.json()
  t.match(described, {
    version: '1.0',
    type: 'link',
    title: 'Morning Tide · Hilda',
    author_name: 'Hilda',
    provider_name: name.en,
    provider_url: 'https://radio.example/',
    thumbnail_width: 1200,
    thumbnail_height: 630,
  })
  const picture = new URL(described.thumbnail_url)
  t.equal(picture.origin, 'https://radio.example')
  t.equal((await app.inject(picture.pathname + picture.search)).headers['content-type'], 'image/png')
  t.notOk((await ask({ url: 'https://radio.example/', maxwidth: '600' })).json().thumbnail_url)
  for (const url of ['https://elsewhere.example/', 'https://radio.example/adpanel', 'nothing']) {
    const refused = await ask({ url })
    t.same([refused.statusCode, refused.json()], [404, failureBody('NOT_FOUND')], url)
  }
  const xml = await ask({ url: 'https://radio.example/', format: 'xml' })
  t.same([xml.statusCode, xml.json()], [501, failureBody('FORMAT_NOT_OFFERED')])
  t.equal((await ask({})).statusCode, 400)
})

t.test('where other sites may show the player, oEmbed brings it', async (t) => {
  const { app } = await openApp(t, { ...PUBLIC, EMBED_ORIGINS: 'https://blog.example' })
  const ask = async (query: string) =>
    (await app.inject(`/oembed?url=https%3A%2F%2Fradio.example%2Fen%2F${query}`)).json()
  const described = await ask('')
  t.match(described, { type: 'rich', width: 420, height: 112, thumbnail_width: 1200 })
  t.match(
    described.html,
    /^<iframe src="https:\/\/radio\.example\/embed\?lang=en" title="[^"<]+" width="420" /,
  )
  t.match(await ask('&maxwidth=300'), { type: 'rich', width: 300 })
  for (const little of ['&maxwidth=200', '&maxheight=100']) {
    const { type, html } = await ask(little)
    t.same([type, html], ['link', undefined], little)
  }
})

t.test('robots find the pages of both languages, and stay away from those of admins', async (t) => {
  const { app } = await openApp(t, { ...PUBLIC, RADIO_HOSTS_MODE: 'true', STREAM_MODE: 'true' })
  const robots = await app.inject('/robots.txt')
  t.match(robots.headers['content-type'], /^text\/plain/)
  const lines = robots.body.split('\n')
  for (const line of ['Disallow: /api/', 'Disallow: /adpanel', 'Disallow: /en/adlogin'])
    t.ok(lines.includes(line), line)
  t.ok(lines.includes('Sitemap: https://radio.example/sitemap.xml'))
  const sitemap = await app.inject('/sitemap.xml')
  t.match(sitemap.headers['content-type'], /^application\/xml/)
  const pages = [...sitemap.body.matchAll(/<loc>https:\/\/radio\.example([^<]*)</g)].map(([, path]) => path)
  t.same(pages, ['/', '/en/', '/guest', '/en/guest'])
  t.match(sitemap.body, 'hreflang="x-default" href="https://radio.example/"')
})

t.test('the manifest has the name of the station in its language', async (t) => {
  const { app } = await openApp(t, { NIGHT_MODE: 'false' })
  const ask = async (url: string) => (await app.inject(url)).json()
  const reply = await app.inject('/manifest.webmanifest')
  t.match(reply.headers['content-type'], /^application\/manifest\+json/)
  const uk = reply.json()
  t.match(uk, { id: '/', lang: 'uk', start_url: '/', scope: '/', display: 'standalone' })
  const en = await ask('/manifest.webmanifest?lang=en')
  t.match(en, { id: '/', lang: 'en', start_url: '/en/' })
  t.not(uk.name, en.name)
  t.ok(en.icons.some(({ purpose }: { purpose: string }) => purpose === 'maskable'))
  t.same(
    en.shortcuts.map(({ url }: { url: string }) => url),
    ['/en/#request', '/en/adpanel'],
  )
  t.equal((await app.inject('/manifest.webmanifest?lang=fr')).statusCode, 400)
})
