import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { createRenderedPages, encodingFor } from './rendered.ts'

t.test('a page is rendered once a second, however many ask', async (t) => {
  let nowMs = 0
  let renders = 0
  const pages = createRenderedPages(() => nowMs)
  const ask = (key: string) => pages.get(key, async () => ({ text: `${key} ${++renders}`, styles: [] }))
  const texts = async (...keys: string[]) => (await Promise.all(keys.map(ask))).map(({ text }) => text)
  t.same(await texts('uk', 'en', 'uk'), ['uk 1', 'en 2', 'uk 1'])
  nowMs = 999
  t.same(await texts('uk'), ['uk 1'])
  nowMs = 1000
  t.same(await texts('uk'), ['uk 3'])
  // Names in requests may be anything: they don't fill the memory.
  for (let i = 0; i < 200; i++) await ask(`host ${i}`)
  t.not((await texts('uk'))[0], 'uk 3')
})

t.test('a page that could not be rendered is tried again at once', async (t) => {
  const pages = createRenderedPages(() => 0)
  await t.rejects(pages.get('uk', () => Promise.reject(new Error('being rebuilt'))))
  t.equal((await pages.get('uk', async () => ({ text: 'here', styles: [] }))).text, 'here')
})

t.test('a page is compressed as the browser accepts it', async (t) => {
  t.equal(encodingFor('gzip, deflate, br, zstd'), 'br')
  t.equal(encodingFor('gzip, br;q=0'), 'gzip')
  t.equal(encodingFor('identity'), 'identity')
  t.equal(encodingFor(undefined), 'identity')
  const page = await createRenderedPages(() => 0).get('uk', async () => ({
    text: 'ніч '.repeat(99),
    styles: [],
  }))
  t.equal(brotliDecompressSync(await page.encoded('br')).toString(), page.text)
  t.equal(gunzipSync(await page.encoded('gzip')).toString(), page.text)
  t.equal((await page.encoded('identity')).toString(), page.text)
  t.equal(await page.encoded('br'), await page.encoded('br'), 'once')
})
