import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createLater } from './later.ts'

t.test('the first in a turn of the event loop need not wait, all who come with it do', async (t) => {
  const later = createLater<string>(() => {})
  t.equal(later.isFree(), true)
  t.equal(later.isFree(), false)
  await turn()
  t.equal(later.isFree(), true, 'and in the next turn again')
})

t.test('what waits is done a few at a time and in its order, and nothing passes it', async (t) => {
  const done: number[] = []
  const later = createLater<number>((work) => void done.push(work))
  later.isFree()
  const all = Array.from({ length: 10 }, (_, i) => i)
  for (const work of all) later.add(work)
  t.equal(later.size, 10)
  await turn()
  t.ok(done.length > 0 && done.length < 10, `${done.length} in the first turn`)
  t.equal(later.isFree(), false, 'while something waits')
  for (let turns = 0; later.size > 0 && turns < 10; turns++) await turn()
  t.same(done, all)
})

t.test('what has waited too long is done whatever comes', async (t) => {
  const done: number[] = []
  const later = createLater<number>((work) => void done.push(work))
  later.isFree()
  for (let work = 0; work < 100; work++) later.add(work)
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs);
  await turn()
  t.equal(done.length, 100)
})

t.test('all of it can be done at once', async (t) => {
  const done: number[] = []
  const later = createLater<number>((work) => void done.push(work))
  later.isFree()
  for (const work of [1, 2, 3, 4, 5, 6]) later.add(work)
  later.flush()
  t.same(done, [1, 2, 3, 4, 5, 6])
  await turn()
  await turn()
  t.equal(done.length, 6, 'and once only')
})
