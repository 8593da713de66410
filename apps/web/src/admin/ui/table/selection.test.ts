import t from 'tap'
import { chosenAfter } from './selection.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const after = (
  chosen: string[],
  anchor: string | null,
  id: string,
  how: { range?: boolean; more?: boolean } = {},
) => [...chosenAfter(ids, new Set(chosen), anchor, id, { range: false, more: false, ...how })].sort().join('')

t.test('a press chooses one row, and the same press again none', async (t) => {
  t.equal(after(['a', 'b'], 'b', 'd'), 'd')
  t.equal(after(['d'], 'd', 'd'), '')
})

t.test('more rows are added and taken away one by one', async (t) => {
  t.equal(after(['a'], 'a', 'c', { more: true }), 'ac')
  t.equal(after(['a', 'c'], 'c', 'a', { more: true }), 'c')
})

t.test('a range goes from the row chosen last, in either direction', async (t) => {
  t.equal(after(['b'], 'b', 'd', { range: true }), 'bcd')
  t.equal(after(['d'], 'd', 'b', { range: true }), 'bcd')
  t.equal(after(['a', 'd'], 'd', 'e', { range: true, more: true }), 'ade')
  t.equal(after(['a'], 'gone', 'c', { range: true }), 'c', 'without that row it is one row')
})
