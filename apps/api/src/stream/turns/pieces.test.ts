import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createPieces } from './pieces.ts'

const MANY = 20

t.test('of many who come at once each has its turn, and others come between', async (t) => {
  const done = new Set<number>()
  const pieces = createPieces<number>((one) => {
    const untilMs = performance.now() + 1
    while (performance.now() < untilMs);
    done.add(one)
  })
  const all = Array.from({ length: MANY }, (_, i) => i)
  for (const one of all) pieces.add(one)
  t.equal(done.size, 0, 'nothing is done within the turn in which they come')
  let turns = 0
  for (; done.size < MANY && turns < MANY; turns++) await turn()
  t.same(
    [...done].sort((a, b) => a - b),
    all,
  )
  t.ok(turns >= 3, `${turns} turns`)
})

t.test('who comes while others wait, or after all, has a turn as well', async (t) => {
  const done: string[] = []
  const pieces = createPieces<string>((one) => {
    done.push(one)
    if (one === 'first') pieces.add('from within')
  })
  pieces.add('first')
  await turn()
  await turn()
  t.same(done, ['first', 'from within'])
  pieces.add('later')
  await turn()
  t.same(done, ['first', 'from within', 'later'])
})
