import t from 'tap'
import { places } from './places.ts'

t.test('each place has an address of its own, and is found in both languages', (t) => {
  const addresses = places.map(({ part, query }) => `${part}?${new URLSearchParams(query)}`)
  t.equal(new Set(addresses).size, places.length)
  for (const { title, words } of places) t.ok(title.uk && title.en && words)
  t.end()
})
