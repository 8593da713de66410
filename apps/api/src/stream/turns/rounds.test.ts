import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../../../../tests/harness/until.ts'
import { createRounds } from './rounds.ts'

t.test('thousands are served in pieces, between which others have their turn', async (t) => {
  const served: string[] = []
  const rounds = createRounds<string>(2, function* (slice, chunk) {
    for (let listener = 0; listener < 20; listener++) {
      const untilMs = performance.now() + 1
      while (performance.now() < untilMs);
      served.push(`${chunk} ${slice} ${listener}`)
      yield
    }
  })
  rounds.begin('a', (slice) => slice)
  const atFirst = served.length
  t.ok(atFirst > 0 && atFirst < 20, `${atFirst} of 20`)
  await turn()
  rounds.begin('b', (slice) => slice)
  await until('both rounds are over', () => served.length === 80)
  const all = ['a', 'b'].flatMap((chunk) => ['0', '1'].map((slice) => `${chunk} ${slice}`))
  t.same(
    served,
    all.flatMap((moment) => Array.from({ length: 20 }, (_, i) => `${moment} ${i}`)),
    'everybody once for each chunk, in its order',
  )
})

t.test('a round that has ended serves nobody more', async (t) => {
  let served = 0
  const rounds = createRounds<string>(3, function* () {
    const untilMs = performance.now() + 10
    while (performance.now() < untilMs);
    served++
    yield
  })
  rounds.begin('a', () => 0)
  rounds.end()
  const before = served
  for (let i = 0; i < 5; i++) await turn()
  t.equal(served, before)
})

t.test('slices that are due at the same time need no timer', async (t) => {
  const served: number[] = []
  const rounds = createRounds<string>(4, function* (slice) {
    served.push(slice)
    yield
  })
  rounds.begin('a', (slice) => (slice < 2 ? 0 : 60_000))
  await turn()
  await turn()
  t.same(served, [0, 1])
  rounds.end()
})
