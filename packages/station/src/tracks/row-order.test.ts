import t from 'tap'
import { exchangeSorted } from './row-order.ts'

const compare = (a: number, b: number) => a - b || 1

t.test('items are exchanged in their places', (t) => {
  const sorted = [1, 3, 5, 7, 9]
  const exchange = (gone: number[], made: number[]) => exchangeSorted(sorted, { gone, made }, compare)
  t.same(exchange([], []), sorted)
  t.same(exchange([9, 1], []), [3, 5, 7])
  t.same(exchange([], [10, 0, 4]), [0, 1, 3, 4, 5, 7, 9, 10])
  t.same(exchange([5, 7], [6, 2]), [1, 2, 3, 6, 9])
  t.same(sorted, [1, 3, 5, 7, 9])
  t.end()
})

t.test('an item that is not in its place ends the exchange', (t) => {
  t.equal(exchangeSorted([1, 3], { gone: [2], made: [] }, compare), null)
  t.end()
})
