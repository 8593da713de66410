import t from 'tap'
import { dayThenNight, MINUTE, refusal } from '../../../../tests/harness/air/night-station.ts'
import { NOON, onAir, track } from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  add,
  free,
  NIGHT,
  queueLimits,
  queueStation,
  skip,
  withLongTrack,
} from '../../../../tests/harness/air/queue-station.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming } from '../model/playlists.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { skipCooldownSecsLeft } from './skip.ts'

const paces = ['clock', 'sound'] as const
const SKIPPED_AT = NOON + 20_000
const skipped = (pace: (typeof paces)[number]) => apply(queueStation(queueLimits, pace), skip, SKIPPED_AT)

t.test('A7a: a skip ends the track at that moment, in both modes', async (t) => {
  for (const pace of paces) {
    const start = queueStation(queueLimits, pace)
    const [next] = upcoming(start)
    const { state, outcome, effects } = skipped(pace)
    t.same(outcome, { ok: true, track: onAir(start)!.track })
    t.match(effects, [{ type: 'played', track: next!.track, startedAtMs: SKIPPED_AT }])
    t.equal(effects.length, 1)
    t.match(projectAir(state, SKIPPED_AT).current, { entry: next, positionMs: 0 })
    t.match(projectSync(state, SKIPPED_AT), { currentIndex: 1, totalTracks: 20, seek: 0 })
  }
})

t.test('A7b: the next skip waits for its cooldown, which is never longer than the limit', async (t) => {
  for (const pace of paces) {
    const { state } = skipped(pace)
    t.equal(projectSync(state, SKIPPED_AT).skipCooldownSecsLeft, 30)
    t.equal(projectSync(state, SKIPPED_AT + 29_001).skipCooldownSecsLeft, 1)
    t.equal(skipCooldownSecsLeft(state, SKIPPED_AT - 300), 30, 'never more than the limit')
    t.same(apply(state, skip, SKIPPED_AT + 1_000), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_SKIP_FAILED', details: { reason: 'cooldown', secsLeft: 29 } },
    })
    t.ok(apply(state, skip, SKIPPED_AT + 30_000).outcome.ok)
  }
})

t.test('A7a: the end of what was skipped ends nothing else', async (t) => {
  for (const pace of paces) {
    const { entryId } = onAir(queueStation(queueLimits, pace))!
    const { state } = skipped(pace)
    t.equal(learn(state, { type: 'sound-ended', entryId }, SKIPPED_AT + 10).state, state)
  }
})

t.test('A7b: where nothing is on air there is nothing to skip', async (t) => {
  const silent = initialState(1, 'clock', dayThenNight, NOON)
  t.same(refusal(apply(silent, skip, NOON).outcome), { reason: 'not_found' })
  t.equal(projectSync(silent, NOON).skipCooldownSecsLeft, 0)
})

t.test('A7a, S4, M1: the boundary that a skip makes changes the mode like any other', async (t) => {
  const atMs = NOON + 10 * MINUTE
  const scheduled = accepted(free(), { type: 'switch-mode', target: 'night', atMs })
  const ordered = accepted(scheduled, add(track('paid'), 'donated'))
  const paid = accepted(advance(withLongTrack(ordered, NOON), atMs).state, skip, atMs)
  t.match(onAir(paid), { track: { title: 'paid' } })
  t.equal(accepted(paid, skip, atMs + 1).mode, 'night', 'S4: a pending switch')
  t.equal(accepted(advance(free(), NIGHT + 1).state, skip, NIGHT + 1).mode, 'night', 'M1: the schedule')
})
