import t from 'tap'
import { sortInPieces } from './sort-in-pieces.ts'

interface Item {
  rank: number
  place: number
}

const compare = (a: Item, b: Item) => a.rank - b.rank

t.test('items of any number are sorted, and equal ones stay in their order', async (t) => {
  for (const count of [0, 1, 2, 511, 512, 513, 1_024, 1_025, 2_600, 5_000]) {
    const items = Array.from({ length: count }, (_, place) => ({ rank: (place * 7_919) % 97, place }))
    const before = items.slice()
    t.same(await sortInPieces(items, compare), items.toSorted(compare), `${count}`)
    t.same(items, before, 'what was given stays as it is')
  }
})
