import t from 'tap'
import { release } from '../../../../tests/harness/air/night-station.ts'
import {
  assertLegal,
  library,
  NOON,
  onAir,
  playing,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { projectSync } from '../project/sync.ts'
import { nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

t.test('K4a, K4b: a changed track is shown as it is now, and the running one keeps its end', async (t) => {
  const start = playing(tracks(14))
  const current = onAir(start)!.track
  const other = upcoming(start)[4]!.track
  const renamed = (of: typeof current) => ({ ...of, title: 'New', durationMs: 5_000 })
  const changed = apply(
    start,
    {
      type: 'library-changed',
      settled: [
        { trackId: current.id, track: renamed(current) },
        { trackId: other.id, track: renamed(other) },
      ],
    },
    NOON + 10_000,
  ).state
  t.match(projectSync(changed, NOON + 10_000), {
    title: 'New',
    duration: current.durationMs! / 1000,
    seek: 10,
  })
  t.equal(nextDueMs(changed), nextDueMs(start), 'the end of the running track does not move')
  t.match(upcoming(changed)[4]!.track, renamed(other))
  assertLegal(t, changed, NOON + 10_000)
})

t.test('K4b: an unknown end becomes known, but never lies in the past', async (t) => {
  const unknown = playing([track('a', 'x', null)])
  const learnt = (durationMs: number) => {
    const settled = [{ trackId: 'day/a.mp3', track: track('a', 'x', durationMs) }]
    return nextDueMs(apply(unknown, { type: 'library-changed', settled }, NOON + 100_000).state)
  }
  t.equal(learnt(200_000), NOON + 200_000, 'an end that was not known is known now')
  t.equal(learnt(20_000), NOON + 100_000, 'but lies never in the past')
})

t.test('K3: a hold ends when its track is settled', async (t) => {
  const start = playing(tracks(14))
  const other = upcoming(start)[4]!.track
  const released = apply(start, release(other.id), NOON).state
  const kept = apply(
    released,
    { type: 'library-changed', settled: [{ trackId: other.id, track: other }] },
    NOON + 1,
  ).state
  const lost = apply(
    released,
    { type: 'library-changed', settled: [{ trackId: other.id, track: null }] },
    NOON + 1,
  ).state
  t.same([kept.withheld, lost.withheld], [[], []], 'either way the hold ends')
})

t.test('K4c: a deleted track leaves the queue, and plays to its end on air', async (t) => {
  const start = playing(tracks(14))
  const current = onAir(start)!.track
  const other = upcoming(start)[4]!.track
  const without = apply(
    start,
    {
      type: 'library-changed',
      settled: [
        { trackId: other.id, track: null },
        { trackId: current.id, track: null },
      ],
    },
    NOON,
  ).state
  t.notOk(upcoming(without).some((entry) => [other.id, current.id].includes(entry.track.id)))
  t.equal(onAir(without), onAir(start), 'on air it plays to its end')
  t.same(wantedPlaylists(without), ['day'], 'L4: prepared lists are made anew')
})

t.test(
  'L4: a list that repeats a small library ends with the current entry when the library changes',
  async (t) => {
    const start = playing([track('a'), track('b')])
    const changed = apply(start, { type: 'library-changed' }, NOON + 1).state
    t.same(upcoming(changed), upcoming(start), 'nothing that is shown changes before there is another list')
    t.same(wantedPlaylists(changed), ['day'])
    const informed = learn(changed, library(tracks(30)), NOON + 2).state
    t.equal(upcoming(informed).length, 30)
    const otherwise = apply(start, { type: 'settings-changed' }, NOON + 1).state
    t.same(otherwise.playlist, start.playlist, 'it goes on when only settings change')
    t.same(upcoming(otherwise), upcoming(start))
    t.same(wantedPlaylists(otherwise), ['day'])
    const large = playing(tracks(30))
    t.equal(
      apply(large, { type: 'library-changed' }, NOON).state.playlist.entries.length,
      30,
      'a full list goes on',
    )
  },
)

t.test('K4a: playlists that share a track share it as it is now, so that it is saved once', async (t) => {
  const start = playing(tracks(14))
  const shared = upcoming(start)[4]!.track
  const entries = start.playlist.entries.map((entry, i) => ({ ...entry, entryId: `e${900 + i}` }))
  const both = { ...start, prepared: { night: { entries, repeats: false } } }
  const renamed = { ...shared, title: 'New' }
  const settled = [{ trackId: shared.id, track: renamed }]
  const { playlist, prepared } = apply(both, { type: 'library-changed', settled }, NOON).state
  const shown = [playlist, prepared.night!].map(
    (list) => list.entries.find(({ track }) => track.id === shared.id)!.track,
  )
  t.equal(shown[0]!.title, 'New')
  t.equal(shown[0], shown[1])
})
