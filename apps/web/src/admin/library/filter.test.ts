import t from 'tap'
import { chips, filterTexts, isWhole, pageQuery, pressed, readFilter, readSort, sortText } from './filter.ts'

const read = (address: string) => readFilter(new Map(new URLSearchParams(address)))

t.test('a filter comes back from the address that holds it', async (t) => {
  for (const address of ['', 'q=low+tide', 'mode=night&lyricsStatus=none&hasArt=no&isPlayed=no&isLocked=yes'])
    t.equal(new URLSearchParams(filterTexts(read(address))).toString(), address)
})

t.test('an address that nobody understands narrows nothing', async (t) => {
  t.same(read('mode=noon&hasArt=perhaps&sel=1'), { q: '' })
  t.same(readSort('price'), { by: 'artist', isDown: false })
})

t.test('a chip replaces the other values of its facet, and a second press takes it back', async (t) => {
  const [day, night] = chips
  const once = pressed(read('hasArt=no&mode=day'), night!)
  t.same(once, { q: '', hasArt: false, mode: 'night' })
  t.same(pressed(once, night!), { q: '', hasArt: false })
  t.same(pressed(pressed(once, night!), day!), { q: '', hasArt: false, mode: 'day' })
})

t.test('every chip is sent as the station understands it', async (t) => {
  const sent = chips.map((chip) => Object.values(pageQuery(pressed({ q: '' }, chip), readSort(''))))
  t.same(
    sent.map(([value]) => value),
    ['day', 'night', 'synced', 'plain', 'none', false, false, false, true],
  )
})

t.test('the order is kept as one word, and not at all when it is the usual one', async (t) => {
  t.equal(sortText(readSort('-plays')), '-plays')
  t.same(readSort('-plays'), { by: 'plays', isDown: true })
  t.equal(sortText(readSort('artist')), '')
  t.match(pageQuery({ q: '' }, readSort('-year')), { sort: 'year', order: 'desc' })
})

t.test('a whole mode counts as everything, a search does not', async (t) => {
  t.ok(isWhole(read('mode=day')))
  t.ok(isWhole(read('')))
  t.notOk(isWhole(read('q=tide')))
  t.notOk(isWhole(read('isPlayed=no')))
})
