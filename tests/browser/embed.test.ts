import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { violations } from '../harness/browser/axe.ts'
import { prepare, visit } from '../harness/browser/browser.ts'
import type { Station } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const DAY_MS = 24 * 3_600_000
const settings = { STREAM_MODE: 'true', NIGHT_MODE: 'false' }

t.test('the player plays on other sites, where the station allows it', async (t) => {
  const [site, stranger] = [await openSite(t), await openSite(t)]
  const station = await prepare(t, { ...settings, EMBED_ORIGINS: site.origin })
  await listenedTo(station)
  await station.startWorker()
  const { url } = await station.startApi()
  const frame = `<iframe src="${url}/embed?layout=card&amp;theme=night&amp;lang=en" title="Radio"></iframe>`

  await t.test('only the player may be framed, and only by sites that are listed', async (t) => {
    const headersOf = async (path: string) =>
      (await fetch(url + path, { headers: { accept: 'text/html' } })).headers
    const embed = await headersOf('/embed')
    t.match(embed.get('content-security-policy'), `frame-ancestors 'self' ${site.origin};`)
    t.equal(embed.get('x-frame-options'), null, 'nothing contradicts the policy')
    const page = await headersOf('/')
    t.match(page.get('content-security-policy'), "frame-ancestors 'self';")
    t.equal(page.get('x-frame-options'), 'SAMEORIGIN')
    t.equal((await headersOf('/adpanel')).get('x-frame-options'), 'DENY')
  })

  await t.test('every site may fetch the web component; a version that it names is kept', async (t) => {
    const ask = (query: string) =>
      fetch(`${url}/solstice-player.js${query}`, { headers: { origin: stranger.origin } })
    const [plain, version] = [await ask(''), await ask('?v=2')]
    t.equal(plain.headers.get('access-control-allow-origin'), '*')
    t.match(plain.headers.get('cache-control'), 'max-age=3600')
    t.match(version.headers.get('cache-control'), 'immutable')
  })

  await t.test('a listed site shows it in a frame, where it plays only when asked', async (t) => {
    site.show(frame)
    const { page, complaints } = await visit(t, site.origin)
    const player = page.frameLocator('iframe')
    await player.locator('.title', { hasText: /Tide$/ }).waitFor()
    t.match(await player.locator('.artist').innerText(), /^Artist of /)
    t.equal(await player.locator('.mark').innerText(), 'On air')
    t.equal(await player.locator('.player').getAttribute('data-sound'), 'off')
    await player.getByRole('button', { name: 'Play' }).focus()
    await page.keyboard.press('Enter')
    await player.locator('.player[data-sound=playing]').waitFor()
    await page.keyboard.press('Space')
    await player.locator('.player[data-sound=off]').waitFor()
    t.equal(await player.getByRole('link', { name: 'Solstice' }).getAttribute('href'), `${url}/en/`)
    t.same(complaints, [])
  })

  await t.test('another site gets an empty frame', async (t) => {
    stranger.show(frame)
    const { page, complaints } = await visit(t, stranger.origin)
    await until('the browser complains', () => complaints.length > 0)
    t.match(complaints, [/frame-ancestors/])
    t.equal(await page.frameLocator('iframe').locator('solstice-player').count(), 0)
  })

  await t.test('the web component works on any site, and goes on when events fail', async (t) => {
    stranger.show(`<script src="${url}/solstice-player.js" async></script>
      <solstice-player lang="uk"></solstice-player>`)
    const { page, complaints } = await visit(t, `${stranger.origin}/empty`)
    await page.route('**/api/now-playing/events', (route) => route.abort())
    await page.goto(stranger.origin)
    await page.locator('.title', { hasText: /Tide$/ }).waitFor()
    await page.getByRole('button', { name: 'Слухати' }).click()
    await page.locator('.player[data-sound=playing]').waitFor()
    t.same(await violations(page), [])
    await page.locator('solstice-player').evaluate((element) => element.remove())
    t.ok(
      complaints.every((complaint) => /ERR_FAILED/.test(complaint)),
      complaints.join(),
    )
  })

  await t.test('the status is told to anybody, by day and by night, in both languages', async (t) => {
    const { page, complaints } = await visit(t, `${url}/en/status`)
    await page.getByRole('heading', { name: 'On the air' }).waitFor()
    await page.getByText('99.30%').waitFor()
    await page.getByText('The station was not heard').waitFor()
    t.same(await violations(page), [])
    await page.evaluate(() => {
      document.documentElement.dataset.mode = 'night'
    })
    t.same(await violations(page), [], 'by night')
    await page.setViewportSize({ width: 320, height: 640 })
    t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), '320 px')
    await page.getByRole('link', { name: 'UK' }).click()
    await page.getByRole('heading', { name: 'В ефірі' }).waitFor()
    t.same(complaints, [])
    const sent = await (await fetch(`${url}/en/status`, { headers: { accept: 'text/html' } })).text()
    t.match(sent, 'On the air', 'also without scripts')
  })

  await t.test('axe has nothing to object to in any look of the page', async (t) => {
    const { page, complaints } = await visit(t, `${url}/embed`)
    for (const query of ['theme=day', 'theme=night&layout=card&lang=en']) {
      await page.goto(`${url}/embed?${query}`)
      await page.locator('.title', { hasText: /Tide$/ }).waitFor()
      t.same(await violations(page), [], query)
    }
    t.equal(await page.evaluate(() => document.documentElement.lang), 'en')
    t.same(complaints, [])
  })
})

/** A station that was listened to for ten days, with a break of 100 minutes. */
async function listenedTo(station: Station): Promise<void> {
  const data = await station.openData()
  const nowMs = Date.now()
  const [fromMs, beganAt] = [nowMs - 10 * DAY_MS, nowMs - 3 * DAY_MS]
  await data.watches.insert({ fromMs, untilMs: nowMs, addresses: 1 })
  const alarm = { cause: 'no_bytes', source: 'http://api:3001', evidence: '', openKey: '1' } as const
  await data.alarms.insert({ ...alarm, beganAt, endedAt: beganAt + 100 * 60_000 })
  await data.close()
}

/** A site of somebody else's, on an origin of its own. */
async function openSite(t: Test) {
  let body = ''
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const shown = url === '/' ? `<main><h1>A blog</h1>${body}</main>` : ''
    response.end(
      `<!doctype html><html lang="en"><title>Blog</title><link rel="icon" href="data:,">${shown}</html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return {
    origin: `http://127.0.0.1:${port}`,
    show(markup: string) {
      body = markup
    },
  }
}
