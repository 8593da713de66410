import t from 'tap'
import {
  alwaysDay,
  assertLegal,
  library,
  NOON,
  onAir,
  ordered,
  playing,
  randomFrom,
  toEnd,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import type { FactOf } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { projectSync } from '../project/sync.ts'
import { lockOf, shownQueue } from '../queue/projection.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { isCurrent, makePlaylist } from './playlist-made.ts'

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

t.test(
  'L3: a playlist made beforehand is the one that would be made now; else it is made again',
  async (t) => {
    const random = randomFrom(3)
    let counted = 0
    for (let run = 0; run < 200; run++) {
      const songs = tracks(8 + random(40), 4 + random(20))
      const seeded = { ...playing(songs, 'sound'), seed: run }
      const begun = apply(seeded, { type: 'library-changed' }, NOON).state
      const { entries } = begun.playlist
      const playlist = { ...begun.playlist, index: random(entries.length), isStale: random(2) === 0 }
      const entry = entries[playlist.index]!
      const asked = { ...begun, playlist, onAir: { ...begun.onAir, entry } } as PlayoutState
      const fact = { ...library(songs), mode: random(4) ? 'day' : 'night' } as FactOf<'library'>
      const made = toEnd(makePlaylist(asked, fact))

      const song = songs[random(songs.length)]!
      const order = { track: song, mode: 'day', orderType: 'donated', tier: null } as const
      const meanwhile: ((state: PlayoutState) => PlayoutState)[] = [
        (state) => state,
        (state) => apply(state, { type: 'add-song', ...order }, NOON).state,
        (state) => ordered(state, song, 'requested'),
        (state) => apply(state, { type: 'remove-entry', position: 1 + random(3) }, NOON).state,
        (state) => learn(state, { type: 'sound-ended', entryId: entry.entryId }, NOON + 1000).state,
        (state) => learn(state, { type: 'unplayable', entryId: entry.entryId }, NOON + 1000).state,
        (state) => apply(state, { type: 'release-track', trackId: song.id, purpose: 'remove' }, NOON).state,
        (state) => ({ ...state, seed: state.seed + random(2) }),
        (state) => learn(state, fact, NOON).state,
      ]
      const now = meanwhile[random(meanwhile.length)]!(asked)
      if (isCurrent(made, now, fact)) counted++
      const { state } = learn(now, { ...fact, made }, NOON + 2000)
      t.same(state, learn(now, fact, NOON + 2000).state)
      assertLegal(t, state, NOON + 2000)
    }
    t.ok(counted > 30 && counted < 170, `${counted} counted`)
  },
)
