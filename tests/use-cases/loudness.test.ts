import { openJsonData } from '@solstice/adapters'
import { cuePointsChanged } from '@solstice/playout'
import {
  cuePointsByTrack,
  cuePointsOf,
  deleteMeasurements,
  type LoudnessRules,
  type MeasurementRecord,
  moveMeasurements,
} from '@solstice/station'
import t from 'tap'
import { temporaryFolder } from '../harness/processes/processes.ts'

const rules: LoudnessRules = { loudnessTargetLufs: -16, trimSilence: true, streamMode: true }
const measured: MeasurementRecord = {
  trackId: 'day/a.mp3',
  size: 1000,
  modifiedMs: 1,
  lufs: -20,
  peakDb: -12,
  isMono: false,
  startMs: 1500,
  endMs: 60_000,
}
const gain = (facts: Partial<MeasurementRecord>, other: Partial<LoudnessRules> = {}) =>
  cuePointsOf({ ...measured, ...facts }, { ...rules, ...other }).gainDb

t.test('a track is played at the target, but its peaks stay below the ceiling', async (t) => {
  t.equal(gain({}), 4)
  t.equal(gain({ lufs: -9.3, peakDb: 0.4 }), -6.7)
  t.equal(gain({ lufs: -30, peakDb: -3.1 }), 2.1, 'as loud as −1 dBTP allows')
  t.equal(gain({ lufs: -16, peakDb: 0 }), -1, 'softer than its target where it has to be')
  t.equal(gain({ lufs: -16.1, peakDb: -6 }, { loudnessTargetLufs: -14.35 }), 1.7, 'steps go down')
  t.ok(Object.is(gain({ lufs: -16 }), 0))
  t.equal(gain({}, { loudnessTargetLufs: null }), null)
  t.equal(gain({ lufs: null, peakDb: null }), null)
  t.equal(gain({ isMono: true }), 7, 'one channel is softer where it becomes two')
  t.equal(gain({ isMono: true }, { streamMode: false }), 4)
})

t.test('silence is trimmed where configured, and only from tracks with sound', async (t) => {
  t.match(cuePointsOf(measured, rules), { startMs: 1500, endMs: 60_000 })
  t.match(cuePointsOf(measured, { ...rules, trimSilence: false }), { startMs: 0, endMs: null })
  t.match(cuePointsOf({ ...measured, endMs: null }, rules), { startMs: 0, endMs: null })
})

t.test(
  'cue points that an admin set stand for measured ones, also where silence is not trimmed',
  async (t) => {
    const set = (cueInMs: number | null, cueOutMs: number | null, facts = {}, other = {}) =>
      cuePointsOf({ ...measured, ...facts }, { ...rules, ...other }, { cueInMs, cueOutMs })
    t.same(set(0, null), { gainDb: 4, startMs: 0, endMs: 60_000 })
    t.same(set(null, 30_000), { gainDb: 4, startMs: 1500, endMs: 30_000 })
    t.match(set(2_000, 30_000, {}, { trimSilence: false }), { startMs: 2_000, endMs: 30_000 })
    t.match(set(2_000, null, {}, { trimSilence: false }), { startMs: 2_000, endMs: null })
    t.same(cuePointsOf(null, rules, { cueInMs: 2_000 }), { gainDb: null, startMs: 2_000, endMs: null })
    t.match(set(50_000, null, { endMs: 40_000 }), { startMs: 50_000, endMs: null }, 'never an empty range')
  },
)

t.test('measurements follow a track that moves, and vanish with a deleted one', async (t) => {
  const data = await openJsonData(await temporaryFolder(t))
  t.teardown(() => data.close())
  const [from, to] = ['day/a.mp3', 'night/a.mp3']
  for (const id of [from, to]) {
    await data.measurements.put({ ...measured, trackId: id, lufs: id === from ? -20 : -8 })
    await data.waveforms.put({ trackId: id, peaks: id })
  }
  for (const _ of ['once', 'again']) await moveMeasurements(data, from, to)
  t.same(await data.measurements.find(), [{ ...measured, trackId: to }])
  t.same(await data.waveforms.find(), [{ trackId: to, peaks: from }])
  t.same((await cuePointsByTrack(data, rules)).cuePoints, {
    [to]: { gainDb: 4, startMs: 1500, endMs: 60_000 },
  })
  await deleteMeasurements(data, [to])
  t.same([await data.measurements.find(), await data.waveforms.find()], [[], []])
})

t.test('V3: cue points that are read again tell in which tracks they differ', async (t) => {
  const data = await openJsonData(await temporaryFolder(t))
  t.teardown(() => data.close())
  for (const trackId of ['a', 'b', 'c']) await data.measurements.put({ ...measured, trackId })
  const first = await cuePointsByTrack(data, rules)
  t.equal(await cuePointsByTrack(data, rules, first), first, 'nothing has changed')
  await data.measurements.put({ ...measured, trackId: 'a', lufs: -18 })
  await data.measurements.put({ ...measured, trackId: 'd' })
  await deleteMeasurements(data, ['b'])
  const second = await cuePointsByTrack(data, rules, first)
  t.same([...cuePointsChanged(first.cuePoints, second.cuePoints)!].sort(), ['a', 'b', 'd'])
  t.equal(second.cuePoints.c, first.cuePoints.c, 'the same object')
  t.same(await cuePointsByTrack(data, rules), second, 'they are those that a first reading gives')
  t.equal(cuePointsChanged(second.cuePoints, first.cuePoints), null, 'the way back is not known')
})
