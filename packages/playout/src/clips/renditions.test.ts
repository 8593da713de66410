import t from 'tap'
import { NOON, playing, track, tracks } from '../../../../tests/harness/air/programme.ts'
import {
  advance,
  apply,
  type Command,
  learn,
  nextDueMs,
  projectAir,
  projectSync,
  type Rendition,
  soundStartMs,
  withRenditions,
} from '../index.ts'

const rendition: Rendition = { gainDb: -4.5, startMs: 3_000, endMs: 50_000 }
const clip = { id: 'p', media: 'phrases/day/p.mp3', durationMs: 3_000 }

t.test('V1, V3: sync carries the gain of what was measured before it began', async (t) => {
  const songs = tracks(12)
  const plain = playing(songs)
  const ids = plain.list.entries.map((entry) => entry.entryId)
  const renditions = Object.fromEntries(songs.map(({ id }) => [id, rendition]))
  const { state, effects } = learn(plain, { type: 'renditions', renditions }, NOON + 1000)
  t.same(effects, [])
  t.same(
    state.list.entries.map((entry) => entry.entryId),
    ids,
    'the queue is what it was',
  )
  t.equal(state.onAir, plain.onAir)
  t.notOk('gainDb' in projectSync(state, NOON + 2000), 'what is on air is not touched')
  t.equal(learn(state, { type: 'renditions', renditions }, NOON + 2000).state, state, 'twice is once')

  const endMs = nextDueMs(state)!
  const next = projectSync(state, endMs)
  t.equal(next.gainDb, -4.5)
  t.equal(next.seek, 0, 'browsers play the whole file')
  t.ok(nextDueMs(advance(state, endMs).state)! - endMs >= 60_000, 'to its end')

  const unheard = learn(state, { type: 'renditions', renditions: {} }, NOON + 2000).state
  t.notOk('gainDb' in projectSync(unheard, endMs), 'what is not known any more is forgotten')
  const asItIs = Object.fromEntries(songs.map(({ id }) => [id, { ...rendition, gainDb: null }]))
  const off = learn(state, { type: 'renditions', renditions: asItIs }, NOON + 2000).state
  t.notOk('gainDb' in projectSync(off, endMs))
})

t.test(
  'V3: a song that is asked for is played as it was measured, and nothing else is looked at',
  async (t) => {
    const song = track('wanted')
    const state = playing(tracks(12))
    const order = { track: song, mode: 'day', orderType: 'lastinline', tier: null } as const
    const known = withRenditions({ type: 'add-song', ...order }, { [song.id]: rendition })
    const { list } = apply(state, known, NOON + 1000).state
    t.same(list.entries[1]?.track.rendition, rendition)
    t.ok(list.entries.slice(2).every((entry, i) => entry === state.list.entries[i + 1]))

    const group: Command = { type: 'insert-group', mode: 'day', tracks: [song, track('other')] }
    const given = withRenditions(group, { [song.id]: rendition })
    t.match(given, { tracks: [{ rendition }, track('other')] })
    t.equal(withRenditions({ type: 'skip' }, {}).type, 'skip')
  },
)

t.test('V3: tracks with other tags are played as before', async (t) => {
  const song = { ...track('a'), rendition }
  const state = playing([song, ...tracks(10)])
  const settled = [{ trackId: song.id, track: { ...track('a'), title: 'Another' } }]
  const { list, prepared } = apply(state, { type: 'library-changed', settled }, NOON + 1000).state
  t.match(prepared, { day: { isStale: true } })
  t.match(
    list.entries.filter((entry) => entry.track.id === song.id),
    [{ track: { title: 'Another', rendition } }],
  )
})

t.test('V2: in stream mode a track begins at the position of its first sound', async (t) => {
  const songs = tracks(12).map((song) => ({ ...song, rendition }))
  const state = playing(songs, 'sound')
  const seen = projectSync(state, NOON)
  t.equal(seen.seek, 3)
  t.notOk('gainDb' in seen, 'the gain is in the sound')
  const plan = projectAir(state, NOON)
  t.equal(plan.current?.positionMs, 3_000)
  t.equal(soundStartMs(state), NOON)
  t.equal(projectAir(state, NOON - 1).current, null, 'nothing of it is heard before')

  const entryId = state.onAir.phase === 'track' ? state.onAir.entry.entryId : ''
  const ended = learn(state, { type: 'sound-ended', entryId }, NOON + 47_000)
  t.match(ended.effects, [{ type: 'played', startedAtMs: NOON + 47_000 }], 'the log has the moment')
  t.equal(projectAir(ended.state, NOON + 47_000).current?.positionMs, 3_000)
})

t.test('P1: a phrase begins before the last sound of a song, not before the silence behind it', async (t) => {
  const songs = tracks(12).map((song) => ({ ...song, rendition }))
  const usable = { day: [clip], night: [] }
  const initial = playing(songs, 'sound')
  const clips = { ...initial.clips, phrases: { usable, offsetMs: 15_000 } }
  const told = learn(initial, { type: 'clips', clips }, NOON).state
  const entryId = told.onAir.phase === 'track' ? told.onAir.entry.entryId : ''
  const { state } = learn(told, { type: 'sound-ended', entryId }, NOON + 47_000)
  t.equal(projectAir(state, NOON + 48_000).current?.phrase?.fromMs, 35_000)
})
