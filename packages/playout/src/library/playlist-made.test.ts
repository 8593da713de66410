import t from 'tap'
import {
  alwaysDay,
  library,
  NOON,
  onAir,
  ordered,
  playing,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { projectSync } from '../project/sync.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

t.test('L3: without anything to play the air is preparing, and the first track starts it', async (t) => {
  const empty = learn(initialState(1, 'clock', alwaysDay, NOON), library([]), NOON).state
  t.match(projectSync(empty, NOON + 5000), {
    track: null,
    isPreparing: true,
    isPlaying: false,
    playlist: [],
    title: '',
    mode: 'day',
  })
  t.same(wantedPlaylists(empty), [], 'nobody reads an empty library again and again')
  const changed = apply(empty, { type: 'library-changed' }, NOON + 6000).state
  t.same(wantedPlaylists(changed), ['day'])
  const started = learn(changed, library([track('only')]), NOON + 6100)
  t.match(started.state.onAir, { phase: 'track', startedAtMs: NOON + 6100 })
  t.equal(started.effects.length, 1)
})

t.test(
  'L4: a list that is made anew holds its place until then, and gives way soon if it began meanwhile',
  async (t) => {
    const large = playing(tracks(30), 'sound')
    const last = { ...large.playlist, index: 29 }
    const entry = last.entries[29]!
    const end = { ...large, playlist: last, onAir: { ...large.onAir, entry } } as PlayoutState
    const changed = apply(end, { type: 'library-changed' }, NOON).state
    t.same(shownQueue(changed), shownQueue(end))
    t.equal(lockOf(changed, upcoming(end)[0]!.track.id), 'next')

    const begun = learn(changed, { type: 'sound-ended', entryId: entry.entryId }, NOON + 9_000)
    t.match(begun.effects, [{ type: 'played' }], 'nobody waits for a store that is away')
    t.equal(onAir(begun.state)?.entryId, end.prepared.day!.entries[0]!.entryId)
    t.same(wantedPlaylists(begun.state), ['day'])
    const paid = ordered(begun.state, track('paid'), 'donated')
    const informed = learn(paid, library(tracks(40)), NOON + 10_000).state
    t.same(wantedPlaylists(informed), [])
    t.match(upcoming(informed).slice(0, 1), [{ orderType: 'donated' }])
    t.equal(upcoming(informed).length, 1 + 40, 'what was generated gives way')
    t.equal(onAir(informed)?.entryId, onAir(begun.state)?.entryId)
    const again = apply(informed, { type: 'settings-changed' }, NOON + 11_000).state
    const renewed = learn(again, library(tracks(40)), NOON + 12_000).state
    t.same(renewed.playlist, informed.playlist, 'a list that is not stale stays')
    t.notSame(upcoming(renewed), upcoming(informed))
  },
)
