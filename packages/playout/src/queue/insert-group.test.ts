import type { Mode } from '@solstice/contracts'
import t from 'tap'
import { MINUTE, nightStation, pass, songs, switchTo } from '../../../../tests/harness/air/night-station.ts'
import {
  HOUR,
  NOON,
  onAir,
  ordered,
  playing,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { Command } from '../model/commands/commands.ts'
import { upcoming } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { apply } from '../step/apply.ts'
import { groupInsertCooldownSecsLeft } from './insert-group.ts'

const byArtist = [
  ...Array.from({ length: 5 }, (_, i) => track(`x${i}`, 'X')),
  track('y0', 'Y'),
  track('y1', 'y'),
  track('z', 'Z'),
]

const day = nightStation()
const group = (tracks = songs('day').slice(0, 3), mode: Mode = 'day'): Command => ({
  type: 'insert-group',
  mode,
  tracks,
})
/** The group with what is left of the track on air and the ten seconds that must remain, ms. */
const LENGTH_MS = 60_000 + 61_000 + 62_000 + 30_000 + 10_000

/** So long before the night, with half a minute left of the track on air. */
function beforeNight(leftMs: number): { state: PlayoutState; nowMs: number } {
  const state = pass(day, NOON + 10 * HOUR - 20 * MINUTE)
  const entry = { ...onAir(state)!, track: { ...onAir(state)!.track, durationMs: HOUR } }
  const nowMs = NOON + 10 * HOUR - leftMs
  return { state: { ...state, onAir: { phase: 'track', entry, startedAtMs: nowMs - HOUR + 30_000 } }, nowMs }
}

t.test('I1, I3: a group is refused for its reason, and changes nothing then', async (t) => {
  const inserted = apply(day, group(), NOON).state
  const { state: full, nowMs: fullMs } = beforeNight(LENGTH_MS - 1)
  const { state: fitting, nowMs: fittingMs } = beforeNight(LENGTH_MS)
  const cases: [PlayoutState, Command, number, object][] = [
    [inserted, group([], 'night'), NOON + 1_000, { reason: 'cooldown', secsLeft: 599 }],
    [day, group([], 'night'), NOON, { reason: 'wrong_mode' }],
    [day, group([]), NOON, { reason: 'empty' }],
    [
      apply(day, switchTo('night'), NOON).state,
      group(songs('night'), 'night'),
      NOON,
      { reason: 'preparing' },
    ],
    [full, group(), fullMs, { reason: 'no_time', minutesLeft: 3 }],
    [
      ordered(fitting, track('asked', 'x', 1_000), 'requested'),
      group(),
      fittingMs,
      { reason: 'no_time', minutesLeft: 3 },
    ],
    [
      apply(day, switchTo('night', NOON + 4 * MINUTE), NOON).state,
      group(),
      NOON,
      { reason: 'no_time', minutesLeft: 4 },
    ],
    [fitting, group(), NOON + 10 * HOUR + 1, { reason: 'no_time', minutesLeft: 0 }],
  ]
  for (const [state, command, nowMs, details] of cases) {
    t.same(apply(state, command, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_GROUP_INSERT_FAILED', details },
    })
  }
})

t.test('I3: a group that fits exactly before the night is accepted', async (t) => {
  const { state, nowMs } = beforeNight(LENGTH_MS)
  t.ok(apply(state, group(), nowMs).outcome.ok)
})

t.test('I3: without a night there is always time for a group', async (t) => {
  const { state, nowMs } = beforeNight(LENGTH_MS - 1)
  t.ok(apply({ ...state, nightMode: false }, group(), nowMs).outcome.ok)
})

t.test('I1: the cooldown lasts from one group to the next', async (t) => {
  const inserted = apply(day, group(), NOON).state
  t.equal(groupInsertCooldownSecsLeft(inserted, NOON + 1), 600)
  t.equal(groupInsertCooldownSecsLeft(inserted, NOON + 10 * MINUTE), 0)
  t.equal(groupInsertCooldownSecsLeft(day, NOON), 0)
})

const start = ordered(ordered(playing(tracks(20)), track('asked'), 'requested'), track('paid'), 'donated')
const { state: grouped, outcome } = apply(start, group(byArtist), NOON)
const block = upcoming(grouped).slice(2, 10)

t.test('I2: a group is a block behind the orders', async (t) => {
  const after = upcoming(grouped)
  t.same([...after.slice(0, 2), ...after.slice(10)], upcoming(start))
  t.same(outcome, { ok: true, inserted: block.map((entry) => entry.track.id) })
  t.same(
    block.map((entry) => entry.orderType),
    Array(8).fill(null),
  )
  t.same(block.map((entry) => entry.track.id).sort(), byArtist.map(({ id }) => id).sort())
})

t.test('I4: the block is balanced by artist', async (t) => {
  const artists = block.map((entry) => entry.track.artist.toUpperCase())
  t.same(artists.filter((_, i) => i % 2 === 0).slice(0, 4), ['X', 'X', 'X', 'X'])
  t.notOk(artists.slice(0, 6).some((artist, i) => artist === artists[i + 1]))
})

t.test('I4: the same seed gives the same order', async (t) => {
  t.same(apply(start, group(byArtist), NOON).state, grouped)
})

t.test('L4b: a group outlives a change of the library', async (t) => {
  const small = apply(playing([track('a'), track('b')]), group(byArtist), NOON).state
  const changed = apply(small, { type: 'library-changed' }, NOON).state
  t.equal(upcoming(changed).slice(0, 8).length, 8)
})
