import t from 'tap'
import { pageAt, pathsOf } from './address.ts'

t.test('a path names a page and its language; the page for unknown ones is English below /en', async (t) => {
  for (const [path, page, locale] of [
    ['/', 'player', 'uk'],
    ['/index.html', 'player', 'uk'],
    ['/en', 'player', 'en'],
    ['/en/', 'player', 'en'],
    ['/guest', 'guest', 'uk'],
    ['/en/guest/', 'guest', 'en'],
    ['/embed', 'embed', 'uk'],
    ['/en/embed', 'embed', 'en'],
    ['/adlogin', 'adlogin', 'uk'],
    ['/en/adpanel', 'adpanel', 'en'],
    ['/adpanel/on-air', 'adpanel', 'uk'],
    ['/en/adpanel/on-air/', 'adpanel', 'en'],
    ['/status', 'status', 'uk'],
    ['/en/status/', 'status', 'en'],
    ['/away', 'away', 'uk'],
    ['/en/away', 'away', 'en'],
    ['/adpanel/on-air/now', 'lost', 'uk'],
    ['/nope', 'lost', 'uk'],
    ['/en/nope', 'lost', 'en'],
    ['/english', 'lost', 'uk'],
    ['//', 'lost', 'uk'],
    ['/constructor', 'lost', 'uk'],
  ] as const)
    t.same(pageAt(path), { page, locale }, path)
  t.same(pathsOf('player'), { uk: '/', en: '/en/' })
  t.same(pathsOf('guest'), { uk: '/guest', en: '/en/guest' })
  t.equal(pathsOf('lost'), null)
})

t.test('a path may name a song, a day or a moment', async (t) => {
  const { page, locale } = pageAt('/en/song/day/Low%20Tide%20%231.mp3')
  t.same([page, locale], ['player', 'en'])
  t.same(pageAt('/song/day/Low%20Tide%20%231.mp3').place, { is: 'song', track: 'day/Low Tide #1.mp3' })
  t.same(pageAt('/history').place, { is: 'history', date: null, time: null })
  t.same(pageAt('/history/2026-11-23/14:32/').place, { is: 'history', date: '2026-11-23', time: '14:32' })
  for (const path of [
    '/song',
    '/song/day',
    '/song/day/%ff.mp3',
    '/song/x/a.mp3',
    `/song/day/${'a'.repeat(600)}`,
  ])
    t.equal(pageAt(path).page, 'lost', path)
  for (const path of ['/history/today', '/history/2026-11-23/24:00', '/history/2026-11-23/1432'])
    t.equal(pageAt(path).page, 'lost', path)
  for (const path of [
    '/song/day/a%2Fb%20%3F.mp3',
    '/history',
    '/history/2026-11-23',
    '/history/2026-11-23/14:32',
  ])
    t.same(
      pageAt(pathsOf('player', pageAt(path).place)!.en).place,
      pageAt(path).place,
      `${path} is found again`,
    )
})

t.test(
  'a listener who chose English gets English pages at bare paths; admins have a choice of their own',
  async (t) => {
    t.equal(pageAt('/', 'en').locale, 'en')
    t.equal(pageAt('/nope', 'en').locale, 'en')
    t.equal(pageAt('/adlogin', 'en').locale, 'uk')
    t.equal(pageAt('/en/', 'uk').locale, 'en')
    t.equal(pageAt('/', 'constructor').locale, 'uk')
  },
)
