import t from 'tap'
import { findItems } from './palette.ts'

const run = () => {}
const items = [
  { id: '1', title: 'Night owl', about: 'song', run },
  { id: '2', title: 'Switch to night', about: 'action', run },
  { id: '3', title: 'On air', about: 'section', words: 'Ефір', run },
]
const ids = (query: string, most = 9) => findItems(items, query, most).map(({ id }) => id)

t.test('every word must occur, in the title or beside it', async (t) => {
  t.same(ids('night sw'), ['2'])
  t.same(ids('ефір'), ['3'], 'under the name in another language')
  t.same(ids('night air'), [])
})

t.test('titles that begin with the query come first, and no more than asked for', async (t) => {
  t.same(ids('s'), ['2', '1', '3'])
  t.same(ids('', 2), ['1', '2'])
})
