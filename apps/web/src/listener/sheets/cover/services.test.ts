import t from 'tap'
import { searchesFor } from './services.ts'

t.test('a song is searched by artist and title, whatever is in them', (t) => {
  const searches = searchesFor({ title: 'Обійми & Co? #1/2', artist: 'AC/DC' })
  t.equal(searches.length, 6)
  for (const { name, href } of searches) {
    const { protocol, pathname, searchParams, hash } = new URL(href)
    const words = [...searchParams.values()][0] ?? decodeURIComponent(pathname.split('/').at(-1)!)
    t.same([protocol, words, hash], ['https:', 'AC DC Обійми & Co? #1 2', ''], name)
  }
  t.end()
})
