import type { QueueEntry } from '@solstice/playout'
import { claimPayment, trackRef } from '@solstice/station'
import t from 'tap'
import { putOnAir } from '../harness/air/put-on-air.ts'
import { violations } from '../harness/browser/axe.ts'
import { adminAt, flaws, prepare, titleShown, tones, visit, writeLyrics } from '../harness/browser/browser.ts'
import { pushed } from '../harness/browser/pushed.ts'
import { asAdmin, SUPER_ADMIN } from '../harness/people/admin.ts'
import { freePort } from '../harness/processes/processes.ts'
import { builtPage } from '../harness/processes/programs.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'
import { openPushService } from '../harness/servers/services/push-service.ts'
import { openApp } from '../harness/stations/app.ts'

t.test('a listener requests a song and an admin approves; the lyrics follow the sound', async (t) => {
  const pushService = await openPushService(t)
  const device = pushService.subscribe('browser')
  const env = { STREAM_MODE: 'false', PUSH_SERVICE_HOSTS: '127.0.0.1', ...SUPER_ADMIN }
  const station = await prepare(t, env)
  await writeLyrics(station)
  await station.startWorker()
  const api = await station.startApi()
  const { page, complaints } = await visit(t, api.url, {}, async (opening) => {
    await opening.context().grantPermissions(['notifications'], { origin: api.url })
    await opening.addInitScript((subscription) => {
      const subscribed = { toJSON: () => subscription } as unknown as PushSubscription
      PushManager.prototype.subscribe = async () => subscribed
      PushManager.prototype.getSubscription = async () => null
    }, device.subscription)
  })
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()

  const opener = page.getByRole('button', { name: 'Обрати пісню' })
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Замовити пісню' })
  const songs = sheet.getByRole('listitem')
  await songs.nth(2).waitFor()
  t.same(await songs.locator('b').allTextContents(), tones.map(({ name }) => name).sort(), 'sorted by artist')
  await sheet.locator('[type=search]:focus').waitFor()
  t.same(await flaws(page), [])
  await sheet.locator('.request-status', { hasText: 'нікому відповісти' }).waitFor()
  const buttons = sheet.locator('li button')
  t.equal(await buttons.first().getAttribute('aria-disabled'), 'true', 'no admin is there to answer')

  const admin = await adminAt(t, api.url)
  await sheet.locator('li button[aria-disabled=false]').first().waitFor()
  // Neither the song on air nor the next one: those are too recent to be queued again.
  const near = [await titleShown(page), await page.locator('section:has(#next) li b').first().textContent()]
  const wish = tones.find(({ name }) => !near.includes(name))!.name
  await page.keyboard.type(`${wish.toUpperCase().replace(' ', '-')} artist`)
  await songs.nth(1).waitFor({ state: 'detached' })
  t.equal(await songs.locator('b').innerText(), wish, 'a song is found by all words of the query')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  const said = page.getByRole('status').filter({ hasText: wish })
  await said.filter({ hasText: 'Замовлення надіслано' }).waitFor()
  const [wished] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/api/notifications') && answer.status() === 200),
    sheet.getByRole('button', { name: 'Сповістити, коли пісня буде наступною' }).click(),
  ])
  await sheet.getByText('Браузер сповістить вас').waitFor()
  await buttons.first().focus()
  const timer = sheet.locator('[role=timer] b')
  const left = (await timer.innerText()).trim()
  t.match(left, /^[1-5]:\d\d$/, 'the wait is shown')
  await page.waitForFunction(
    (text) => document.querySelector('dialog [role=timer] b')?.textContent !== text,
    left,
  )
  t.equal(await buttons.getAttribute('aria-disabled'), 'true', 'while it lasts, nothing is asked for')
  t.ok(
    await buttons.evaluate((button) => button === document.activeElement),
    'and the focus stays where it was',
  )

  const [request] = await admin.first<{ uid: string; song: { title: string } }[]>(
    'suggestions_update',
    (list) => list.length === 1,
  )
  t.equal(request!.song.title, wish)
  admin.socket.emit('admin_suggestion_action', { uid: request!.uid, action: 'add' })
  await said.filter({ hasText: 'Замовлення прийнято' }).waitFor()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  const badge = page.locator('section:has(#next) li').filter({ hasText: wish }).locator('.badge')
  await badge.first().waitFor()
  t.equal(await badge.first().innerText(), 'замовлена')

  const { id: tag } = (await wished.json()) as { id: string }
  t.same(
    await pushed(page, { title: 'Ваша пісня наступна', body: wish, tag, url: '/' }),
    [{ title: 'Ваша пісня наступна', body: wish, tag }],
    'what is pushed is shown',
  )
  const { subscription } = pushService.subscribe('browser, anew')
  const [worker] = page.context().serviceWorkers()
  const remembered = await worker!.evaluate(async (latter) => {
    const { subscribeAnew } = self as unknown as {
      subscribeAnew: (...subscriptions: unknown[]) => Promise<void>
    }
    await subscribeAnew(null, { endpoint: latter.endpoint, toJSON: () => latter })
    return (await (await caches.open('solstice-push')).match('/push-endpoint'))?.text()
  }, subscription)
  t.equal(remembered, subscription.endpoint, 'the station knows where to push now')

  await page.getByRole('button', { name: 'Меню' }).click()
  await page.locator('.menu-item', { hasText: 'Мої пісні' }).click()
  const own = page.getByRole('dialog', { name: 'Мої пісні' }).locator('.own-request', { hasText: wish })
  // It was told, so it may be asked for again.
  await own.locator('.bell[aria-pressed=false]').click()
  await own.locator('.bell[aria-pressed=true]').click()
  await own.locator('.bell[aria-pressed=false]').waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await opener.click()
  await songs.first().waitFor()
  await sheet.locator('input[type=search]').hover()
  await page.mouse.down()
  await page.mouse.move(20, 400)
  await page.mouse.up()
  t.ok(await sheet.isVisible(), 'marking a text that ends outside leaves it open')
  await page.mouse.click(20, 400)
  await sheet.waitFor({ state: 'detached' })
  t.pass('a press outside closes it')
  await page.reload()
  await page.locator('section:has(#request) [role=timer]').waitFor()
  t.pass('the cooldown survives a reload')

  const next = page.locator('section:has(#next)')
  await next.getByRole('button', { name: 'Показати 1' }).click()
  await next.locator('li').nth(1).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Показувати «Раніше»' }).click()
  await page.locator('#earlier-body').waitFor({ state: 'hidden' })
  await page.reload()
  await next.locator('li').first().waitFor()
  t.equal(await next.locator('li').count(), 1, 'how much is shown is remembered')
  t.notOk(await page.locator('#earlier-body').isVisible(), 'and what is folded away')

  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await page.keyboard.press('l')
  const sung = page.locator('.lines [aria-current]')
  await sung.waitFor()
  const from = Number(/\d+$/.exec(await sung.innerText()))
  await page.waitForFunction((line) => {
    const now = Number(/\d+$/.exec(document.querySelector('.lines [aria-current]')?.textContent ?? ''))
    const position = Number(document.querySelector<HTMLElement>('.horizon')!.dataset.second)
    return now > line && now === Math.floor(position / 2)
  }, from)
  t.pass('the sung line is the one that is heard')
  t.same(await flaws(page), [])
  await page.getByRole('button', { name: 'Більший шрифт' }).click()
  await page.getByRole('button', { name: 'По центру' }).click()
  await page.locator('.lines[data-size=l][data-align=centre]').waitFor()
  await page.getByRole('button', { name: 'На весь екран' }).click()
  await page.getByRole('button', { name: 'Вийти з повноекранного режиму' }).click()
  await page.getByRole('button', { name: 'На весь екран' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.keyboard.press('r')
  await sheet.waitFor()
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  t.same(complaints, [], 'the browser has nothing to complain of')
})

t.test('a listener pays for a song: the code, the payment, and the outcome', async (t) => {
  const services = await openPaymentServices(t)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...SUPER_ADMIN,
    ...services.env,
    DONATIONS_PROVIDER: 'donatello',
    PUBLIC_SERVER_URL: url,
    NIGHT_MODE: 'false',
    STREAM_MODE: 'false',
    WEB_DIST: await builtPage(),
  }
  const station = await openApp(t, env)
  const { app, ports, addTrack } = station
  const { data, clock, announcer } = ports
  const markup = '<img src=x onerror=alert(1)>'
  const tracks = await Promise.all([
    addTrack('day/Low Tide.mp3'),
    addTrack('day/Half Tide.mp3', null, { title: markup, artist: markup }),
    addTrack('day/High Tide.mp3'),
  ])
  const [low, half, high] = tracks.map((track, i) => ({
    entryId: `e${i}`,
    track: { ...trackRef(track), durationMs: 3_600_000 },
    orderType: null,
    tier: null,
  })) as [QueueEntry, QueueEntry, QueueEntry]
  const onAir = (index: number, ...entries: QueueEntry[]) =>
    putOnAir(station, {
      mode: 'day',
      onAir: { phase: 'track', entry: entries[index]!, startedAtMs: clock.nowMs() },
      playlist: { entries, index, repeats: false },
    })
  await onAir(0, low, half)
  const { ask } = await asAdmin(station)
  await ask('POST /api/admin/donations/settings', { tiersEnabled: true, fixedPrice: 49.5 })
  await app.listen({ host: '127.0.0.1', port })

  const { page, complaints } = await visit(t, url)
  const context = page.context()
  await context.grantPermissions(['clipboard-write', 'clipboard-read'])
  await context.route('https://*.example/**', (route) => route.fulfill({ body: 'A page on which one pays' }))
  await page.locator('section:has(#next) li').filter({ hasText: markup }).waitFor()
  await page.getByRole('button', { name: 'Обрати пісню' }).click()
  await page.getByRole('dialog').locator('.track-text').filter({ hasText: markup }).waitFor()
  const opener = page.getByRole('dialog').getByRole('button', { name: 'High Tide — Somebody' })
  await opener.click()
  const panel = page.getByRole('dialog', { name: 'Ваше замовлення' })
  const tiers = panel.getByRole('radio')
  await tiers.nth(1).waitFor()
  t.match(await panel.locator('.price').allTextContents(), [/^49,50\s₴$/, /^99\s₴$/])
  // Whether somebody is there to answer comes by the socket.
  await panel.locator('.way', { hasText: 'нікому відповісти' }).waitFor()
  t.match(
    await panel.locator('.way').allInnerTexts(),
    [/Замовити безкоштовно.*нікому відповісти/s, /Поставити за донат.*близько 6\d\sхв/s],
    'one choice, with its prices and waits',
  )
  t.same(await flaws(page), [])
  t.same(await violations(page), [])
  await tiers.first().focus()
  await page.keyboard.press('ArrowDown')
  const beside = page.waitForEvent('popup')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const paying = await beside
  await paying.waitForURL(services.env.DONATELLO_PAGE_URL)
  t.equal(await paying.evaluate(() => window.opener), null)
  await paying.close()

  const code = panel.locator('output')
  await code.waitFor()
  const [order] = await data.donations.find()
  t.match(order, { songId: 'day/High Tide.mp3', tier: 2, amountMinor: 99_00 })
  t.equal(await code.innerText(), order!.matchCode)
  t.match(await panel.locator('.facts').innerText(), /99\s₴ або більше.*\d\d:\d\d/s)
  t.equal(await panel.getByRole('link').getAttribute('href'), services.env.DONATELLO_PAGE_URL)
  await panel.locator(':focus').waitFor()
  await panel.getByRole('button', { name: 'Копіювати' }).click()
  await panel.getByText('Код скопійовано').waitFor()
  t.equal(await page.evaluate(() => navigator.clipboard.readText()), order!.matchCode)

  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  await page.reload()
  const line = page.locator('.order-line')
  await line.filter({ hasText: 'Чекаємо на оплату' }).click()
  await code.waitFor()
  t.equal(await code.innerText(), order!.matchCode, 'a reload loses nothing')
  t.match(await panel.innerText(), 'High Tide')
  await page.setViewportSize({ width: 390, height: 844 })
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')

  const pay = (id: string) => {
    const paid = { amountMinor: 100_00, currency: 'UAH', paidAtMs: clock.nowMs(), comment: '' }
    const payment = { kind: 'paid', eventId: id, reference: id, ...paid } as const
    return claimPayment(data, {
      donationId: id,
      provider: 'matching_provider_1',
      payment,
      nowMs: clock.nowMs(),
    })
  }
  const { id, uid } = order!
  await pay(id)
  const donated: QueueEntry = { ...high, orderType: 'donated', tier: 2, orderId: id }
  await onAir(0, low, donated, half)
  const song = { title: 'High Tide', artist: 'Somebody' }
  announcer.tell({ uid }, 'donation_result', { donationId: id, accepted: true, tier: 2, song })
  await panel.getByText('Оплачено. Дякуємо!').waitFor()
  await panel.getByText(/В ефірі близько \d\d:\d\d, через \d+ хвилин/).waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await line.filter({ hasText: 'Оплачено, в ефірі близько' }).click()
  await onAir(1, low, donated, half)
  await panel.getByText('Ваша пісня зараз в ефірі.').waitFor()
  await page.keyboard.press('Escape')
  await line.waitFor({ state: 'detached' })

  const other = await page.evaluate(async (songId) => {
    const headers = { 'Content-Type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify({ songId }) }
    return ((await (await fetch('/api/public/donations/create', init)).json()) as { donationId: string })
      .donationId
  }, low.track.id)
  await pay(other)
  await data.donations.update({ id: other }, { status: 'paid_unqueued', queue: 'refused' })
  await page.goto(`${url}/en/?volume=1&donation=${other}`)
  const english = page.getByRole('dialog', { name: 'Your request' })
  await english.getByText('no free slot on air').first().waitFor()
  t.match(await english.innerText(), other, 'with the order number to quote')
  t.equal(page.url(), `${url}/en/?volume=1`, 'the address is what it was before')
  t.same(await flaws(page), [])
  t.same(complaints, [], 'the browser has nothing to complain of')
})
