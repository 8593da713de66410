import t from 'tap'
import { unplanned } from '../tools/soak/fleet.ts'
import { plot } from '../tools/soak/plot.ts'
import { afterWarmUp, type Point, slopePerHour } from '../tools/soak/trend.ts'
import { judge } from '../tools/soak/verdicts.ts'

/** A sample every minute of two hours. */
const line = (valueAt: (atH: number) => number): Point[] =>
  Array.from({ length: 121 }, (_, i) => ({ atH: i / 60, value: valueAt(i / 60) }))
const well = {
  hours: 2,
  collectedMb: new Map(),
  handles: new Map(),
  driftMs: [{ atH: 1, value: -3 }],
  unplannedGaps: 0,
  unplannedAlarms: 0,
  errors: 0,
}

t.test('the slope is that of the line through the points, per hour', async (t) => {
  t.ok(Math.abs(slopePerHour(line((atH) => 100 + 5 * atH))! - 5) < 1e-9)
  t.equal(slopePerHour(line(() => 7)), 0)
  t.equal(slopePerHour([{ atH: 0, value: 1 }]), null)
})

t.test('the growth of the warm-up does not count', async (t) => {
  const warming = line((atH) => 100 + 300 * Math.min(atH, 0.45))
  t.ok(slopePerHour(warming)! > 10)
  t.ok(Math.abs(slopePerHour(afterWarmUp(warming, 2))!) < 1e-9)
})

t.test('a process that grows fails, and one that lived too briefly is not judged', async (t) => {
  const collectedMb = new Map([
    ['api', line((atH) => 100 + 0.5 * atH)],
    ['worker', line((atH) => 100 + 2 * atH)],
    ['young', line((atH) => 100 + 50 * atH).slice(0, 20)],
  ])
  const memory = judge({ ...well, collectedMb }).slice(0, 3)
  t.same(
    memory.map(({ result }) => result),
    ['passed', 'failed', 'not judged'],
  )
})

t.test('handles that are never closed fail', async (t) => {
  const handles = new Map([
    ['jobs', line((atH) => 40 + (Math.round(atH * 60) % 3))],
    ['monitor', line((atH) => 40 + 10 * atH)],
  ])
  t.same(
    judge({ ...well, handles })
      .filter(({ what }) => what.startsWith('handles'))
      .map(({ result }) => result),
    ['passed', 'failed'],
  )
})

t.test('drift in either direction, a gap, an alarm, or no song at all fails', async (t) => {
  const failed = (observed: Partial<typeof well>) =>
    judge({ ...well, ...observed }).flatMap(({ what, result }) => (result === 'failed' ? [what] : []))
  t.same(failed({}), [])
  t.same(failed({ driftMs: [{ atH: 1, value: -25 }] }), ['drift'])
  t.same(failed({ driftMs: [] }), ['drift'])
  t.same(failed({ unplannedGaps: 1 }), ['unplanned gaps'])
  t.same(failed({ unplannedAlarms: 1 }), ['alarms'])
})

t.test('an alarm about a replica is explained by its death, one about another is not', async (t) => {
  const outages = [{ url: 'http://b', fromMs: 100_000, untilMs: 103_000 }]
  const alarm = (source: string, beganAt: number) => ({ source, beganAt })
  const alarms = [
    alarm('http://b/api/hls/live.m3u8', 102_000),
    alarm('http://a', 102_000),
    alarm('http://b', 99_000),
    alarm('http://b', 120_000),
  ]
  t.same(unplanned(alarms, outages), alarms.slice(1))
})

t.test('the plot has a line for each series, and names are text', async (t) => {
  const panel = { title: 'Memory', unit: 'MB', series: [{ name: 'a < b & c', points: line((atH) => atH) }] }
  const svg = plot([panel, { ...panel, series: [] }], [1])
  t.equal(svg.match(/<polyline /g)?.length, 1)
  t.match(svg, 'a &lt; b &amp; c')
  t.notMatch(svg, /NaN|Infinity/)
})
