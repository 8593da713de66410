import t from 'tap'
import { MINUTE, refusal, release } from '../../../../tests/harness/air/night-station.ts'
import { alwaysDay, library, NOON, onAir, playing, track } from '../../../../tests/harness/air/programme.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

t.test('K2, K3: a track to be removed leaves all lists and is withheld, for a minute at most', async (t) => {
  const start = playing([track('a'), track('b'), track('c'), track('d'), track('e')])
  const gone = [...upcoming(start)].find((entry) => !lockOf(start, entry.track.id))!.track.id
  const everywhere = [start.playlist, ...Object.values(start.prepared)].flatMap((list) => list.entries)
  t.ok(everywhere.filter((entry) => entry.track.id === gone).length > 1)
  const shown = shownQueue(start).filter((entry) => entry.track.id === gone).length
  const { state, outcome } = apply(start, release(gone), NOON)
  t.same(outcome, { ok: true, removed: shown }, 'what is not shown yet is not counted')
  t.notOk(upcoming(state).some((entry) => entry.track.id === gone))
  t.equal(onAir(state), onAir(start))

  const again = apply(state, { type: 'library-changed' }, NOON + 1).state
  const all5 = ['a', 'b', 'c', 'd', 'e'].map((name) => track(name))
  const remade = learn(again, library(all5), NOON + 2).state
  t.ok(upcoming(remade).length > 0)
  t.notOk(
    upcoming(remade).some((entry) => entry.track.id === gone),
    'a list made meanwhile does without',
  )
  const grouped = apply(
    remade,
    { type: 'insert-group', mode: 'day', tracks: all5.filter(({ id }) => id === gone) },
    NOON + 3,
  )
  t.same(refusal(grouped.outcome), { reason: 'empty' }, 'and so does a group')

  const played = advance(state, nextDueMs(state)!).state
  const history = apply(played, release(played.playlist.entries[0]!.track.id), NOON)
  t.ok(history.outcome.ok)
  t.equal(history.state.playlist.entries[0], played.playlist.entries[0], 'what was played stays in its place')

  t.same(advance(remade, NOON + 59_999).state.withheld.length, 1)
  t.same(advance(remade, NOON + 60_000).state.withheld, [])

  const waiting = apply(initialState(1, 'clock', alwaysDay, NOON), release('day/only.mp3'), NOON).state
  const silent = learn(waiting, library([track('only')]), NOON + 1).state
  t.equal(silent.onAir.phase, 'preparing')
  const free = advance(silent, NOON + MINUTE).state
  t.same(wantedPlaylists(free), ['day'], 'nobody came back: the list is made anew')
  t.equal(learn(free, library([track('only')]), NOON + MINUTE + 1).state.onAir.phase, 'track')
})
