import t from 'tap'
import { createStepFilter, SETTLED_MS } from './clock-steps.ts'

const LIMIT_MS = 3_000

/** Looks every half second at what is late by the given time; tells at which looks it is judged. */
function looks(lateAt: (nowMs: number) => number, seconds: number): number[] {
  let nowMs = 0
  const filter = createStepFilter<number>(() => nowMs, SETTLED_MS)
  const judged: number[] = []
  for (; nowMs <= seconds * 1000; nowMs += 500) {
    const followed = { last: lateAt(nowMs), failingMs: 0, failure: '' }
    const isLate = Math.abs(lateAt(nowMs)) > LIMIT_MS
    if (isLate && filter(followed, (late) => late, LIMIT_MS).last !== null) judged.push(nowMs)
    else if (!isLate) filter(followed, (late) => late, LIMIT_MS)
  }
  return judged
}

t.test('what falls behind is judged at once', async (t) => {
  t.equal(looks((nowMs) => Math.max(0, nowMs - 10_000), 20)[0], 13_500)
})

t.test('a date that jumps for a moment, as when the clock is set, is not judged', async (t) => {
  for (const byMs of [-8 * 3_600_000, -5_000, 20_000, 8 * 3_600_000])
    t.same(
      looks((nowMs) => (nowMs >= 10_000 && nowMs < 14_000 ? byMs : 0), 60),
      [],
      `${byMs} ms`,
    )
})

t.test('one that stays wrong is judged', async (t) => {
  t.equal(looks((nowMs) => (nowMs >= 10_000 ? -60_000 : 0), 30)[0], 10_000 + SETTLED_MS)
})
