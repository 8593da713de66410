import t from 'tap'
import { dayThenNight, pass, refusal } from '../../../../tests/harness/air/night-station.ts'
import { assertLegal, NOON, randomFrom, track } from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  add,
  free,
  queueStation,
  SECOND,
  titles,
} from '../../../../tests/harness/air/queue-station.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { lockOf, shownQueue } from './projection.ts'

const move = (state: PlayoutState, from: number, to: number, nowMs = NOON) => {
  const entryId = shownQueue(state)[from - 1]?.entryId ?? 'gone'
  return apply(state, { type: 'move-entry', entryId, from, to }, nowMs)
}

/** Two donated tracks, three requested ones, then the generated ones. */
function mixed(): PlayoutState {
  let state = free()
  for (const name of ['p', 'q']) state = accepted(state, add(track(name), 'donated'))
  for (const name of ['x', 'y', 'z']) state = accepted(state, add(track(name)))
  return state
}

t.test('A11a: an entry stands where it was moved to, and all others keep their order', async (t) => {
  const start = mixed()
  t.same(titles(move(start, 3, 5).state, 5), ['p', 'q', 'y', 'z', 'x'])
  t.same(titles(move(start, 5, 3).state, 5), ['p', 'q', 'z', 'x', 'y'])
  const { state, outcome, effects } = move(start, 5, 4)
  t.match(outcome, { ok: true, track: { title: 'z' } })
  t.same(effects, [])
  assertLegal(t, state, NOON)
})

t.test('A11b: an entry passes only entries of its own kind', async (t) => {
  const start = mixed()
  for (const [from, to] of [
    [3, 2],
    [3, 1],
    [5, 6],
    [6, 5],
    [8, 1],
  ] as const)
    t.match(refusal(move(start, from, to).outcome), { reason: 'place' }, `${from} → ${to}`)
  for (const [from, to] of [
    [1, 2],
    [2, 1],
  ] as const)
    t.match(refusal(move(start, from, to).outcome), { reason: from === 1 ? 'locked' : 'donated' })
})

t.test('A11c: what cannot be moved is refused with the first reason', async (t) => {
  const start = queueStation()
  const moved = move(start, 3, 2).state
  t.match(refusal(move(moved, 3, 2, NOON + SECOND).outcome), { reason: 'cooldown', secsLeft: 29 })
  t.ok(move(moved, 3, 2, NOON + 30 * SECOND).outcome.ok)
  const entryId = shownQueue(start)[3]!.entryId
  const named = (from: number, to = 5) => apply(start, { type: 'move-entry', entryId, from, to }, NOON)
  t.match(refusal(named(3).outcome), { reason: 'moved' }, 'somebody else was quicker')
  const gone = { type: 'move-entry', entryId: 'gone', from: 4, to: 5 } as const
  t.match(refusal(apply(start, gone, NOON).outcome), { reason: 'not_found' })
  t.match(refusal(move(initialState(1, 'clock', dayThenNight, NOON), 1, 2).outcome), { reason: 'not_found' })
  t.match(refusal(move(start, 1, 3).outcome), { reason: 'locked' }, 'the next one')
  for (const to of [0, -1, 1.5, Number.NaN, 10_000])
    t.match(refusal(named(4, to).outcome), { reason: 'place' }, String(to))
  let last = free()
  while (last.playlist.index < last.playlist.entries.length - 4) last = pass(last, nextDueMs(last)!)
  t.match(refusal(move(last, 5, 3).outcome), { reason: 'place' }, 'of the prepared playlist')
  t.match(refusal(move(last, 3, 4).outcome), { reason: 'place' }, 'into the prepared playlist')

  let twice = free()
  for (const name of ['x', 'y', 'x', 'z']) twice = accepted(twice, add(track(name)))
  t.match(refusal(move(twice, 2, 4).outcome), { reason: 'duplicate_nearby' })
})

t.test('A11d: a refusal or a move to its own position changes nothing', async (t) => {
  const start = queueStation()
  t.equal(move(start, 4, 4).state, start)
  t.ok(move(start, 4, 4).outcome.ok)
  t.equal(move(start, 1, 3).state, start)
})

t.test('A11: whatever is moved, no entry is lost and no rule of the order is broken', async (t) => {
  let moves = 0
  for (let run = 0; run < 300; run++) {
    const random = randomFrom(run * 7_919 + 1)
    let state = free()
    for (let step = 0; step < 12; step++) {
      if (random(3) === 0) {
        const order = add(track(`order ${step}`), random(2) ? 'donated' : 'requested')
        state = apply(state, order, NOON).state
        continue
      }
      const [from, to] = [1 + random(12), 1 + random(12)]
      const next = move(state, from, to)
      if (!next.outcome.ok) {
        t.equal(next.state, state)
        continue
      }
      moves++
      const [before, after] = [upcoming(state), upcoming(next.state)]
      const moved = before[from - 1]!
      if (after[to - 1] !== moved) t.fail('it stands elsewhere', { run, from, to })
      const others = (list: typeof before) => list.filter((entry) => entry !== moved)
      if (others(before).some((entry, i) => entry !== others(after)[i])) t.fail('another one moved', { run })
      const kinds = (list: typeof before) => list.map(({ orderType }) => orderType)
      t.same(kinds(after), kinds(before))
      if (from !== to && lockOf(state, moved.track.id)) t.fail('a locked track was moved', { run })
      state = next.state
    }
    assertLegal(t, state, NOON)
  }
  t.ok(moves > 500, `${moves} moves`)
})
