import type { Mode } from '@solstice/contracts'
import t, { type Test } from 'tap'
import {
  all,
  assertLegal,
  HOUR,
  NOON,
  onAir,
  playing,
  stationFact,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import {
  advance,
  apply,
  initialState,
  learn,
  type Pace,
  type PlayoutState,
  projectSync,
  readState,
  resume,
  type Schedule,
  type TrackRef,
} from '../index.ts'

const nightFromTwo: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NOON + 2 * HOUR, mode: 'night' },
    { atMs: NOON + 8 * HOUR, mode: 'day' },
  ],
}
const limits = { modeSwitchCooldownMs: 1_800_000, preparingMinMs: 3_000 }

type Music = Record<Mode, TrackRef[]>
const onlyIn = (mode: Mode): Music => ({ day: [], night: [], [mode]: tracks(40, 40, mode) })

/** A station with a night, set up at a moment; all lists that it wants are made of this music. */
function begin(music: Music, pace: Pace = 'clock', atMs = NOON): PlayoutState {
  const state = initialState(1, pace, nightFromTwo, atMs)
  const informed = learn(state, stationFact(nightFromTwo, limits, pace), atMs).state
  return withLists(informed, (mode) => music[mode], atMs)
}

/** Lets time pass as a worker does, and says which modes were heard, and for how long none was. */
function listen(t: Test, before: PlayoutState, music: Music, fromMs: number, untilMs: number) {
  let state = before
  let silentMs = 0
  const heard = new Set<Mode>()
  for (let atMs = fromMs; atMs < untilMs; atMs += 20_000) {
    state = advance(state, atMs).state
    const { onAir: air } = state
    if (
      state.pace === 'sound' &&
      air.phase === 'track' &&
      atMs - air.startedAtMs >= air.entry.track.durationMs!
    )
      state = learn(state, { type: 'sound-ended', entryId: air.entry.entryId }, atMs).state
    state = withLists(state, (mode) => music[mode], atMs)
    assertLegal(t, state, atMs)
    if (state.onAir.phase === 'preparing') silentMs += 20_000
    else heard.add(state.mode)
  }
  return { state, silentMs, heard: [...heard] }
}

for (const pace of ['clock', 'sound'] as const)
  t.test(`M3: a night without music is a day that goes on, and the other way round (${pace})`, async (t) => {
    for (const mode of ['day', 'night'] as const) {
      const music = onlyIn(mode)
      const { silentMs, heard } = listen(t, begin(music, pace), music, NOON, NOON + 9 * HOUR)
      t.equal(silentMs, 0, `never silent with music for the ${mode} only`)
      t.same(heard, [mode])
    }
  })

t.test('M3: what listeners asked for is not forgotten at an hour that changes nothing', async (t) => {
  const song = track('wish')
  const asked = apply(
    begin(onlyIn('day')),
    { type: 'request-track', uid: 'u', socketId: 's', track: song, mode: 'day' },
    NOON + HOUR,
  ).state
  const { state } = listen(t, asked, onlyIn('day'), NOON + HOUR, NOON + 9 * HOUR)
  t.equal(state.trackRequests.length, 1)
  const order = { type: 'add-song', track: song, mode: 'day', orderType: 'donated', tier: 1 } as const
  t.match(apply(state, order, NOON + 9 * HOUR).outcome, { ok: true }, 'and nothing is too long for it')
})

t.test('M3: the first track of a mode that is due brings it at the next track boundary', async (t) => {
  const byDay = onlyIn('day')
  const { state } = listen(t, begin(byDay), byDay, NOON, NOON + 3 * HOUR)
  const atMs = NOON + 3 * HOUR
  const both = { ...byDay, night: [track('first', 'first', 60_000, 'night')] }
  const before = advance(state, atMs).state
  const changed = apply(before, { type: 'library-changed' }, atMs).state
  t.equal(advance(changed, atMs).state.mode, 'day', 'the song goes on while the lists are made')
  const known = withLists(changed, (mode) => both[mode], atMs)
  t.equal(onAir(known)?.entryId, onAir(before)?.entryId, 'and when they are')
  const { state: later, silentMs } = listen(t, known, both, atMs, atMs + 300_000)
  t.equal(later.mode, 'night')
  t.equal(silentMs, 0)
})

t.test('M3: while no list is known nothing is taken for empty', async (t) => {
  const atMs = NOON + 3 * HOUR
  const state = learn(
    initialState(1, 'clock', nightFromTwo, atMs),
    stationFact(nightFromTwo, limits),
    atMs,
  ).state
  const dayFirst = learn(
    state,
    { type: 'library', mode: 'day', tracks: tracks(20), settings: all },
    atMs,
  ).state
  t.equal(onAir(dayFirst), null, 'a night whose list is not made yet is waited for')
  const night = tracks(20, 20, 'night')
  const nightThen = learn(
    dayFirst,
    { type: 'library', mode: 'night', tracks: night, settings: all },
    atMs,
  ).state
  t.match(onAir(nightThen)?.track.id, /^night/)
})

t.test(
  'M3: a mode whose last tracks leave the library, or cannot be decoded, gives way to the other',
  async (t) => {
    const few = tracks(3, 3, 'night')
    const music = { day: tracks(40), night: few }
    const atMs = NOON + 3 * HOUR
    const gone = few.map(({ id }) => ({ trackId: id, track: null }))
    const atNight = begin(music, 'sound', atMs)
    t.equal(atNight.mode, 'night')

    const left = { ...music, night: [] }
    const emptied = apply(atNight, { type: 'library-changed', settled: gone }, atMs).state
    const known = withLists(emptied, (mode) => left[mode], atMs)
    t.match(onAir(known)?.track.id, /^night/, 'the song on air plays to its end')
    const { state: day, silentMs } = listen(t, known, left, atMs, atMs + 200_000)
    t.same([day.mode, silentMs], ['day', 0])

    let state = atNight
    for (let i = 0; i < few.length; i++) {
      const { entryId } = onAir(state)!
      state = learn(state, { type: 'unplayable', entryId }, atMs).state
      state = withLists(state, (mode) => music[mode], atMs)
    }
    t.match(onAir(state)?.track.id, /^day/, 'nor does it wait where nothing can be decoded')
  },
)

t.test('M3: preparing for want of music is only where neither mode has any', async (t) => {
  const none = { day: [], night: [] }
  const { state, heard } = listen(t, begin(none), none, NOON, NOON + 9 * HOUR)
  t.same(heard, [])
  t.equal(projectSync(state, NOON + 9 * HOUR).isPreparing, true)
  const music = onlyIn('night')
  const changed = apply(state, { type: 'library-changed' }, NOON + 9 * HOUR).state
  const known = withLists(changed, (mode) => music[mode], NOON + 9 * HOUR)
  t.match(onAir(known)?.track.id, /^night/, 'the first track of either begins')
})

t.test('S1: a switch into a mode without music is refused, after all other reasons', async (t) => {
  const state = begin(onlyIn('day'))
  const toNight = { type: 'switch-mode', target: 'night', atMs: null } as const
  const outcome = (
    before: PlayoutState,
    command: typeof toNight | { type: 'switch-mode'; target: 'night'; atMs: number },
  ) => apply(before, command, NOON + 60_000)
  const refused = outcome(state, toNight)
  t.same(refused.outcome, {
    ok: false,
    code: 'MODE_SWITCH_REFUSED',
    details: { reason: 'empty', donated: false },
  })
  t.equal(refused.state, state)
  t.match(outcome(state, { ...toNight, atMs: NOON + HOUR }).outcome, { details: { reason: 'empty' } })
  t.match(outcome({ ...state, lastSwitchMs: NOON }, toNight).outcome, { details: { reason: 'cooldown' } })
})

t.test('S3, S4: no cooldown keeps a mode without music; a pending switch into one lapses', async (t) => {
  const both = { day: tracks(40), night: tracks(1, 1, 'night') }
  const switched = apply(begin(both), { type: 'switch-mode', target: 'night', atMs: null }, NOON + 1000).state
  const atNight = listen(t, switched, both, NOON + 1000, NOON + 30_000).state
  t.equal(atNight.mode, 'night')
  const atMs = NOON + 30_000
  const back = { type: 'switch-mode', target: 'day', atMs: null } as const
  t.match(apply(atNight, back, atMs).outcome, { details: { reason: 'cooldown' } })
  const settled = [{ trackId: both.night[0]!.id, track: null }]
  const emptied = apply(atNight, { type: 'library-changed', settled }, atMs).state
  const known = withLists(emptied, (mode) => onlyIn('day')[mode], atMs)
  t.match(apply(known, back, atMs).outcome, { ok: true })

  const planned = apply(begin(both), { type: 'switch-mode', target: 'night', atMs: NOON + HOUR }, NOON).state
  const without = apply(planned, { type: 'library-changed', settled }, NOON).state
  const { state, silentMs } = listen(
    t,
    withLists(without, (mode) => onlyIn('day')[mode], NOON),
    onlyIn('day'),
    NOON,
    NOON + HOUR + 60_000,
  )
  t.same([state.mode, state.pendingSwitch, state.lastSwitchMs, silentMs], ['day', null, null, 0])
})

t.test(
  'R2, R3: an outage does not forget that a mode has no music, nor did states before say so',
  async (t) => {
    const music = onlyIn('day')
    const { state } = listen(t, begin(music), music, NOON, NOON + 3 * HOUR)
    const atMs = NOON + 4 * HOUR
    const asked = apply(
      state,
      { type: 'add-song', track: track('wish'), mode: 'day', orderType: 'requested', tier: null },
      NOON + 3 * HOUR,
    ).state
    const resumed = resume(asked, NOON + 3 * HOUR, atMs).state
    t.equal(onAir(resumed)?.track.title, 'wish', 'what was asked for by day begins at once')

    const { emptyModes: _, ...older } = begin(music, 'clock', NOON + 3 * HOUR)
    const silent = {
      ...older,
      version: 4,
      mode: 'night',
      onAir: { phase: 'preparing', target: 'night', sinceMs: NOON, notBeforeMs: NOON },
    }
    const read = readState(
      JSON.stringify({
        ...silent,
        prepared: { ...playing(tracks(40)).prepared, night: { entries: [], repeats: false } },
      }),
    )
    t.match(onAir(learn(read, stationFact(nightFromTwo, limits), atMs).state)?.track.id, /^day/)
  },
)

t.test('S7: a state of the night begins by day at once where there is no night any more', async (t) => {
  const atMs = NOON + 3 * HOUR
  const always: Schedule = { natural: 'day', changes: [] }
  const music = { day: tracks(40), night: tracks(40, 40, 'night') }
  for (const pace of ['clock', 'sound'] as const) {
    const atNight = begin(music, pace, atMs)
    const fact = stationFact(always, limits, pace, false)
    const { state, effects } = learn(resume(atNight, atMs + 5_000, atMs + 10_000).state, fact, atMs + 10_000)
    t.match([state.mode, onAir(state)?.track.id], ['day', /^day/])
    t.match(effects, [{ type: 'played', mode: 'day', startedAtMs: atMs + 10_000 }])

    const paid = { ...onAir(atNight)!, orderType: 'donated' as const }
    const playingPaid = { ...atNight, onAir: { ...atNight.onAir, entry: paid } } as PlayoutState
    const kept = learn(playingPaid, fact, atMs + 10_000).state
    t.equal(onAir(kept)?.entryId, paid.entryId, 'but a song that was paid for is played to its end')
    const ended = learn(
      { ...kept, pace: 'sound' },
      { type: 'sound-ended', entryId: paid.entryId },
      atMs + 20_000,
    )
    t.equal(ended.state.mode, 'day')
  }
})
