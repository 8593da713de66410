import t from 'tap'
import { arcOf, minutesUntil, modeAt, pointAt, spansOf } from './ring.ts'

const parts = { nightMode: true, dayStartHour: 6, nightStartHour: 22 }

t.test('the mode lasts until the next switch, across midnight too', async (t) => {
  const spans = spansOf(parts)
  t.same(modeAt(spans, 6 * 60), { mode: 'day', leftMinutes: 16 * 60 })
  t.same(modeAt(spans, 21 * 60 + 59), { mode: 'day', leftMinutes: 1 })
  t.same(modeAt(spans, 22 * 60), { mode: 'night', leftMinutes: 8 * 60 })
  t.same(modeAt(spans, 0), { mode: 'night', leftMinutes: 6 * 60 })
})

t.test('a station without a night, or with one hour for both, has one span', async (t) => {
  for (const one of [spansOf({ ...parts, nightMode: false }), spansOf({ ...parts, nightStartHour: 6 })]) {
    t.equal(one.length, 1)
    t.same(modeAt(one, 90), { mode: 'day', leftMinutes: null })
  }
})

t.test('noon is above, midnight below, the morning at the left', async (t) => {
  const near = ({ x, y }: { x: number; y: number }) => [Math.round(x), Math.round(y)]
  t.same(near(pointAt(12 * 60, 10)), [0, -10])
  t.same(near(pointAt(0, 10)), [0, 10])
  t.same(near(pointAt(6 * 60, 10)), [-10, 0])
})

t.test('a whole day is drawn as two halves, and the longer span as the larger arc', async (t) => {
  t.equal(arcOf({ mode: 'day', from: 0, to: 1440 }, 10).match(/A/g)?.length, 2)
  t.match(arcOf({ mode: 'day', from: 360, to: 1320 }, 10), / 0 1 1 /)
  t.match(arcOf({ mode: 'night', from: 1320, to: 360 }, 10), / 0 0 1 /)
  t.equal(minutesUntil(600, 600), 1440)
})
