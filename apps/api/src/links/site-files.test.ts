import t from 'tap'
import { manifest } from './site-files.ts'

const named = (uk: string, en: string) => {
  const names = (dayRadioName: string) => ({ dayRadioName, nightRadioName: 'Night', messengerLabel: '' })
  return { byLang: { uk: names(uk), en: names(en) } }
}

t.test('a home screen gets a name that it has room for', async (t) => {
  const about = { hasGuests: true }
  const shortOf = (name: string) =>
    (manifest('uk', named(name, 'Dawn'), about) as { short_name: string }).short_name
  t.equal(shortOf('Сонцестояння'), 'Сонцестояння')
  t.equal(shortOf('Нічне сонцестояння'), 'Нічне')
  t.equal(shortOf('Радіо Світанок FM'), 'Радіо')
  t.equal(shortOf('Найдовшеслово'), 'Найдовшеслов')
  t.equal(shortOf(' '), 'Solstice')
})

t.test('shortcuts lead to pages in the language of the manifest', async (t) => {
  t.match(manifest('en', named('Світанок', 'Dawn FM'), { hasGuests: true }), {
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
