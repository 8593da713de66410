import type { AlarmCause } from '@solstice/contracts'
import t from 'tap'
import { reliabilityOf } from './status.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.parse('2026-11-23T12:00:00Z')
const ONE = 'https://one.example'
const OTHER = 'https://other.example'

const alarm = (source: string, fromMs: number, untilMs: number | null, cause: AlarmCause = 'no_bytes') => ({
  ...{ id: 1, cause, source, evidence: '', openKey: '' },
  beganAt: NOW_MS - fromMs,
  endedAt: untilMs === null ? null : NOW_MS - untilMs,
})
const watch = (fromMs: number, untilMs: number, addresses = 1) => ({
  id: 1,
  fromMs: NOW_MS - fromMs,
  untilMs: NOW_MS - untilMs,
  addresses,
})
const of = (alarms: ReturnType<typeof alarm>[], watches = [watch(10 * DAY_MS, 0)]) =>
  reliabilityOf({ alarms, watches }, 'UTC', NOW_MS)

t.test('without a monitor nothing is told', async (t) => {
  t.same(of([], []), { onAirSince: null, incident: null, uptime: null })
})

t.test('uptime is a share of the time in which somebody listened, day by day', async (t) => {
  const { uptime, onAirSince, incident } = of([alarm(ONE, 30 * HOUR_MS, 24 * HOUR_MS)])
  t.equal(uptime!.days.length, 90)
  t.equal(uptime!.share, 1 - 6 / 240)
  t.same(uptime!.days.at(-2), { date: '2026-11-22', share: 0.75, breaks: 1 })
  t.same(uptime!.days.at(-1), { date: '2026-11-23', share: 1, breaks: 0 })
  t.equal(uptime!.days[0]!.share, null, 'nobody listened yet')
  t.equal(onAirSince, NOW_MS - 24 * HOUR_MS)
  t.same(incident, { kind: 'break', from: NOW_MS - 30 * HOUR_MS, until: NOW_MS - 24 * HOUR_MS })
})

t.test('a break is one at all addresses; at some of them it is a disturbance', async (t) => {
  const watches = [watch(DAY_MS, 0, 2)]
  const some = of([alarm(ONE, 3 * HOUR_MS, 2 * HOUR_MS)], watches)
  t.equal(some.uptime!.share, 1)
  t.match(some.incident, { kind: 'disturbance' })
  const all = of([alarm(ONE, 3 * HOUR_MS, HOUR_MS), alarm(OTHER, 2 * HOUR_MS, HOUR_MS, 'silence')], watches)
  t.equal(all.uptime!.share, 1 - 1 / 24)
  t.match(all.incident, { kind: 'break', from: NOW_MS - 3 * HOUR_MS })
})

t.test('what goes on is told as such, and ends the time on air', async (t) => {
  const { onAirSince, incident } = of([alarm(ONE, HOUR_MS, null)])
  t.equal(onAirSince, null)
  t.same(incident, { kind: 'break', from: NOW_MS - HOUR_MS, until: null })
})

t.test('faults that are not heard, and those of other mounts, are no incidents', async (t) => {
  const mount = `${ONE}/api/stream/aac-64.aac`
  const { incident, uptime } = of([
    alarm(ONE, HOUR_MS, null, 'stale_sync'),
    alarm('station', HOUR_MS, null, 'title'),
    alarm(mount, HOUR_MS, null),
  ])
  t.equal(incident, null)
  t.equal(uptime!.share, 1)
  t.match(of([alarm(ONE, HOUR_MS, HOUR_MS / 2, 'clipping')]).incident, { kind: 'disturbance' })
})

t.test('a monitor that starts again ends no time on air, one that was away long does', async (t) => {
  const restarted = [watch(DAY_MS, 6 * HOUR_MS), watch(6 * HOUR_MS - 60_000, 0)]
  t.equal(of([], restarted).onAirSince, NOW_MS - DAY_MS)
  const away = [watch(DAY_MS, 6 * HOUR_MS), watch(5 * HOUR_MS, 0)]
  t.equal(of([], away).onAirSince, NOW_MS - 5 * HOUR_MS)
  t.equal(of([], [watch(DAY_MS, HOUR_MS)]).onAirSince, null, 'nobody listens now')
})

t.test('a watch that was noted a minute ago goes on', async (t) => {
  t.equal(of([], [watch(60_000, 60_000)]).uptime!.share, 1)
})

t.test('a break while nobody listened counts neither way', async (t) => {
  const watches = [watch(4 * HOUR_MS, 2 * HOUR_MS), watch(HOUR_MS, 0)]
  t.equal(of([alarm(ONE, 2 * HOUR_MS, HOUR_MS)], watches).uptime!.share, 1)
})
