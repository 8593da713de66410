import { createHash } from 'node:crypto'
import { defaultSettings } from '@solstice/station'
import t from 'tap'
import { prepare, tones, visit } from '../harness/browser/browser.ts'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import type { Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

/** Ends every element and attribute that it could stand in. */
const HOSTILE = `</script></title><img src=x onerror="hurt=1"><script>hurt=1</script>'"&`
const MAX_SHIFT = 0.02

t.test('the first paint is the station', async (t) => {
  const hour = new Date().getUTCHours()
  const night = { NIGHT_START_HOUR: String(hour), DAY_START_HOUR: String((hour + 6) % 24) }
  const modes = ['day', 'night'] as const
  const songs = modes.flatMap((mode) =>
    tones.map((tone) => ({ ...tone, mode, name: `${tone.name}, ${mode}` })),
  )
  const station = await prepare(
    t,
    { STREAM_MODE: 'false', NIGHT_MODE: 'true', TIME_ZONE: 'UTC', ...SUPER_ADMIN, ...night },
    songs,
  )
  await nameEverything(station)
  await station.startWorker()
  const { url } = await station.startApi()
  await until('a song is on air', async () =>
    /night <\/script>/.test((await sent(url)).arrival?.state.title ?? ''),
  )

  await t.test('a page is sent in its language, in the mode on air, with the song in it', async (t) => {
    const [uk, en] = await Promise.all([sent(url), sent(`${url}/en/`)])
    for (const [page, lang, name] of [
      [uk, 'uk', 'Ніч'],
      [en, 'en', 'Night'],
    ] as const) {
      t.equal(page.status, 200)
      t.match(page, { lang, mode: 'night', themeColor: '#10131f' })
      const { title, artist } = page.arrival!.state
      t.equal(page.headline, title)
      t.equal(page.title, `${title} — ${artist} · ${name} ${HOSTILE}`)
      t.notMatch(page.html, /<img src=x|<script>/, 'names and titles stay text')
      t.equal(page.arrival!.config.streamMode, false)
      t.same(page.textsIn, [lang], 'texts are fetched in this language only')
    }
    t.match(
      await sent(url, { cookie: 'radio_lang=en' }),
      { lang: 'en' },
      'a chosen language needs no second look',
    )
    for (const [path, status, lang, headline] of [
      ['/en/nope', 404, 'en', 'Nothing here but sky.'],
      ['/nope', 404, 'uk', 'Тут лише небо.'],
      ['/en/adlogin', 200, 'en', undefined],
      ['/adpanel', 200, 'uk', undefined],
      ['/guest', 200, 'uk', undefined],
      ['/offline', 200, 'uk', undefined],
    ] as const)
      t.match(
        { path, ...(await sent(url + path)) },
        { path, status, lang, headline, mode: 'night', arrival: null },
      )
    t.same((await sent(`${url}/offline`)).textsIn.sort(), ['en', 'uk'], 'offline, either may be wanted')
  })

  await t.test(
    'a link to a song or a day is titled by it; one to a song that is gone is not found',
    async (t) => {
      const song = await sent(`${url}/en/song/day/Low%20Tide%2C%20day.mp3`)
      t.match(
        { status: song.status, title: song.title },
        { status: 200, title: /^Low Tide, day .* — .* · Night / },
      )
      const moment = await sent(`${url}/en/history/2026-11-23/14:32`)
      t.equal(moment.title, `What was on 2026-11-23 14:32 · Night ${HOSTILE}`)
      const gone = await sent(`${url}/en/song/day/Gone.mp3`)
      t.match(
        { status: gone.status, title: gone.title, headline: gone.headline },
        { status: 404, title: /^Nothing here but sky/, headline: 'Nothing here but sky.' },
      )
      t.match(gone.html, '<meta name="robots" content="noindex">')
    },
  )

  await t.test('the security headers of a page allow what it needs', async (t) => {
    const of = async (path: string) => Object.fromEntries((await sent(url + path)).headers)
    const [player, panel] = [await of('/'), await of('/adpanel')]
    t.match(player, { 'content-encoding': 'br', 'cache-control': 'no-cache', vary: /Accept-Encoding/i })
    t.match(panel, { 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
    for (const headers of [player, panel]) {
      t.match(headers['content-security-policy'], /default-src 'none'.*script-src 'self';/)
      t.notMatch(headers['content-security-policy'], /unsafe|\*/)
    }
    t.match(panel['content-security-policy'], "frame-ancestors 'none'")
    t.match(player['permissions-policy'], 'microphone=()')
    t.match(panel['permissions-policy'], 'microphone=(self)')
  })

  for (const [device, viewport] of [
    ['a phone', { width: 390, height: 844 }],
    ['a desktop', { width: 1440, height: 900 }],
  ] as const)
    await t.test(`on ${device} nothing moves, and what was sent stays`, async (t) => {
      const { page, complaints } = await visit(t, `${url}/offline`)
      await page.setViewportSize(viewport)
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await page.addInitScript(watchArrival)
      await page.goto(`${url}/en/`)
      await page.locator('.link[data-link=online]').waitFor()
      await page.waitForFunction(() => document.querySelector('.roster'))
      const seen = await page.evaluate(() => ({
        ...arrivalSeen,
        isSame: arrivalSeen.headline === document.querySelector('h1'),
      }))
      t.ok(seen.shift <= MAX_SHIFT, `layout shift ${seen.shift}`)
      t.ok(seen.isSame, 'the headline is the element that was sent')
      t.same(seen.modes, ['night'], 'and the sky does not turn')
      t.notOk(asked.includes('/api/public/config'), 'the configuration came with the page')
      t.equal(await page.evaluate(() => 'hurt' in window), false)
      t.same(complaints, [])
    })

  await t.test('the browser accepts the manifest, and the page names what a shared link shows', async (t) => {
    const { page, complaints } = await visit(t, `${url}/en/`)
    const session = await page.context().newCDPSession(page)
    const manifest = await session.send('Page.getAppManifest')
    t.same(manifest.errors, [])
    t.match(JSON.parse(manifest.data!), { lang: 'en', name: 'Day', start_url: '/en/' })
    const named = await page.evaluate(() => {
      const all = (selector: string, name: string) =>
        [...document.querySelectorAll(selector)].map((element) => element.getAttribute(name)!)
      return {
        pictures: all('meta[property="og:image"]', 'content').concat(all('link[rel*=icon]', 'href')),
        languages: all('link[rel=alternate][hreflang]', 'hreflang'),
        data: document.querySelector('script[type="application/ld+json"]')!.textContent!,
      }
    })
    t.same(named.languages, ['uk', 'en', 'x-default'])
    t.match(JSON.parse(named.data)['@graph'], [{ '@type': 'RadioStation' }, { '@type': 'BroadcastEvent' }])
    const pictures = named.pictures.filter(Boolean)
    t.equal(pictures.length, 4)
    for (const picture of pictures) {
      const { headers } = await fetch(new URL(picture, url))
      t.match(headers.get('content-type'), /^image\//, picture)
    }
    t.same(complaints, [])
  })

  await t.test('a script that stands in a page is not run', async (t) => {
    // A service worker would fetch the page past the route below.
    const { page } = await visit(t, `${url}/offline`, { serviceWorkers: 'block' })
    await page.route(`${url}/en/`, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(
        '</body>',
        '<script>hurt=1</script><b onclick="hurt=1">x</b></body>',
      )
      await route.fulfill({ response, body })
    })
    await page.goto(`${url}/en/`)
    await page.locator('.listen').waitFor()
    await page.evaluate(() => document.querySelector<HTMLElement>('b[onclick]')!.click())
    t.equal(await page.evaluate(() => 'hurt' in window), false)
  })

  await t.test('after the night the page is sent by day', async (t) => {
    await switchToDay(url)
    await until('it is day', async () => (await sent(`${url}/en/`)).mode === 'day')
    t.match(await sent(`${url}/en/`), { mode: 'day', themeColor: '#f6efe2' })
    const dark = await sent(`${url}/en/`, { cookie: 'radio_look=dark.150.still.8a4b08' })
    t.match(dark, { mode: 'night', themeColor: '#10131f' }, 'and dark to whoever chose that')
    t.match(dark.html, / data-text-size="150" data-motion="none" data-accent="own">/)
    const [, style = ''] = /<style>(:root{--accent-day:#[^<]*)</.exec(dark.html) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    t.ok(dark.headers.get('content-security-policy')!.includes(`'sha256-${hash}'`), style)
    t.match(dark.headers.get('vary'), /Cookie/)
  })
})

/** The page as a browser is sent it, before any script. */
async function sent(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers: { accept: 'text/html', 'accept-encoding': 'br', ...headers } })
  const html = await response.text()
  const find = (pattern: RegExp) => pattern.exec(html)?.[1]
  const json = find(/<script type="application\/json" id="arrival">(.*?)<\/script>/)
  return {
    html,
    ...{ status: response.status, headers: response.headers },
    lang: find(/<html lang="(\w+)"/),
    mode: find(/data-mode="(\w+)"/),
    themeColor: find(/name="theme-color" content="([^"]+)"/),
    title: unescaped(find(/<title>([^<]*)<\/title>/)),
    headline: unescaped(find(/<h1(?:\s[\w-]+="[^"]*")*>([^<]*)</)),
    arrival: json ? JSON.parse(json) : null,
    textsIn: [...html.matchAll(/rel="modulepreload"[^>]* hreflang="(\w+)"/g)].map(([, lang]) => lang!),
  }
}

const unescaped = (text: string | undefined) =>
  text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Gives songs and station names that would be markup if nobody escaped them. */
async function nameEverything(station: Station): Promise<void> {
  const data = await station.openData()
  for (const track of await data.tracks.find())
    await data.tracks.put({ ...track, title: `${track.title} ${HOSTILE}` })
  const byLang = {
    uk: { dayRadioName: 'Радіо', nightRadioName: `Ніч ${HOSTILE}`, messengerLabel: '' },
    en: { dayRadioName: 'Day', nightRadioName: `Night ${HOSTILE}`, messengerLabel: '' },
  }
  const { directory } = defaultSettings.branding
  const value = { messenger_url: '', byLang, directory }
  await data.settings.put({ section: 'branding', value, revision: 1 })
  await data.close()
}

declare const arrivalSeen: { shift: number; headline: Element | null; modes: string[] }

/** Runs in the page, before anything of it has come. */
function watchArrival(): void {
  const seen = { shift: 0, headline: null as Element | null, modes: [] as string[] }
  Object.assign(window, { arrivalSeen: seen })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value
  }).observe({ type: 'layout-shift', buffered: true })
  new MutationObserver(() => {
    seen.headline ??= document.querySelector('h1')
    const { mode } = document.documentElement?.dataset ?? {}
    if (mode && seen.modes.at(-1) !== mode) seen.modes.push(mode)
  }).observe(document, { subtree: true, childList: true, attributes: true })
}

async function switchToDay(url: string): Promise<void> {
  const post = (path: string, body: object, token = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
  const { ADMIN_LOGIN: login, ADMIN_PASS: password } = SUPER_ADMIN
  const { token } = (await (await post('/api/admin/login', { login, password })).json()) as { token: string }
  const answer = await post('/api/admin/switch-mode', { targetMode: 'day' }, token)
  if (!answer.ok) throw new Error(await answer.text())
}
