import type { Page } from 'playwright-core'
import t from 'tap'
import { advances, prepare, visit } from '../harness/browser/browser.ts'

/** Takes from a browser what the oldest one that runs the pages lacks, as far as scripts call it. */
const age = (page: Page) =>
  page.addInitScript(() => {
    const lacking: [object, string[]][] = [
      [Array.prototype, ['at', 'findLast', 'findLastIndex', 'toReversed', 'toSorted', 'toSpliced', 'with']],
      [String.prototype, ['at', 'isWellFormed', 'toWellFormed']],
      [Object, ['groupBy', 'hasOwn']],
      [Promise, ['try', 'withResolvers']],
      [URL, ['canParse', 'parse']],
      [AbortSignal, ['any', 'timeout']],
      [crypto, ['randomUUID']],
      [Crypto.prototype, ['randomUUID']],
      [CSSStyleSheet.prototype, ['replace', 'replaceSync']],
      [Document.prototype, ['startViewTransition']],
      [Element.prototype, ['checkVisibility']],
      [HTMLDialogElement.prototype, ['close', 'requestClose', 'show', 'showModal']],
      [HTMLElement.prototype, ['hidePopover', 'inert', 'popover', 'showPopover', 'togglePopover']],
      [
        globalThis,
        ['documentPictureInPicture', 'navigation', 'reportError', 'scheduler', 'structuredClone', 'Iterator'],
      ],
    ]
    for (const [owner, names] of lacking) for (const name of names) Reflect.deleteProperty(owner, name)
  })

t.test('the oldest browsers play the station, and other sites in them its player', async (t) => {
  const station = await prepare(t, { STREAM_MODE: 'true', NIGHT_MODE: 'false' })
  await station.startWorker()
  const { url } = await station.startApi()
  const { page, complaints } = await visit(t, `${url}/en/`, {}, age)
  t.notOk(await page.evaluate(() => 'showModal' in HTMLDialogElement.prototype), 'this is one')
  await page.locator('.listen').click()
  await page.locator('.horizon[data-sound=playing]').waitFor()
  await advances(page)

  const opener = page.getByRole('button', { name: 'Choose a song' })
  await opener.click()
  const sheet = page.getByRole('dialog', { name: 'Request a song' })
  await sheet.getByRole('listitem').first().waitFor()
  await sheet.locator('[type=search]:focus').waitFor()
  const { x = -1, y = -1, width = 0 } = (await sheet.boundingBox()) ?? {}
  const { width: room = 0 } = page.viewportSize() ?? {}
  t.same([x + width, y], [room, 0], 'over the page')
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()

  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Mini player' }).click()
  await page.getByText('This browser has no windows that stay on top.').waitFor()

  await page.goto(`${url}/embed?lang=en`)
  await page.getByRole('button', { name: 'Play' }).click()
  await page.locator('.player[data-sound=playing]').waitFor()
  const corner = () =>
    getComputedStyle(document.querySelector('solstice-player')!.shadowRoot!.querySelector('.player')!)
      .borderRadius
  t.equal(await page.evaluate(corner), '14px', 'it has its look')
  t.same(complaints, [])
})
