import t from 'tap'
import { assertLegal, NOON, playing, track } from '../../../../tests/harness/air/programme.ts'
import {
  after,
  goOn,
  MINUTE,
  nextId,
  order,
  pause,
  SECOND,
  song,
  talkStation,
} from '../../../../tests/harness/air/talk-station.ts'
import { apply, type Command, lockOf, projectSync } from '../index.ts'

t.test('O3 a talk is shown without artist, the queue stays, and nothing is skipped', async (t) => {
  const state = talkStation()
  const { entry } = song(state)
  const shown = projectSync(state, NOON + 20 * SECOND)
  const talking = after(state, pause(), NOON + 20 * SECOND)
  const { playlist, currentIndex, totalTracks, mode } = shown
  t.match(projectSync(talking, NOON + 40 * SECOND), {
    track: entry.track.id,
    title: 'Just chatting',
    artist: '',
    album: '',
    year: null,
    orderType: null,
    tier: null,
    duration: 0,
    seek: 0,
    isPlaying: true,
    isPreparing: false,
    playlist,
    currentIndex,
    totalTracks,
    mode,
  })
  t.match(apply(talking, { type: 'skip' }, NOON + MINUTE), { outcome: { ok: false, code: 'QUEUE_PAUSED' } })
  t.equal(lockOf(talking, entry.track.id), 'current')
  t.equal(lockOf(talking, nextId(state)!), 'next')
  const release: Command = { type: 'release-track', trackId: entry.track.id, purpose: 'remove' }
  t.match(apply(talking, release, NOON + MINUTE).outcome, { code: 'TRACK_LOCKED' })

  const asked = after(talking, order({ orderType: 'requested' }), NOON + MINUTE)
  t.equal(nextId(asked), track('ordered').id)
  const removed = after(talking, { type: 'remove-entry', position: 1 }, NOON + MINUTE)
  t.equal(nextId(removed), playlist[1]?.id)
  const renamed = { ...entry.track, title: 'renamed' }
  const settled = [{ trackId: renamed.id, track: renamed }]
  const changed = after(talking, { type: 'library-changed', settled }, NOON + MINUTE)
  t.equal(song(after(changed, goOn, NOON + MINUTE)).entry.track.title, 'renamed')
  assertLegal(t, changed, NOON + MINUTE)
})

t.test('in sync mode listeners learn how loud the track on air and the next one are to be', async (t) => {
  const gains: Record<string, number> = { quiet: 4, loud: -3 }
  const tracks = Object.entries(gains).map(([id, gainDb]) => ({
    ...track(id),
    cuePoints: { gainDb, startMs: 0, endMs: null },
  }))
  const shown = projectSync(playing(tracks), NOON)
  t.equal(shown.gainDb, gains[shown.title])
  t.equal(shown.nextGainDb, gains[shown.playlist[0]!.title])
  const names = Object.keys(projectSync(playing(tracks, 'sound'), NOON))
  t.same(
    names.filter((name) => /gain/i.test(name)),
    [],
    'else it is in the sound',
  )
})
