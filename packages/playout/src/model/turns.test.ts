import t from 'tap'
import {
  after,
  connect,
  enter,
  goLive,
  hostingStation,
  leave,
  MINUTE,
  setCode,
} from '../../../../tests/harness/air/live-station.ts'
import { HOUR, library, NOON, playing, tracks } from '../../../../tests/harness/air/programme.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { resume } from '../step/resume.ts'
import { liveSinceMs } from './turns.ts'

t.test('C3: a show that comes and goes stays known, whoever it began with', async (t) => {
  const began = after(hostingStation(), [goLive('ann')])
  const joined = after(began, [goLive('bob')], NOON + MINUTE)
  const left = after(joined, [leave('ann')], NOON + 2 * MINUTE)
  t.equal(liveSinceMs(left), NOON)
  const over = after(left, [leave('bob')], NOON + 3 * MINUTE)
  const again = after(over, [goLive('ann'), leave('ann')], NOON + 4 * MINUTE)
  t.same(
    again.turns?.map(({ atMs, liveSinceMs }) => [atMs - NOON, liveSinceMs && liveSinceMs - NOON]),
    [
      [0, 0],
      [3 * MINUTE, null],
      [4 * MINUTE, 4 * MINUTE],
      [4 * MINUTE, null],
    ],
  )
  const taken = apply(began, goLive('ann', 'account of ann', true), NOON + MINUTE).state
  t.equal(taken.turns?.length, 1, 'the same person from another place')
})

t.test('C3: so does one that ends because nobody may stay, and a show before there were turns', async (t) => {
  const { turns: _, ...former } = after(hostingStation(), [
    goLive('ann'),
    setCode('abcdefghijkl'),
    enter('sue', 'abcdefghijkl'),
    connect('sue'),
  ])
  const off = { type: 'hosting', hosting: { ...former.hosting, isOn: false } } as const
  const { state } = learn(former, off, NOON + MINUTE)
  t.match(state.turns, [{ atMs: NOON + MINUTE, liveSinceMs: null }])
})

t.test('C3: a mode has its moment, also when time passes in one leap', async (t) => {
  const start = playing(tracks(20), 'clock', {
    natural: 'day',
    changes: [
      { atMs: NOON + 10 * MINUTE, mode: 'night' },
      { atMs: NOON + 20 * MINUTE, mode: 'day' },
    ],
  })
  const ready = learn(start, library(tracks(20), 'night'), NOON).state
  t.equal(ready.turns, undefined)
  const passed = advance(ready, NOON + HOUR).state
  t.same(
    passed.turns?.map(({ mode }) => mode),
    ['night', 'day'],
  )
  const [night, day] = passed.turns!
  t.ok(night!.atMs >= NOON + 10 * MINUTE && night!.atMs < day!.atMs && day!.atMs >= NOON + 20 * MINUTE)
  const halfway = advance(advance(ready, night!.atMs + 1).state, NOON + HOUR).state
  t.same(halfway.turns, passed.turns)
})

t.test('C3: what fell due while no worker was there is no turn, and the last thirty are kept', async (t) => {
  const start = playing(tracks(20), 'sound', {
    natural: 'day',
    changes: [
      { atMs: NOON + HOUR, mode: 'night' },
      { atMs: NOON + 2 * HOUR, mode: 'day' },
      { atMs: NOON + 3 * HOUR, mode: 'night' },
    ],
  })
  t.same(resume(start, NOON, NOON + 2.5 * HOUR).state.turns ?? [], [])
  const late = NOON + 3.5 * HOUR
  t.same(resume(start, NOON, late).state.turns, [{ atMs: late, mode: 'night', liveSinceMs: null }])
  let state = hostingStation()
  for (let i = 0; i < 40; i++) state = after(state, [goLive('ann'), leave('ann')], NOON + i)
  t.equal(state.turns?.length, 30)
  t.equal(state.turns?.at(-1)?.atMs, NOON + 39)
})
