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

t.test('A7: a skip ends the track at that moment, in both modes', async (t) => {
  for (const pace of ['clock', 'sound'] as const) {
    const start = queueStation(queueLimits, pace)
    const current = onAir(start)!
    const [next] = upcoming(start)
    const nowMs = NOON + 20_000
    const { state, outcome, effects } = apply(start, skip, nowMs)
    t.same(outcome, { ok: true, track: current.track })
    t.match(effects, [{ type: 'played', track: next!.track, startedAtMs: nowMs }])
    t.equal(effects.length, 1)
    t.match(projectAir(state, nowMs).current, { entry: next, positionMs: 0 })
    t.match(projectSync(state, nowMs), {
      skipCooldownSecsLeft: 30,
      currentIndex: 1,
      totalTracks: 20,
      seek: 0,
    })
    t.equal(projectSync(state, nowMs + 29_001).skipCooldownSecsLeft, 1)
    t.equal(skipCooldownSecsLeft(state, nowMs - 300), 30, 'never more than the limit')
    t.same(apply(state, skip, nowMs + 1_000), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_SKIP_FAILED', details: { reason: 'cooldown', secsLeft: 29 } },
    })
    t.ok(apply(state, skip, nowMs + 30_000).outcome.ok)
    t.equal(
      learn(state, { type: 'sound-ended', entryId: current.entryId }, nowMs + 10).state,
      state,
      'the end of what was skipped ends nothing else',
    )
  }
  const silent = initialState(1, 'clock', dayThenNight, NOON)
  t.same(refusal(apply(silent, skip, NOON).outcome), { reason: 'not_found' })
  t.equal(projectSync(silent, NOON).skipCooldownSecsLeft, 0)

  const atMs = NOON + 10 * MINUTE
  const scheduled = accepted(free(), { type: 'switch-mode', target: 'night', atMs })
  const ordered = accepted(scheduled, add(track('paid'), 'donated'))
  const paid = accepted(advance(withLongTrack(ordered, NOON), atMs).state, skip, atMs)
  t.match(onAir(paid), { track: { title: 'paid' } })
  t.equal(accepted(paid, skip, atMs + 1).mode, 'night', 'S4: a boundary like any')
  t.equal(accepted(advance(free(), NIGHT + 1).state, skip, NIGHT + 1).mode, 'night', 'M1: as well')
})
