import type { QueueItem, RadioState } from '@solstice/contracts'
import t from 'tap'
import { expectedTimes } from './expected-times.ts'

const NOON = 1_790_000_000_000
const air = { duration: 200, seek: 50, serverTimeMs: NOON } as RadioState
const entries = (...durations: (number | null)[]) => durations.map((duration) => ({ duration }) as QueueItem)

t.test('each entry follows what plays and the entries before it', async (t) => {
  t.same(expectedTimes(air, entries(100, 60, 30), NOON), [NOON + 150_000, NOON + 250_000, NOON + 310_000])
})

t.test('time that went by since the station spoke counts', async (t) => {
  t.same(expectedTimes(air, entries(100), NOON + 20_000), [NOON + 150_000])
  t.same(expectedTimes(air, entries(100), NOON + 900_000), [NOON + 900_000], 'never in the past')
})

t.test('behind a length that is not known nothing is expected', async (t) => {
  t.same(expectedTimes(air, entries(100, null, 30), NOON), [NOON + 150_000, NOON + 250_000])
  t.same(expectedTimes({ ...air, duration: 0 }, entries(100), NOON), [])
})
