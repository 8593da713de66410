import type { RadioState } from '@solstice/contracts'
import t from 'tap'
import { secondsIn, zoneTime } from './time.ts'

const NOON = Date.UTC(2026, 5, 1, 12)
const air = { duration: 200, seek: 50, serverTimeMs: NOON, isPlaying: true } as RadioState

t.test('a track goes on between two messages of the station, and not beyond its end', async (t) => {
  t.equal(secondsIn(air, NOON + 10_000), 60)
  t.equal(secondsIn(air, NOON + 900_000), 200)
  t.equal(secondsIn({ ...air, isPlaying: false }, NOON + 10_000), 50)
})

t.test('the clock shows the time where the station is', async (t) => {
  t.equal(zoneTime(NOON, 'Europe/Kyiv'), '15:00:00')
  t.equal(zoneTime(NOON, 'America/New_York'), '08:00:00')
  t.equal(zoneTime(Date.UTC(2026, 0, 1), 'UTC'), '00:00:00', 'not 24:00')
})
