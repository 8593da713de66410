import t from 'tap'
import { retryDelayMs } from './deliver.ts'

t.test('a message is tried for a day, ever more seldom', async (t) => {
  const delays: number[] = []
  for (let failed = 1; ; failed++) {
    const delayMs = retryDelayMs(failed, 0.5)
    if (delayMs === null) break
    t.ok(delayMs > (delays.at(-1) ?? 0), `attempt ${failed + 1} is later than the one before`)
    delays.push(delayMs)
  }
  const hours = delays.reduce((sum, ms) => sum + ms, 0) / 3_600_000
  t.ok(hours > 23 && hours < 25, `${hours} h`)
})

t.test('attempts are spread by a tenth', async (t) => {
  t.same([retryDelayMs(1, 0), retryDelayMs(1, 1)], [4_500, 5_500])
})
