import t from 'tap'
import { MINUTE, pass, refusal } from '../../../../tests/harness/air/night-station.ts'
import {
  HOUR,
  library,
  NOON,
  onAir,
  playing,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import { accepted, add, free, NIGHT, withLongTrack } from '../../../../tests/harness/air/queue-station.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { Schedule } from '../model/state.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

const night: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NOON + 100_000, mode: 'night' },
    { atMs: NOON + 10 * HOUR, mode: 'day' },
  ],
}

t.test(
  'L2, L5: ten upcoming entries are always known, and the next list follows without a pause',
  async (t) => {
    let state = playing(tracks(14))
    const seen: string[] = []
    for (let i = 0; i < 40; i++) {
      t.equal(projectSync(state, nextDueMs(state)! - 1).playlist.length, 10)
      seen.push(onAir(state)!.track.id)
      const promised = upcoming(state)[0]!.entryId
      state = advance(state, nextDueMs(state)!).state
      t.equal(onAir(state)?.entryId, promised)
      state = withLists(state, () => tracks(14), NOON)
    }
    t.equal(new Set(seen.slice(0, 14)).size, 14, 'every track once per list')
  },
)

t.test('M1: night begins at the first track boundary after its hour, with its own list', async (t) => {
  const songs = [track('a', 'x', 90_000), track('b', 'y', 90_000), track('c', 'z', 90_000)]
  let state = learn(initialState(1, 'clock', night, NOON), library(songs), NOON).state
  t.same(wantedPlaylists(state).sort(), ['day', 'night'])
  state = learn(state, library([{ ...track('n'), id: 'night/n.mp3' }], 'night'), NOON).state
  const atHour = advance(state, NOON + 100_001).state
  t.equal(atHour.mode, 'day', 'the second track plays on')
  t.match(
    projectAir(atHour, NOON + 100_001).next,
    { track: { id: 'night/n.mp3' } },
    'and the first one of the night is known',
  )
  const after = advance(state, NOON + 180_000).state
  t.match(after, {
    mode: 'night',
    playlist: { index: 0 },
    onAir: { startedAtMs: NOON + 180_000, entry: { track: { id: 'night/n.mp3' } } },
  })
})

t.test('M2: an empty day gives way to the night at its hour', async (t) => {
  let state = learn(initialState(1, 'clock', night, NOON), library([]), NOON).state
  state = learn(state, library([track('n')], 'night'), NOON).state
  t.equal(state.onAir.phase, 'preparing')
  t.match(advance(state, NOON + 100_000).state, {
    mode: 'night',
    onAir: { phase: 'track', startedAtMs: NOON + 100_000 },
  })
})

t.test(
  'M1, S1, S4: what was paid for is heard in its mode, what was asked for is dropped with it',
  async (t) => {
    const evening = pass(free(), NIGHT - 3 * MINUTE)
    const nowMs = NIGHT - 3 * MINUTE
    let state = accepted(evening, add(track('asked', 'x', 10_000)), nowMs)
    state = accepted(state, add(track('paid', 'x', 60_000), 'donated'), nowMs)
    state = accepted(state, add(track('paid too', 'y', 10_000), 'donated'), nowMs)
    const refused = apply(state, { type: 'switch-mode', target: 'night', atMs: null }, nowMs).outcome
    t.same(refusal(refused), { reason: 'donated', donated: true, songs: 2 })

    state = withLongTrack(state, nowMs)
    const heard: string[] = []
    for (const afterMs of [0, 65_000, 75_000, 200_000]) {
      state = pass(state, nowMs + HOUR + afterMs)
      heard.push(`${state.mode} ${onAir(state)?.track.title}`)
    }
    t.same(heard.slice(0, 2), ['day paid', 'day paid too'])
    t.match(heard.slice(2), [/^night t/, /^night t/])
  },
)
