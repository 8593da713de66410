import type { Mode } from '@solstice/contracts'
import t from 'tap'
import { clip, clipStation, clips, withPhrases } from '../../../../tests/harness/air/clip-station.ts'
import { dayThenNight, nightStation, pass, songs } from '../../../../tests/harness/air/night-station.ts'
import {
  all,
  HOUR,
  NOON,
  noClips,
  ordered,
  playing,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import {
  advance,
  apply,
  type Expected,
  type ForecastOf,
  forecast,
  learn,
  MAX_FORECAST,
  type PlayoutState,
  type TrackRef,
  wantedPlaylists,
} from '../index.ts'

const library = { day: songs('day'), night: songs('night') }

/** The next hour of a station with the same settings by day and by night. */
const of = ({
  library: tracksOf = library,
  ...changes
}: Partial<ForecastOf & { library: Record<Mode, TrackRef[]> }> = {}): ForecastOf => ({
  settings: { day: all, night: all },
  *tracksOf(mode) {
    yield
    return tracksOf[mode]
  },
  clips: noClips,
  seed: 1,
  from: 'queue',
  untilMs: NOON + HOUR,
  ...changes,
})

const idsOf = (programme: Expected[]) =>
  programme.map((part) =>
    part.is === 'track' ? part.entry.track.id : part.is === 'jingle' ? part.clip.id : part.is,
  )

t.test('Q2a: the same seed gives the same forecast, another one another, and nothing changes', async (t) => {
  const state = playing(library.day)
  const before = structuredClone(state)
  const first = forecast(state, of({ from: 'list' }), NOON)
  t.same(forecast(state, of({ from: 'list' }), NOON), first)
  t.not(idsOf(forecast(state, of({ from: 'list', seed: 2 }), NOON)).join(), idsOf(first).join())
  t.same(state, before)
})

t.test('Q2b: in sync mode it is what is played then', async (t) => {
  const before = { ...nightStation({ natural: 'day', changes: [{ atMs: NOON + HOUR / 2, mode: 'night' }] }) }
  const expected = forecast(before, of({ seed: before.seed }), NOON)
  const heard: [string, number][] = []
  let state: PlayoutState = { ...before, prepared: {} }
  const limit = NOON + HOUR
  for (let atMs = NOON; atMs < limit; atMs += 1000) {
    const step = advance(state, atMs)
    state = step.state
    heard.push(
      ...step.effects.flatMap((effect): [string, number][] =>
        effect.type === 'played' ? [[effect.track.id, effect.startedAtMs]] : [],
      ),
    )
    // As late as the forecast makes them, so that the random choices come in the same order.
    const left = state.playlist.entries.length - 1 - state.playlist.index
    if (state.prepared[state.mode] || left > 1) continue
    const { mode } = state
    const told = learn(state, { type: 'library', mode, tracks: library[mode], settings: all }, atMs)
    state = told.state
    for (const effect of told.effects)
      if (effect.type === 'played') heard.push([effect.track.id, effect.startedAtMs])
  }
  const [, ...following] = expected.filter((part) => part.is === 'track')
  t.same(
    following.map(({ entry }) => entry.track.id),
    heard.map(([id]) => id),
  )
  t.ok(expected.some(({ mode }) => mode === 'night'))
})

t.test(
  'Q2b: in stream mode a track lasts from its first sound to its last, as its cue points say',
  async (t) => {
    const short = { ...track('short'), cuePoints: { gainDb: 0, startMs: 5_000, endMs: 25_000 } }
    const state = playing([short], 'sound')
    const starts = forecast(
      state,
      of({ library: { day: [short], night: [] }, untilMs: NOON + 60_000 }),
      NOON,
    ).map(({ atMs }) => atMs - NOON)
    t.same(starts, [0, 20_000, 40_000])
  },
)

t.test('Q2b: jingles come between tracks, phrases over their ends', async (t) => {
  const jingles = clips({ jingles: { frequency: 2 } })
  const both = { ...jingles, phrases: withPhrases([clip('p')]).phrases }
  const expected = forecast(clipStation(noClips), of({ clips: both }), NOON)
  const kinds = expected.slice(0, 7).map(({ is }) => is)
  t.same(kinds, ['track', 'track', 'jingle', 'track', 'track', 'jingle', 'track'])
  const [, second, jingle, third] = expected
  t.match(second, { is: 'track', phrase: { clip: { id: 'p' }, atMs: jingle!.atMs - 15_000 } })
  t.equal(third!.atMs - jingle!.atMs, 5_000)
})

t.test('Q2b: a pending switch is carried out', async (t) => {
  const state = nightStation(dayThenNight)
  const atMs = NOON + 10 * 60_000
  const { state: pending } = apply(state, { type: 'switch-mode', target: 'night', atMs }, NOON)
  const expected = forecast(pending, of(), NOON)
  const change = expected.findIndex(({ mode }) => mode === 'night')
  t.match(expected[change], { is: 'preparing', atMs })
  t.match(expected[change + 1], { is: 'track', mode: 'night', atMs: atMs + 3_000 })
})

t.test('Q2c: a chat is over', async (t) => {
  const state = playing(library.day, 'sound')
  const { entryId } = state.playlist.entries[0]!
  const paused: PlayoutState = { ...state, isPaused: true }
  const chatting = learn(paused, { type: 'sound-ended', entryId }, NOON + 60_000).state
  t.equal(chatting.onAir.phase, 'chat')
  const nextId = state.playlist.entries[1]!.track.id
  t.equal(idsOf(forecast(chatting, of(), NOON + 60_000))[0], nextId)
})

t.test('Q2d: what is queued stays; a playlist made now leaves only the orders', async (t) => {
  const state = ordered(playing(library.day), track('wish'), 'requested')
  const queued = state.playlist.entries.map((entry) => entry.track.id)
  t.same(idsOf(forecast(state, of(), NOON)).slice(0, queued.length), queued)
  const anew = forecast(state, of({ from: 'list' }), NOON)
  t.same(idsOf(anew).slice(0, 2), [queued[0], 'day/wish.mp3'])
  t.same(
    anew.slice(0, 3).map((part) => part.is === 'track' && part.isQueued),
    [true, true, false],
  )
})

t.test('Q2e: very short tracks end it, and so does a library without any', async (t) => {
  const state = playing(library.day)
  const tiny = tracks(5).map((of) => ({ ...of, durationMs: 1 }))
  t.equal(forecast(state, of({ from: 'list', library: { day: tiny, night: [] } }), NOON).length, MAX_FORECAST)
  const none = forecast(state, of({ from: 'list', library: { day: [], night: [] } }), NOON)
  t.same(
    none.map(({ is }) => is),
    ['track', 'preparing'],
  )
})

t.test('Q2: playlists of a mode that is not reached are not asked for', async (t) => {
  const state = nightStation()
  t.same(wantedPlaylists(pass(state, NOON + 1000)), [])
  const library = {
    day: songs('day'),
    get night(): never {
      throw new Error('the night is far')
    },
  }
  t.ok(forecast(state, of({ library }), NOON).length > 10)
})
