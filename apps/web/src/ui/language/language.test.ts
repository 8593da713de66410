import t from 'tap'
import { parsePath, pathOf } from './language.ts'
import { localizedText } from './localized-text.ts'

t.test('the text in the right language is found in every shape of message', async (t) => {
  const both = { uk: 'так', en: 'yes' }
  for (const message of [
    both,
    { code: 'X', ...both },
    { localized: both },
    { error: { code: 'X', localized: both } },
    { error: both, message: both },
    JSON.stringify({ code: 'X', ...both }),
  ]) {
    t.equal(localizedText(message, 'en'), 'yes', JSON.stringify(message))
    t.equal(localizedText(message, 'uk'), 'так')
  }
  t.equal(localizedText('fetch_failed', 'en'), 'fetch_failed')
  t.equal(localizedText('{ not json', 'en'), '{ not json')
  t.equal(localizedText({ uk: 'так' }, 'en'), 'так', 'Ukrainian when the language is missing')
  t.equal(localizedText({ uk: '', en: 'yes' }, 'uk'), 'yes')
  for (const nothing of [null, undefined, 7, {}, { uk: 3 }]) t.equal(localizedText(nothing, 'uk'), '')
})

t.test('Ukrainian pages have the bare paths, English ones their own; nothing else is a page', async (t) => {
  const place = (path: string) => {
    const found = parsePath(path)
    return found && `${found.page} ${found.locale}`
  }
  const known = ['/', '/en/', '/en', '/guest', '/en/guest/', '/adlogin', '/adpanel/', '/en/adpanel/on-air']
  t.same(known.map(place), [
    'player uk',
    'player en',
    'player en',
    'guest uk',
    'guest en',
    'adlogin uk',
    'adpanel uk',
    'adpanel en',
  ])
  t.equal(parsePath('/en/adpanel/on-air')?.part, 'on-air')
  for (const path of [
    '/uk/',
    '/nowhere',
    '/en/x',
    '/guest/x',
    '/adpanel/on-air/x',
    '/adpanel/A',
    '/constructor',
  ])
    t.equal(parsePath(path), null, path)
  for (const path of known) t.same(parsePath(pathOf(parsePath(path)!)), parsePath(path))
})
