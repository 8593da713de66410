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
