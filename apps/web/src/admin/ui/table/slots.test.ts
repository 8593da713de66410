import t from 'tap'
import { type Slots, slotsAfter } from './slots.ts'

const rows = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i)
const numbers = (slots: Slots) => [...slots.values()].sort((a, b) => a - b)

t.test('rows that stay keep their slots, and those that come take the slots of those that went', (t) => {
  const before = slotsAfter(new Map(), rows(0, 6))
  t.same([...before.values()], rows(0, 6))
  const after = slotsAfter(before, rows(2, 8))
  for (const row of rows(2, 6)) t.equal(after.get(row), before.get(row))
  t.same([after.get(6), after.get(7)], [0, 1])
  t.same(numbers(slotsAfter(after, rows(50_000, 50_006))), rows(0, 6), 'a jump makes no new slot')
  t.end()
})

t.test('a row that is drawn far from the others keeps its slot', (t) => {
  const before = slotsAfter(new Map(), rows(0, 6))
  const after = slotsAfter(before, [3, ...rows(100, 106)])
  t.equal(after.get(3), 3)
  t.same(numbers(after), rows(0, 7))
  t.equal(slotsAfter(after, rows(2, 8)).get(3), 3)
  t.end()
})

t.test('fewer rows need fewer slots, and more rows the lowest that are free', (t) => {
  const few = slotsAfter(slotsAfter(new Map(), rows(0, 6)), [4, 5])
  t.same([...few], [[4, 4], [5, 5]]) // biome-ignore format: pairs
  t.same(numbers(slotsAfter(few, rows(2, 8))), rows(0, 6))
  t.end()
})
