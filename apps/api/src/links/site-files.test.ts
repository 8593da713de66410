import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../../../tests/harness/processes/processes.ts'
import { manifest } from './site-files.ts'

const named = (uk: string, en: string) => {
  const names = (dayRadioName: string) => ({ dayRadioName, nightRadioName: 'Night', messengerLabel: '' })
  return { byLang: { uk: names(uk), en: names(en) } }
}

t.test('a home screen gets a name that it has room for', async (t) => {
  const about = { hasGuests: true, hasNight: true }
  const shortOf = (name: string) =>
    (manifest('uk', named(name, 'Dawn'), about) as { short_name: string }).short_name
  t.equal(shortOf('Сонцестояння'), 'Сонцестояння')
  t.equal(shortOf('Нічне сонцестояння'), 'Нічне')
  t.equal(shortOf('Радіо Світанок FM'), 'Радіо')
  t.equal(shortOf('Найдовшеслово'), 'Найдовшеслов')
  t.equal(shortOf(' '), 'Solstice')
})

t.test('shortcuts lead to pages in the language of the manifest', async (t) => {
  t.match(manifest('en', named('Світанок', 'Dawn FM'), { hasGuests: true, hasNight: true }), {
    lang: 'en',
    name: 'Dawn FM',
    start_url: '/en/',
    shortcuts: [
      { name: 'Request a song', url: '/en/#request' },
      { name: 'Go on air', url: '/en/guest' },
      { name: 'Control room', url: '/en/adpanel' },
    ],
  })
})

t.test('the pictures of the page have the sizes that the manifest names', async (t) => {
  const picturesOf = (hasNight: boolean) =>
    (
      manifest('en', named('Світанок', 'Dawn FM'), { hasGuests: true, hasNight }) as {
        screenshots: { src: string; sizes: string }[]
      }
    ).screenshots
  t.same([picturesOf(true).length, picturesOf(false).length], [3, 2], 'the night only where there is one')
  for (const { src, sizes } of picturesOf(true)) {
    const png = await readFile(join(root, 'apps/web/public', src))
    t.equal(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, sizes, src)
    t.ok(png.length < 150_000, `${src}: ${png.length} bytes`)
  }
})
