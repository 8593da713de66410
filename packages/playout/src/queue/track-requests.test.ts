import t from 'tap'
import { MINUTE, pass, refusal } from '../../../../tests/harness/air/night-station.ts'
import { HOUR, NOON, track } from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  ask,
  decide,
  free,
  NIGHT,
  queueStation,
} from '../../../../tests/harness/air/queue-station.ts'
import type { Command } from '../model/commands/commands.ts'
import { upcoming } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { trackRequestCooldownSecsLeft } from './track-requests.ts'

t.test('U1: a request is taken in for review', async (t) => {
  const start = queueStation()
  const song = track('wish')
  const { state, outcome, effects } = apply(start, ask('ann', song), NOON)
  t.same(outcome, { ok: true, secsLeft: 300 })
  const request = { uid: 'ann', socketId: 'socket of ann', track: song, mode: 'day', addedAtMs: NOON }
  t.same(effects, [{ type: 'track-requests-changed', trackRequests: [request] }])
  t.same(upcoming(state), upcoming(start))
})

t.test('U2: the cooldown begins with the request', async (t) => {
  const state = accepted(queueStation(), ask('ann', track('wish')))
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 1), 300)
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 299_001), 1)
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 300_000), 0)
  t.equal(trackRequestCooldownSecsLeft(state, 'bob', NOON), 0)
})

t.test('U1: a request is refused for its reason, and changes nothing then', async (t) => {
  const song = track('wish')
  const start = queueStation()
  const state = accepted(start, ask('ann', song))
  const held = accepted(start, { type: 'release-track', trackId: song.id, purpose: 'remove' })
  const noCooldown = accepted(queueStation({ trackRequestExpiryMs: MINUTE }), ask('ann', song))
  const forEver = accepted(free(), ask('ann', song))
  let full = free()
  for (let i = 0; i < 100; i++) full = accepted(full, ask(`${i}`, song))
  const cases: [PlayoutState, Command, number, object][] = [
    [state, ask('ann', song, 'night'), NOON + 1_000, { reason: 'cooldown', secsLeft: 299 }],
    [noCooldown, ask('ann', song), NOON + 1_000, { reason: 'cooldown', secsLeft: 59 }],
    [forEver, ask('ann', song), NOON + HOUR, { reason: 'cooldown', secsLeft: 60 }],
    [full, ask('ann', song), NOON, { reason: 'cooldown', secsLeft: 60 }],
    [held, ask('ann', song, 'night'), NOON, { reason: 'not_found' }],
    [start, ask('ann', song, 'night'), NOON, { reason: 'wrong_mode' }],
  ]
  for (const [state, command, nowMs, details] of cases) {
    t.same(apply(state, command, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'SUGGESTION_REFUSED', details },
    })
  }
})

t.test('U2: the cooldown lasts whatever is decided', async (t) => {
  const song = track('wish')
  const state = accepted(queueStation(), ask('ann', song))
  const rejected = accepted(state, decide('ann', 'reject'), NOON + 1_000)
  t.same(
    refusal(apply(rejected, ask('ann', song), NOON + 2_000).outcome),
    { reason: 'cooldown', secsLeft: 298 },
    'whatever was decided',
  )
  const later = accepted(rejected, ask('ann', song), NOON + 300_000)
  t.same(later.trackRequestCooldowns, [{ uid: 'ann', sinceMs: NOON + 300_000 }], 'what is over is not kept')
})

t.test(
  'U3: a request that is added is queued, one that cannot be queued goes back, one that is rejected ends',
  async (t) => {
    const song = track('wish')
    const asked = accepted(accepted(queueStation(), ask('ann', song)), ask('bob', track('other')))
    const [ann, bob] = asked.trackRequests
    const added = apply(asked, decide('ann', 'add'), NOON + 1_000)
    t.same(added.outcome, { ok: true, track: song })
    t.same(added.effects, [
      { type: 'track-request-answered', trackRequest: ann, accepted: true, auto: false },
      { type: 'track-requests-changed', trackRequests: [bob] },
    ])
    t.match(upcoming(added.state)[0], { track: song, orderType: 'requested', tier: null })

    const refused = apply(added.state, decide('bob', 'add'), NOON + 2_000)
    t.same(refused.outcome, {
      ok: false,
      code: 'QUEUE_SUGGESTION_INJECT_FAILED',
      details: { reason: 'cooldown', secsLeft: 29 },
    })
    const returned = { ...bob!, addedAtMs: NOON + 2_000 }
    t.same(refused.effects, [{ type: 'track-requests-changed', trackRequests: [returned] }])
    t.same(refused.state.trackRequests, [returned], 'with a new expiry')
    t.same(upcoming(refused.state), upcoming(added.state))

    const rejected = apply(refused.state, decide('bob', 'reject'), NOON + 3_000)
    t.same(rejected.outcome, { ok: true, track: bob!.track })
    t.match(rejected.effects, [
      { type: 'track-request-answered', accepted: false, auto: false },
      { trackRequests: [] },
    ])
    for (const uid of ['bob', 'ann', 'nobody']) {
      t.same(apply(rejected.state, decide(uid, 'add'), NOON + HOUR), {
        state: rejected.state,
        effects: [],
        outcome: { ok: false, code: 'SUGGESTION_NOT_FOUND' },
      })
    }
  },
)

t.test('U3b: by night nobody can add what was asked for by day', async (t) => {
  const evening = pass(
    accepted(pass(free(), NIGHT - 1), ask('ann', track('wish')), NIGHT - 1),
    NIGHT + 5 * MINUTE,
  )
  t.same(
    refusal(apply(evening, decide('ann', 'add'), NIGHT + 5 * MINUTE).outcome),
    { reason: 'wrong_mode' },
    'by night nobody can add what was asked for by day',
  )
})

t.test('U4: a request that nobody decides on expires', async (t) => {
  const asked = accepted(
    accepted(queueStation(), ask('ann', track('one'))),
    ask('bob', track('two')),
    NOON + 10,
  )
  const [ann, bob] = asked.trackRequests
  t.same(advance(asked, NOON + 5 * MINUTE - 1).state.trackRequests, [ann, bob])
  const { state, effects } = advance(asked, NOON + 5 * MINUTE)
  t.same(state.trackRequests, [bob])
  const own = effects.filter(({ type }) => type !== 'played')
  t.same(own, [
    { type: 'track-request-answered', trackRequest: ann, accepted: false, auto: true },
    { type: 'track-requests-changed', trackRequests: [bob] },
  ])
  t.same(advance(state, NOON + 5 * MINUTE + 10).state.trackRequests, [])
})

t.test('U4: without an expiry a request waits for ever', async (t) => {
  t.equal(accepted(free(), ask('ann', track('one'))).trackRequests.length, 1)
  t.equal(
    advance(accepted(free(), ask('ann', track('one'))), NOON + HOUR).state.trackRequests.length,
    1,
    '0 is never',
  )
})

t.test('U4: a request for a deleted track ends at once', async (t) => {
  const asked = accepted(
    accepted(queueStation(), ask('ann', track('one'))),
    ask('bob', track('two')),
    NOON + 10,
  )
  const [ann, bob] = asked.trackRequests
  const settled = [
    { trackId: ann!.track.id, track: null },
    { trackId: bob!.track.id, track: { ...bob!.track, title: 'New' } },
  ]
  const changed = apply(asked, { type: 'library-changed', settled }, NOON + 20)
  t.match(changed.state.trackRequests, [{ uid: 'bob', track: { title: 'New' } }])
  t.match(changed.effects, [
    { type: 'track-request-answered', trackRequest: ann, accepted: false, auto: true },
    { type: 'track-requests-changed', trackRequests: changed.state.trackRequests },
  ])
  t.equal(changed.effects.length, 2)
  t.same(apply(asked, { type: 'library-changed' }, NOON + 20).effects, [])
})
