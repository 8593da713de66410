import t from 'tap'
import { assertLegal, NOON, onAir, playing, track } from '../../../../tests/harness/air/programme.ts'
import { upcoming } from '../model/playlists.ts'
import type { PlayoutState, TrackRef } from '../model/state.ts'
import { learn } from '../step/learn.ts'

/** A list of just these songs, the first one on air, and an empty one behind it. */
function withQueue(songs: TrackRef[]): PlayoutState {
  const start = playing(songs, 'sound')
  const entries = songs.map((song, i) => ({ entryId: `q${i}`, track: song, orderType: null, tier: null }))
  return {
    ...start,
    onAir: { phase: 'track', entry: entries[0]!, startedAtMs: NOON },
    playlist: { entries, index: 0, repeats: false },
    prepared: { day: { entries: [], repeats: false } },
  }
}

t.test(
  'T6: what is silent is over, or as good as undecodable; after two of those comes what sounds',
  async (t) => {
    const names = ['first', 'heard', 'mute', 'hush', 'next', 'measured', 'last']
    const songs = names.map((name) => track(name))
    songs[5] = { ...songs[5]!, cuePoints: { gainDb: -3, startMs: 0, endMs: null } }
    const first = withQueue(songs)
    const silent = (state: PlayoutState, wasHeard: boolean) =>
      learn(state, { type: 'blank', entryId: onAir(state)!.entryId, wasHeard }, NOON + 8000)
    const played = (state: PlayoutState) => silent(state, true).state
    const unheard = (state: PlayoutState) => silent(state, false).state
    const isOnAir = (state: PlayoutState, name: string) => t.equal(onAir(state)?.track.title, name)

    const over = silent(first, true)
    t.same(over, learn(first, { type: 'sound-ended', entryId: onAir(first)!.entryId }, NOON + 8000))
    const mute = played(over.state)
    isOnAir(mute, 'mute')
    const hush = unheard(mute)
    isOnAir(hush, 'hush')
    t.same(hush.unplayable, [songs[2]!.id])
    t.same(
      hush,
      learn(mute, { type: 'unplayable', entryId: onAir(mute)!.entryId }, NOON + 8000).state,
      'one alone is only left',
    )
    const safe = unheard(hush)
    isOnAir(safe, 'first')
    assertLegal(t, safe, NOON + 8000)
    isOnAir(played(safe), 'next')
    t.equal(unheard(hush).serial, hush.serial + 1, 'the one that was heard longest ago comes again')
    isOnAir(unheard(safe), 'heard')
    isOnAir(played(hush), 'next')
    isOnAir(unheard(played(hush)), 'measured')

    const begun = unheard(unheard(withQueue(songs.slice(2))))
    isOnAir(begun, 'measured')
    t.same(
      upcoming(begun).map((entry) => entry.track.title),
      ['next', 'last'],
      'where nothing was heard yet the next one that was measured goes first, and keeps its place in the count',
    )
    const unknown = unheard(unheard(withQueue([songs[2]!, songs[3]!, songs[4]!])))
    isOnAir(unknown, 'next')
    t.equal(
      learn(begun, { type: 'blank', entryId: 'none', wasHeard: false }, NOON + 8000).state,
      begun,
      'what is not on air is not left',
    )
  },
)
