import { type NowPlaying, nowPlaying as routes } from '@solstice/contracts'
import t from 'tap'
import { type LinkFacts, linkTags } from './link-tags.ts'

const reply: NowPlaying = structuredClone<unknown>(routes.getNowPlaying.example.reply) as NowPlaying
const now = (more: Partial<NowPlaying> = {}): NowPlaying => ({ ...reply, ...more })
const facts = (more: Partial<LinkFacts> = {}): LinkFacts => ({
  page: 'player',
  locale: 'en',
  origin: 'https://radio.example',
  translations: { uk: '/', en: '/en/' },
  title: 'Morning Tide – Hilda · Solstice',
  description: 'One broadcast for everybody',
  stationName: 'Solstice',
  nowPlaying: now(),
  ...more,
})
/** The content of a `meta` or the address of a `link` by its name. */
const tagsOf = (text: string) =>
  new Map(
    [...text.matchAll(/<(?:meta|link) (?:name|property|rel)="([^"]+)"(.*?)>/g)].map(([, name, rest]) => [
      `${name}${/hreflang="([^"]+)"/.exec(rest!)?.[1] ?? ''}`,
      /(?:content|href)="([^"]*)"/.exec(rest!)?.[1]?.replaceAll('&amp;', '&'),
    ]),
  )
const dataOf = (text: string) => JSON.parse(/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? 'null')

t.test('a link to the listener page shows the song, its picture and both languages', async (t) => {
  const { text } = linkTags(facts())
  const tags = tagsOf(text)
  t.match(Object.fromEntries(tags), {
    canonical: 'https://radio.example/en/',
    alternateuk: 'https://radio.example/',
    alternateen: 'https://radio.example/en/',
    'alternatex-default': 'https://radio.example/',
    'og:type': 'music.radio_station',
    'og:site_name': 'Solstice',
    'og:title': 'Morning Tide · Hilda',
    'og:url': 'https://radio.example/en/',
    'og:locale': 'en_US',
    'og:locale:alternate': 'uk_UA',
    'og:image': /^https:\/\/radio\.example\/share\.png\?lang=en&v=[\w-]{16}$/,
    'og:image:width': '1200',
    'og:audio': 'https://radio.example/api/stream/public.mp3',
    'twitter:card': 'summary_large_image',
  })
  t.equal(tags.get('twitter:image'), tags.get('og:image'))
  t.match(text, 'type="application/json+oembed"')
  t.match(text, 'oembed?url=https%3A%2F%2Fradio.example%2Fen%2F&amp;format=json')
})

t.test('structured data tells the station, and the song as a broadcast', async (t) => {
  const [station, event] = dataOf(linkTags(facts()).text)['@graph']
  t.match(station, { '@type': 'RadioStation', name: 'Solstice', url: 'https://radio.example/en/' })
  t.match(event, {
    '@type': 'BroadcastEvent',
    isLiveBroadcast: true,
    startDate: new Date(reply.current!.startedAt).toISOString(),
    publishedOn: { broadcaster: { '@id': station['@id'] } },
    workPerformed: { name: 'Morning Tide', byArtist: { name: 'Hilda' }, duration: 'PT187S' },
  })
  const silent = linkTags(facts({ nowPlaying: now({ current: null, streams: [] }) })).text
  t.equal(dataOf(silent)['@graph'].length, 1)
  t.equal(tagsOf(silent).get('og:title'), 'Solstice')
  t.notMatch(silent, 'og:audio')
})

t.test('the picture has another address for each song, mode and language', async (t) => {
  const song = (title: string) => now({ current: { ...reply.current!, title } })
  const pictures = [
    facts(),
    facts({ locale: 'uk' }),
    facts({ nowPlaying: song('Lamp') }),
    facts({ nowPlaying: now({ mode: 'night' }) }),
    facts({ nowPlaying: now({ listeners: 99, at: 1 }) }),
  ].map((each) => tagsOf(linkTags(each).text).get('og:image'))
  t.equal(new Set(pictures).size, 4)
  t.equal(pictures[0], pictures[4], 'and no other for anything else')
})

t.test('no title can break out of its tag', async (t) => {
  const title = `</script><script>alert(1)</script>"'><img src=x>\u2028`
  const { text } = linkTags(
    facts({ nowPlaying: now({ current: { ...reply.current!, title, artist: title } }) }),
  )
  t.notMatch(text, /<script>|<img|<\/script><script/)
  t.equal(text.match(/<script/g)?.length, 1)
  t.equal(dataOf(text)['@graph'][1].workPerformed.name, title)
})

t.test('search engines are kept from pages of admins and from those that do not exist', async (t) => {
  for (const page of ['adlogin', 'adpanel', 'lost'] as const) {
    const { text } = linkTags(
      facts({ page, translations: page === 'lost' ? null : { uk: '/x', en: '/en/x' } }),
    )
    t.equal(text, '<meta name="robots" content="noindex">', page)
  }
  const guest = linkTags(
    facts({ page: 'guest', title: 'Guest room', translations: { uk: '/guest', en: '/en/guest' } }),
  )
  t.equal(tagsOf(guest.text).get('og:title'), 'Guest room')
  t.notMatch(guest.text, 'ld+json')
})
