import t from 'tap'
import { dayOf, momentOf, nextMomentOf, scheduleNow, scheduleOf } from './wall-clock.ts'

const kyiv = { timeZone: 'Europe/Kyiv', nightMode: true, dayStartHour: 6, nightStartHour: 0 }
const at = (iso: string) => Date.parse(iso)

t.test('day and night begin at their hours of the station, whatever the zone of the machine', async (t) => {
  const { natural, changes } = scheduleOf(kyiv, at('2026-11-21T12:00:00+02:00'))
  t.equal(natural, 'day')
  t.same(changes.slice(0, 3), [
    { atMs: at('2026-11-22T00:00:00+02:00'), mode: 'night' },
    { atMs: at('2026-11-22T06:00:00+02:00'), mode: 'day' },
    { atMs: at('2026-11-23T00:00:00+02:00'), mode: 'night' },
  ])
  t.equal(scheduleOf(kyiv, at('2026-11-22T03:00:00+02:00')).natural, 'night')
  t.equal(
    scheduleOf(kyiv, at('2026-11-22T00:00:00+02:00')).natural,
    'night',
    'the hour itself belongs to the new mode',
  )
})

t.test(
  'day and night go by the wall clock also when that was set while the station was on air',
  async (t) => {
    // The wall clock was set on by two hours: the station's is behind.
    const clock = { nowMs: () => at('2026-11-21T23:00:00+02:00'), aheadMs: () => -7_200_000 }
    const { natural, changes, aheadMs } = scheduleNow(kyiv, clock)
    t.equal(natural, 'night')
    t.equal(aheadMs, -7_200_000)
    t.same(changes[0], { atMs: at('2026-11-22T04:00:00+02:00'), mode: 'day' })
  },
)

t.test('night may wrap midnight; equal hours and NIGHT_MODE=false mean always day', async (t) => {
  const wraps = { ...kyiv, nightStartHour: 22, dayStartHour: 7 }
  t.equal(scheduleOf(wraps, at('2026-11-21T23:00:00+02:00')).natural, 'night')
  t.equal(scheduleOf(wraps, at('2026-11-21T05:00:00+02:00')).natural, 'night')
  t.equal(scheduleOf(wraps, at('2026-11-21T21:59:00+02:00')).natural, 'day')
  t.same(scheduleOf({ ...kyiv, nightStartHour: 6 }, 0), { natural: 'day', changes: [] })
  t.same(scheduleOf({ ...kyiv, nightMode: false }, 0), { natural: 'day', changes: [] })
})

t.test('both days on which daylight saving changes have their boundaries at the right moments', async (t) => {
  const spring = scheduleOf({ ...kyiv, dayStartHour: 6, nightStartHour: 1 }, at('2026-03-28T12:00:00+02:00'))
  t.same(spring.changes.slice(0, 2), [
    { atMs: at('2026-03-29T01:00:00+02:00'), mode: 'night' },
    { atMs: at('2026-03-29T06:00:00+03:00'), mode: 'day' },
  ])
  const autumn = scheduleOf(kyiv, at('2026-10-24T12:00:00+03:00'))
  t.same(autumn.changes.slice(0, 2), [
    { atMs: at('2026-10-25T00:00:00+03:00'), mode: 'night' },
    { atMs: at('2026-10-25T06:00:00+02:00'), mode: 'day' },
  ])
})

t.test(
  'a boundary in the hour that is skipped or comes twice is met once, whenever the plan is made',
  async (t) => {
    const parts = { ...kyiv, nightStartHour: 3, dayStartHour: 6 }
    for (const [day, night, morning] of [
      ['2026-03-29T00:00:00+02:00', '2026-03-29T04:00:00+03:00', '2026-03-29T06:00:00+03:00'],
      ['2026-10-25T00:00:00+03:00', '2026-10-25T03:00:00+03:00', '2026-10-25T06:00:00+02:00'],
    ] as const) {
      const met: { atMs: number; mode: string }[] = []
      const planned = new Set<string>()
      let mode = 'day'
      for (let atMs = at(day); atMs < at(day) + 10 * 3_600_000; atMs += 600_000) {
        const { natural, changes } = scheduleOf(parts, atMs)
        if (natural !== mode) met.push({ atMs, mode: natural })
        mode = natural
        if (atMs < at(morning)) planned.add(JSON.stringify(changes.find((change) => change.mode === 'day')))
      }
      const [first, second] = [
        { atMs: at(night), mode: 'night' },
        { atMs: at(morning), mode: 'day' },
      ]
      t.same(met, [first, second])
      t.same([...planned], [JSON.stringify(second)])
    }
  },
)

t.test('a skipped wall-clock time is taken an hour on, of a doubled one the first', async (t) => {
  const skipped = momentOf({ year: 2026, month: 3, day: 29 }, 0, 3, 30, 'Europe/Kyiv')
  t.equal(skipped, at('2026-03-29T04:30:00+03:00'))
  const doubled = momentOf({ year: 2026, month: 10, day: 25 }, 0, 3, 30, 'Europe/Kyiv')
  t.equal(doubled, at('2026-10-25T03:30:00+03:00'))
  t.equal(momentOf({ year: 2026, month: 12, day: 31 }, 1, 0, 0, 'UTC'), at('2027-01-01T00:00:00Z'))
})

t.test(
  'a time of the day is its next moment: today, tomorrow once it is past, also when clocks are changed',
  async (t) => {
    const next = (time: string, now: string) => {
      const [hour, minute] = time.split(':').map(Number)
      return new Date(nextMomentOf(hour!, minute!, 'Europe/Kyiv', at(now))).toISOString()
    }
    const iso = (text: string) => new Date(at(text)).toISOString()
    t.equal(next('23:30', '2026-11-21T23:29:59+02:00'), iso('2026-11-21T23:30:00+02:00'))
    t.equal(next('23:30', '2026-11-21T23:30:00+02:00'), iso('2026-11-22T23:30:00+02:00'))
    t.equal(next('00:00', '2026-11-21T12:00:00+02:00'), iso('2026-11-22T00:00:00+02:00'))
    // On 29 March 2026 the hour from 3 to 4 is skipped.
    t.equal(next('03:30', '2026-03-29T02:00:00+02:00'), iso('2026-03-29T04:30:00+03:00'))
    t.equal(next('03:30', '2026-03-29T04:40:00+03:00'), iso('2026-03-30T03:30:00+03:00'))
    t.equal(next('12:00', '2026-03-28T13:00:00+02:00'), iso('2026-03-29T12:00:00+03:00'))
    // On 25 October 2026 the hour from 3 to 4 comes twice.
    t.equal(next('03:30', '2026-10-25T03:00:00+03:00'), iso('2026-10-25T03:30:00+03:00'))
    t.equal(next('03:30', '2026-10-25T03:40:00+03:00'), iso('2026-10-25T03:30:00+02:00'))
    t.equal(next('03:30', '2026-10-25T03:40:00+02:00'), iso('2026-10-26T03:30:00+02:00'))
    t.equal(next('12:00', '2026-10-24T13:00:00+03:00'), iso('2026-10-25T12:00:00+02:00'))
  },
)

t.test('a day of the station lasts from midnight to midnight, 23 to 25 hours', async (t) => {
  const hoursOf = (date: string) => {
    const day = dayOf(date, 'Europe/Kyiv')
    return day && (day.untilMs - day.fromMs) / 3_600_000
  }
  t.equal(dayOf('2026-11-23', 'Europe/Kyiv')?.fromMs, Date.UTC(2026, 10, 22, 22))
  t.equal(hoursOf('2026-11-23'), 24)
  t.equal(hoursOf('2026-03-29'), 23)
  t.equal(hoursOf('2026-10-25'), 25)
  for (const none of ['2026-02-30', '2026-13-01', 'x', '']) t.equal(hoursOf(none), null, none)
})
