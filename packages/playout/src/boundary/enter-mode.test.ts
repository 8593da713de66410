import t from 'tap'
import { MINUTE, pass } from '../../../../tests/harness/air/night-station.ts'
import { HOUR, NOON, track } from '../../../../tests/harness/air/programme.ts'
import { accepted, ask, NIGHT, queueStation } from '../../../../tests/harness/air/queue-station.ts'
import {
  after,
  backgroundFact,
  chat,
  choose,
  music,
  pause,
  talkStation,
} from '../../../../tests/harness/air/talk-station.ts'
import type { Schedule } from '../index.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'

t.test('U5: when day begins after night nobody has asked, and nobody has to wait', async (t) => {
  const endless = { trackRequestCooldownMs: 100 * HOUR }
  const asked = accepted(queueStation(endless), ask('ann', track('one')))
  const night = pass(asked, NIGHT + 5 * MINUTE)
  t.match(night, { mode: 'night', trackRequests: [{ uid: 'ann' }], trackRequestCooldowns: [{ uid: 'ann' }] })
  const ended = advance(night, NOON + 16 * HOUR + 5 * MINUTE)
  t.match(ended.state, { mode: 'day', trackRequests: [], trackRequestCooldowns: [] })
  t.same(
    ended.effects.filter(({ type }) => type !== 'played'),
    [{ type: 'track-requests-changed', trackRequests: [] }],
    'without results',
  )
  const switched = apply(night, { type: 'switch-mode', target: 'day', atMs: null }, NIGHT + 5 * MINUTE)
  t.same(switched.state.trackRequestCooldowns, [])
  t.same(switched.effects, [{ type: 'track-requests-changed', trackRequests: [] }], 'by hand, too')
})

t.test('O5 the choice is forgotten when the mode changes', async (t) => {
  const schedule: Schedule = { natural: 'day', changes: [{ atMs: NOON + 10 * MINUTE, mode: 'night' }] }
  const both = [music('a')]
  const chosen = after(talkStation(schedule, backgroundFact(both, 'hosts', both)), choose('a'), NOON)
  const talking = after(chosen, pause(), NOON)
  t.match(chat(talking).background.clip, { id: 'a' })
  const night = advance(talking, NOON + 10 * MINUTE).state
  t.match(night, {
    mode: 'night',
    backgroundChoice: null,
    onAir: { phase: 'chat', background: { clip: null } },
  })
})
