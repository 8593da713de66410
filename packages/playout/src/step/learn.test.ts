import t from 'tap'
import { NOON, onAir, playing, tracks } from '../../../../tests/harness/air/programme.ts'
import { upcoming } from '../model/playlists.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'

t.test(
  'T4: what cannot be decoded gives way at once, leaves the queue, and comes back with the library',
  async (t) => {
    const start = playing(tracks(12), 'sound')
    const bad = onAir(start)!
    const next = upcoming(start)[0]!
    const given = learn(start, { type: 'unplayable', entryId: bad.entryId }, NOON + 1000)
    t.equal(onAir(given.state)?.entryId, next.entryId)
    t.notOk(upcoming(given.state).some((entry) => entry.track.id === bad.track.id))
    t.match(given.effects[0], { type: 'track-unplayable', track: { id: bad.track.id } })

    const later = upcoming(given.state)[3]!
    const dropped = learn(given.state, { type: 'unplayable', entryId: later.entryId }, NOON + 2000).state
    t.equal(onAir(dropped)?.entryId, next.entryId, 'further back it only leaves the queue')
    t.notOk(upcoming(dropped).some((entry) => entry.track.id === later.track.id))
    t.same(dropped.unplayable, [bad.track.id, later.track.id])

    const known = apply(dropped, { type: 'library-changed' }, NOON + 3000).state
    t.same(known.unplayable, [])
  },
)

t.test('T4: of what cannot be decoded the last hundred are known, each once', async (t) => {
  let state = playing(tracks(150), 'sound')
  const bad: string[] = []
  while (bad.length < 120) {
    const entry = onAir(state)!
    bad.push(entry.track.id)
    state = learn(state, { type: 'unplayable', entryId: entry.entryId }, NOON + bad.length).state
  }
  t.same(state.unplayable, bad.slice(-100))
  const again = { ...state, unplayable: [onAir(state)!.track.id, 'another'] }
  const twice = learn(again, { type: 'unplayable', entryId: onAir(state)!.entryId }, NOON + 200).state
  t.same(twice.unplayable, ['another', onAir(state)!.track.id])
})
