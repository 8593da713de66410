import t from 'tap'
import { sortRows } from './sort.ts'

interface Row {
  title: string
  plays: number
}

const columns = [
  { id: 'title', sort: (row: Row) => row.title },
  { id: 'plays', sort: (row: Row) => row.plays },
  { id: 'cover' },
]
const rows = [
  { title: 'Track 10', plays: 2 },
  { title: 'Їжак', plays: 10 },
  { title: 'Track 9', plays: 2 },
]
const by = (id: string, isDown = false) =>
  sortRows<Row>(rows, { by: id, isDown }, columns).map((row) => row?.title)

t.test('numbers are sorted as numbers, within texts as well', async (t) => {
  t.same(by('plays', true), ['Їжак', 'Track 10', 'Track 9'], 'equal ones stay as they were')
  t.ok(by('title').indexOf('Track 9') < by('title').indexOf('Track 10'))
})

t.test('without an order, or by a column that has none, rows stay as they are', async (t) => {
  t.equal(sortRows<Row>(rows, null, columns), rows)
  t.same(by('cover'), ['Track 10', 'Їжак', 'Track 9'])
})
