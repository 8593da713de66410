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

const names = ['first', 'heard', 'mute', 'hush', 'next', 'measured', 'last']
const songs = names.map((name) => track(name))
songs[5] = { ...songs[5]!, cuePoints: { gainDb: -3, startMs: 0, endMs: null } }
const AT = NOON + 8000

const blank = (state: PlayoutState, wasHeard: boolean) =>
  learn(state, { type: 'blank', entryId: onAir(state)!.entryId, wasHeard }, AT).state
const played = (state: PlayoutState) => blank(state, true)
const unheard = (state: PlayoutState) => blank(state, false)
const titleOnAir = (state: PlayoutState) => onAir(state)?.track.title

/** The track `mute` is on air, after two that were heard. */
const mute = played(played(withQueue(songs)))
/** The track `hush` is on air, after one that gave no sound. */
const hush = unheard(mute)
/** Two in a row gave no sound. */
const safe = unheard(hush)

t.test('T6e: a track whose sound was heard is over when it falls silent', async (t) => {
  const first = withQueue(songs)
  t.same(
    learn(first, { type: 'blank', entryId: onAir(first)!.entryId, wasHeard: true }, AT),
    learn(first, { type: 'sound-ended', entryId: onAir(first)!.entryId }, AT),
  )
  t.equal(titleOnAir(mute), 'mute')
})

t.test('T6f: a track that gave no sound at all is as good as undecodable', async (t) => {
  t.equal(titleOnAir(hush), 'hush')
  t.same(hush.unplayable, [songs[2]!.id])
  const undecodable = learn(mute, { type: 'unplayable', entryId: onAir(mute)!.entryId }, AT)
  t.same(hush, undecodable.state, 'one alone is only left')
})

t.test('T6g: after two in a row the one that was heard longest ago comes again', async (t) => {
  t.equal(titleOnAir(safe), 'first')
  assertLegal(t, safe, AT)
  t.equal(safe.serial, hush.serial + 1)
  t.equal(titleOnAir(unheard(safe)), 'heard')
})

t.test('T6e: the playlist goes on after a track that was heard', async (t) => {
  t.equal(titleOnAir(played(safe)), 'next')
  t.equal(titleOnAir(played(hush)), 'next')
  t.equal(titleOnAir(unheard(played(hush))), 'measured')
})

t.test('T6h: where nothing was heard yet the next one that was measured goes first', async (t) => {
  const begun = unheard(unheard(withQueue(songs.slice(2))))
  t.equal(titleOnAir(begun), 'measured')
  t.same(
    upcoming(begun).map((entry) => entry.track.title),
    ['next', 'last'],
    'it keeps its place in the count',
  )
  const unknown = unheard(unheard(withQueue([songs[2]!, songs[3]!, songs[4]!])))
  t.equal(titleOnAir(unknown), 'next')
})

t.test('T6: what is not on air is not left', async (t) => {
  t.equal(learn(safe, { type: 'blank', entryId: 'none', wasHeard: false }, AT).state, safe)
})
