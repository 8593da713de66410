import t from 'tap'
import { createTimeLine } from './time-line.ts'

t.test('a stretch goes on over a takeover, and ends where time is counted anew', (t) => {
  const timeLine = createTimeLine({ sample: 5_000, atMs: 1_000 }, { number: 7, sample: 2_000 })
  t.same(timeLine.stretchBefore(5_001), { number: 7, sample: 2_000 })
  timeLine.anchor(9_000, 90_000)
  t.same(timeLine.stretchBefore(9_000), { number: 7, sample: 2_000 }, 'a chunk that ends there')
  t.same(timeLine.stretchBefore(9_001), { number: 8, sample: 9_000 })
  timeLine.anchor(20_000, 200_000)
  t.same(timeLine.stretchBefore(20_000), { number: 8, sample: 9_000 })
  t.same(timeLine.stretchBefore(30_000), { number: 9, sample: 20_000 })
  t.end()
})
