import t from 'tap'
import { MINUTE, refusal, release } from '../../../../tests/harness/air/night-station.ts'
import { alwaysDay, library, NOON, onAir, playing, track } from '../../../../tests/harness/air/programme.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

const five = ['a', 'b', 'c', 'd', 'e'].map((name) => track(name))

/** A track that is neither on air nor next. */
function removable(state: PlayoutState): string {
  return upcoming(state).find((entry) => !lockOf(state, entry.track.id))!.track.id
}

t.test('K2b, K2c: a track to be removed leaves all lists, and what was shown of it is counted', async (t) => {
  const start = playing(five)
  const gone = removable(start)
  const everywhere = [start.playlist, ...Object.values(start.prepared)].flatMap((list) => list.entries)
  t.ok(everywhere.filter((entry) => entry.track.id === gone).length > 1)
  const shown = shownQueue(start).filter((entry) => entry.track.id === gone).length
  const { state, outcome } = apply(start, release(gone), NOON)
  t.same(outcome, { ok: true, removed: shown }, 'what is not shown yet is not counted')
  t.notOk(upcoming(state).some((entry) => entry.track.id === gone))
  t.equal(onAir(state), onAir(start))
})

t.test('K2b: neither a playlist nor a group takes up a withheld track', async (t) => {
  const start = playing(five)
  const gone = removable(start)
  const { state } = apply(start, release(gone), NOON)
  const again = apply(state, { type: 'library-changed' }, NOON + 1).state
  const remade = learn(again, library(five), NOON + 2).state
  t.ok(upcoming(remade).length > 0)
  t.notOk(
    upcoming(remade).some((entry) => entry.track.id === gone),
    'a list made meanwhile does without',
  )
  const grouped = apply(
    remade,
    { type: 'insert-group', mode: 'day', tracks: five.filter(({ id }) => id === gone) },
    NOON + 3,
  )
  t.same(refusal(grouped.outcome), { reason: 'empty' }, 'and so does a group')
})

t.test('K2b: what was played stays in its place', async (t) => {
  const start = playing(five)
  const { state } = apply(start, release(removable(start)), NOON)
  const played = advance(state, nextDueMs(state)!).state
  const history = apply(played, release(played.playlist.entries[0]!.track.id), NOON)
  t.ok(history.outcome.ok)
  t.equal(history.state.playlist.entries[0], played.playlist.entries[0], 'what was played stays in its place')
})

t.test('K3: a hold ends by itself after a minute', async (t) => {
  const start = playing(five)
  const { state } = apply(start, release(removable(start)), NOON)
  t.same(advance(state, NOON + 59_999).state.withheld.length, 1)
  t.same(advance(state, NOON + 60_000).state.withheld, [])
})

t.test('K3: a list that is empty for want of a withheld track is made again', async (t) => {
  const waiting = apply(initialState(1, 'clock', alwaysDay, NOON), release('day/only.mp3'), NOON).state
  const silent = learn(waiting, library([track('only')]), NOON + 1).state
  t.equal(silent.onAir.phase, 'preparing')
  const free = advance(silent, NOON + MINUTE).state
  t.same(wantedPlaylists(free), ['day'], 'nobody came back: the list is made anew')
  t.equal(learn(free, library([track('only')]), NOON + MINUTE + 1).state.onAir.phase, 'track')
})
