import t from 'tap'
import {
  library as libraryOf,
  NOON,
  playing,
  randomFrom,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import {
  advance,
  apply,
  type Command,
  type CuePoints,
  commandWithCuePoints,
  learn,
  nextDueMs,
  noteCuePoints,
  noteTracks,
  projectAir,
  projectSync,
  soundStartMs,
} from '../index.ts'
import { withCuePoints } from './cue-points.ts'

const measured: CuePoints = { gainDb: -4.5, startMs: 3_000, endMs: 50_000 }
const clip = { id: 'p', media: 'phrases/day/p.mp3', durationMs: 3_000 }

t.test('V1, V3: sync carries the gain of what was measured before it began', async (t) => {
  const songs = tracks(12)
  const plain = playing(songs)
  const ids = plain.playlist.entries.map((entry) => entry.entryId)
  const cuePoints = Object.fromEntries(songs.map(({ id }) => [id, measured]))
  const { state, effects } = learn(plain, { type: 'cue-points', cuePoints }, NOON + 1000)
  t.same(effects, [])
  t.same(
    state.playlist.entries.map((entry) => entry.entryId),
    ids,
    'the queue is what it was',
  )
  t.equal(state.onAir, plain.onAir)
  t.notOk('gainDb' in projectSync(state, NOON + 2000), 'what is on air is not touched')
  t.equal(learn(state, { type: 'cue-points', cuePoints }, NOON + 2000).state, state, 'twice is once')

  const endMs = nextDueMs(state)!
  const next = projectSync(state, endMs)
  t.equal(next.gainDb, -4.5)
  t.equal(next.seek, 0, 'browsers play the whole file')
  t.ok(nextDueMs(advance(state, endMs).state)! - endMs >= 60_000, 'to its end')

  const unheard = learn(state, { type: 'cue-points', cuePoints: {} }, NOON + 2000).state
  t.notOk('gainDb' in projectSync(unheard, endMs), 'what is not known any more is forgotten')
  const asItIs = Object.fromEntries(songs.map(({ id }) => [id, { ...measured, gainDb: null }]))
  const off = learn(state, { type: 'cue-points', cuePoints: asItIs }, NOON + 2000).state
  t.notOk('gainDb' in projectSync(off, endMs))
})

t.test(
  'V3: a song that is asked for is played as it was measured, and nothing else is looked at',
  async (t) => {
    const song = track('wanted')
    const state = playing(tracks(12))
    const order = { track: song, mode: 'day', orderType: 'requested', tier: null } as const
    const known = commandWithCuePoints({ type: 'add-song', ...order }, { [song.id]: measured })
    const { playlist } = apply(state, known, NOON + 1000).state
    t.same(playlist.entries[1]?.track.cuePoints, measured)
    t.ok(playlist.entries.slice(2).every((entry, i) => entry === state.playlist.entries[i + 1]))

    const group: Command = { type: 'insert-group', mode: 'day', tracks: [song, track('other')] }
    const given = commandWithCuePoints(group, { [song.id]: measured })
    t.match(given, { tracks: [{ cuePoints: measured }, track('other')] })
    t.equal(commandWithCuePoints({ type: 'skip' }, {}).type, 'skip')
  },
)

t.test('V3: whatever happens between, only changed cue points need to be looked for', async (t) => {
  for (let run = 1; run <= 12; run++) {
    const random = randomFrom(run)
    const songs = tracks(30, 1 + random(6))
    let told: Record<string, CuePoints> = {}
    let state = playing(songs)
    const inputs = [
      () => {
        const ids = songs.filter(() => random(5) === 0).map(({ id }) => id)
        const next = { ...told }
        for (const id of ids)
          if (random(4) === 0) delete next[id]
          else next[id] = { gainDb: -random(3), startMs: 0, endMs: null }
        const known = { ...next }
        if (random(4) > 0) noteCuePoints(told, known, new Set(ids))
        told = known
        const fact = { type: 'cue-points', cuePoints: known } as const
        const unnoted = learn(structuredClone(state), structuredClone(fact), NOON).state
        const { state: informed } = learn(state, fact, NOON)
        t.same(informed, unnoted, `run ${run}`)
        return informed
      },
      () => {
        const entryId = state.onAir.phase === 'track' ? state.onAir.entry.entryId : ''
        return learn(state, { type: 'sound-ended', entryId }, NOON).state
      },
      () => {
        const order = { mode: 'day', orderType: 'donated', tier: 1 } as const
        return apply(state, { type: 'add-song', track: songs[random(30)]!, ...order }, NOON).state
      },
      () => apply(state, { type: 'remove-entry', position: random(6) }, NOON).state,
      () => {
        const entryId = state.removed?.at(-1)?.entry.entryId ?? ''
        return apply(state, { type: 'restore-entry', entryId }, NOON).state
      },
      () => apply(state, { type: 'library-changed' }, NOON).state,
      () => {
        const library = songs.map((song) => withCuePoints(song, told[song.id]))
        noteTracks(library, told)
        return learn(state, libraryOf(library), NOON).state
      },
    ]
    for (let turn = 0; turn < 40; turn++) state = inputs[turn % 2 ? 0 : random(inputs.length)]!()
  }
})

t.test('V3: tracks with other tags are played as before', async (t) => {
  const song = { ...track('a'), cuePoints: measured }
  const state = playing([song, ...tracks(10)])
  const settled = [{ trackId: song.id, track: { ...track('a'), title: 'Another' } }]
  const { playlist, prepared } = apply(state, { type: 'library-changed', settled }, NOON + 1000).state
  t.match(prepared, { day: { isStale: true } })
  t.match(
    playlist.entries.filter((entry) => entry.track.id === song.id),
    [{ track: { title: 'Another', cuePoints: measured } }],
  )
})

t.test('V2: in stream mode a track begins at the position of its first sound', async (t) => {
  const songs = tracks(12).map((song) => ({ ...song, cuePoints: measured }))
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
  const songs = tracks(12).map((song) => ({ ...song, cuePoints: measured }))
  const usable = { day: [clip], night: [] }
  const initial = playing(songs, 'sound')
  const clips = { ...initial.clips, phrases: { usable, offsetMs: 15_000 } }
  const told = learn(initial, { type: 'clips', clips }, NOON).state
  const entryId = told.onAir.phase === 'track' ? told.onAir.entry.entryId : ''
  const { state } = learn(told, { type: 'sound-ended', entryId }, NOON + 47_000)
  t.equal(projectAir(state, NOON + 48_000).current?.phrase?.fromMs, 35_000)
})
