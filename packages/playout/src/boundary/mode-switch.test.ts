import t from 'tap'
import {
  dayThenNight,
  MINUTE,
  nightStation,
  pass,
  refusal,
  songs,
  switchLimits,
  switchTo,
  withoutNight,
} from '../../../../tests/harness/air/night-station.ts'
import {
  alwaysDay,
  HOUR,
  NOON,
  onAir,
  ordered,
  stationFact,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import type { Command } from '../model/commands/commands.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { PlayoutState, Schedule } from '../model/state.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'

t.test('S1: a switch is refused for its reason, and changes nothing then', async (t) => {
  const day = nightStation()
  const paid = ordered(day, track('paid'), 'donated')
  const without = learn(day, withoutNight, NOON).state
  const cases: [PlayoutState, Command, object][] = [
    [without, switchTo('night'), { reason: 'night_off', donated: false }],
    [paid, switchTo('day'), { reason: 'already', donated: false }],
    [paid, switchTo('night'), { reason: 'donated', donated: true, songs: 1 }],
    [paid, switchTo('night', NOON + HOUR), { reason: 'donated', donated: true, songs: 1 }],
    [
      { ...paid, lastSwitchMs: NOON - MINUTE },
      switchTo('night'),
      { reason: 'cooldown', secsLeft: 29 * 60, donated: false },
    ],
  ]
  for (const [state, command, details] of cases) {
    t.same(apply(state, command, NOON), {
      state,
      effects: [],
      outcome: { ok: false, code: 'MODE_SWITCH_REFUSED', details },
    })
  }
  t.ok(
    apply(ordered(day, track('asked'), 'requested'), switchTo('night'), NOON).outcome.ok,
    'what was asked for does not hold it up',
  )
})

t.test('S2d: a pending switch is taken back', async (t) => {
  const pending = apply(nightStation(), switchTo('night', NOON + HOUR), NOON).state
  const { state, outcome } = apply(pending, { type: 'cancel-switch' }, NOON + 1)
  t.ok(outcome.ok)
  t.same(state, { ...pending, pendingSwitch: null })
  t.equal(pass(state, NOON + 2 * HOUR).mode, 'day')
  const again = apply(state, { type: 'cancel-switch' }, NOON + 2)
  t.ok(again.outcome.ok)
  t.equal(again.state, state, 'where none is pending, nothing changes')
})

t.test('S3: the cooldown counts from the moment a switch was carried out; 0 is none', async (t) => {
  const pending = apply(nightStation(), switchTo('night', NOON + HOUR), NOON).state
  t.equal(
    apply(pending, switchTo('night', NOON + 2 * HOUR), NOON + 1).outcome.ok,
    true,
    'a request alone counts nothing',
  )
  const night = pass(pending, NOON + HOUR)
  const back = (atMs: number) => apply(pass(night, atMs), switchTo('day'), atMs).outcome
  t.same(refusal(back(NOON + HOUR + 1)), { reason: 'cooldown', secsLeft: 1800, donated: false })
  t.same(refusal(back(NOON + HOUR + 30 * MINUTE - 1)), { reason: 'cooldown', secsLeft: 1, donated: false })
  t.ok(back(NOON + HOUR + 30 * MINUTE).ok)
  const free = apply(nightStation(dayThenNight, {}), switchTo('night'), NOON).state
  t.ok(apply(free, switchTo('day'), NOON + 1).outcome.ok)
})

t.test(
  'S2, S5: at once the track ends, a fresh list is made, and it begins after the minimum time',
  async (t) => {
    for (const pace of ['clock', 'sound'] as const) {
      const day = ordered(nightStation(dayThenNight, switchLimits, pace), track('asked'), 'requested')
      const stale = day.prepared.night!.entries[0]!.entryId
      const nowMs = NOON + 20_000
      const { state: switching, outcome } = apply(day, switchTo('night'), nowMs)
      t.same(outcome, { ok: true })
      t.match(projectSync(switching, nowMs + 1), {
        track: null,
        seek: 0,
        isPlaying: false,
        isPreparing: true,
        playlist: [],
        mode: 'night',
        totalTracks: 0,
        pendingModeSwitch: null,
      })
      t.same(projectAir(switching, nowMs + 1), { current: null, next: null })
      t.same(wantedPlaylists(switching), ['night'])

      const ready = withLists(switching, songs, nowMs + 500)
      const first = ready.prepared.night!.entries[0]!
      t.not(first.entryId, stale)
      t.same(
        projectAir(ready, nowMs + 600),
        { current: null, next: first },
        'the first track is known before it starts',
      )
      t.same(projectAir(ready, nowMs + 3_200).current, { entry: first, positionMs: 200 })
      t.equal(nextDueMs(ready), nowMs + 3_000)
      const { state: night, effects } = advance(ready, nowMs + 3_000)
      t.match(night, {
        mode: 'night',
        playlist: { index: 0 },
        onAir: { phase: 'track', startedAtMs: nowMs + 3_000, entry: first },
      })
      t.match(effects, [{ type: 'played', mode: 'night', startedAtMs: nowMs + 3_000 }])
      t.notOk(
        upcoming(night).some((entry) => entry.orderType),
        'what the other list held is dropped',
      )

      const late = withLists(advance(switching, nowMs + 9_000).state, songs, nowMs + 9_000)
      t.match(late.onAir, { phase: 'track', startedAtMs: nowMs + 9_000 }, 'a list that is late is waited for')
    }
  },
)

t.test(
  'S2: a pending switch is shown, replaced by a new request, and runs at its moment within a track',
  async (t) => {
    const at = NOON + 30_500
    const first = apply(nightStation(), switchTo('night', NOON + HOUR), NOON).state
    const { state } = apply(first, switchTo('night', at), NOON + 1)
    t.same(projectSync(state, NOON + 2).pendingModeSwitch, { targetMode: 'night', executeAtMs: at })
    t.equal(nextDueMs(state), at)
    t.equal(projectSync(state, at - 1).isPreparing, false)
    t.match(
      projectSync(state, at),
      { isPreparing: true, mode: 'night', pendingModeSwitch: null },
      'also while no worker is alive',
    )
    t.equal(
      apply(state, switchTo('night'), NOON + 2).state.pendingSwitch,
      null,
      'one that is carried out at once replaces it too',
    )
    t.equal(
      apply(state, switchTo('day'), NOON + 2).state.pendingSwitch,
      state.pendingSwitch,
      'a refused one does not',
    )
    t.match(apply(first, switchTo('night', NOON), NOON + 1).state.onAir, {
      phase: 'preparing',
      sinceMs: NOON + 1,
    })
  },
)

t.test('S4b: donated songs are played before a pending switch', async (t) => {
  const at = NOON + 30_000
  const pending = apply(nightStation(), switchTo('night', at), NOON).state
  const paid = ordered(ordered(pending, track('one'), 'donated'), track('two'), 'donated')
  const waiting = advance(paid, at).state
  t.match(projectSync(waiting, at), {
    isPreparing: false,
    mode: 'day',
    pendingModeSwitch: { targetMode: 'night', executeAtMs: null },
  })
  const one = advance(waiting, nextDueMs(waiting)!).state
  const two = advance(one, nextDueMs(one)!).state
  t.same([onAir(one)!.track.title, onAir(two)!.track.title], ['two', 'one'])
  const boundary = nextDueMs(two)!
  t.match(advance(two, boundary).state, {
    mode: 'night',
    pendingSwitch: null,
    lastSwitchMs: boundary,
    onAir: { phase: 'preparing', sinceMs: boundary },
  })
})

t.test('S4b: the sound of a donated song ends before the switch', async (t) => {
  const at = NOON + 30_000
  const pending = apply(nightStation(), switchTo('night', at), NOON).state
  const paid = ordered(ordered(pending, track('one'), 'donated'), track('two'), 'donated')
  const sounding = { ...paid, pace: 'sound' as const }
  const ended = learn(
    advance(sounding, at).state,
    { type: 'sound-ended', entryId: onAir(paid)!.entryId },
    at + 5_000,
  ).state
  t.equal(onAir(ended)?.track.title, 'two')
})

t.test('S4c: a switch that waits lapses at the next change of the schedule', async (t) => {
  const hour = NOON + 10 * HOUR
  const long = ordered(
    apply(pass(nightStation(), hour - MINUTE), switchTo('night', hour - 30_000), hour - MINUTE).state,
    track('long', 'x', HOUR),
    'donated',
  )
  const lapsed = advance(long, hour).state
  t.equal(lapsed.pendingSwitch, null)
  t.equal(lapsed.mode, 'day')
  t.equal(lapsed.lastSwitchMs, null, 'and does not count as a switch')
  const played = pass(lapsed, hour + 5 * MINUTE)
  t.match(onAir(played)?.track, { title: 'long' }, 'M1: the donated song is played before the night')
  t.match(advance(played, nextDueMs(played)!).state, {
    mode: 'night',
    forced: null,
    onAir: { phase: 'track' },
  })
})

t.test('S4: a pending switch whose mode came by itself lapses', async (t) => {
  const pending = apply(nightStation(), switchTo('night', NOON + 11 * HOUR), NOON).state
  const night = pass(pending, NOON + 10 * HOUR + 2 * MINUTE)
  t.match(night, { mode: 'night', pendingSwitch: { target: 'night' } })
  const after = pass(night, NOON + 11 * HOUR)
  t.match(after, { mode: 'night', pendingSwitch: null, lastSwitchMs: null, onAir: { phase: 'track' } })
})

t.test('S6: a forced mode holds until its natural start', async (t) => {
  const forced = pass(apply(nightStation(), switchTo('night'), NOON).state, NOON + HOUR)
  t.match(forced, { mode: 'night', forced: { mode: 'night', untilMs: NOON + 10 * HOUR } })
  t.equal(pass(forced, NOON + 10 * HOUR - 1).mode, 'night', 'track after track, list after list')
  const natural = pass(forced, NOON + 10 * HOUR)
  t.match(natural, { mode: 'night', forced: null })
  t.equal(
    onAir(natural)?.entryId,
    onAir(pass(forced, NOON + 10 * HOUR - 1))?.entryId,
    'nothing changes by that',
  )
  t.equal(pass(natural, NOON + 16 * HOUR + 2 * MINUTE).mode, 'day')
})

t.test('S6: a forced mode ends when the natural one is chosen', async (t) => {
  const forced = pass(apply(nightStation(), switchTo('night'), NOON).state, NOON + HOUR)
  const back = apply(forced, switchTo('day'), NOON + HOUR).state
  t.match(back, { mode: 'day', forced: null })
  t.equal(pass(back, NOON + 10 * HOUR + 2 * MINUTE).mode, 'night')
})

t.test('S6: day is forced in a natural night', async (t) => {
  const early = pass(nightStation(), NOON + 15 * HOUR)
  const morning = pass(apply(early, switchTo('day'), NOON + 15 * HOUR).state, NOON + 15 * HOUR + MINUTE)
  t.match(morning, { mode: 'day', forced: { untilMs: NOON + 16 * HOUR } })
})

t.test('S6: without a natural night a forced one holds until it is ended', async (t) => {
  const always = pass(apply(nightStation(alwaysDay), switchTo('night'), NOON).state, NOON + 40 * HOUR)
  t.match(
    always,
    { mode: 'night', forced: { mode: 'night', untilMs: null } },
    'without a natural night it holds until it is ended',
  )
})

t.test(
  'M2: the hour comes while a switch prepares: what is due then begins, not before the minimum time',
  async (t) => {
    const hour = NOON + 16 * HOUR
    const night = pass(nightStation(), hour - HOUR)
    const toDay = apply(night, switchTo('day'), hour - 1_000).state
    t.match(pass(toDay, hour + 2_000), { mode: 'day', forced: null, onAir: { startedAtMs: hour + 2_000 } })

    const back = apply(toDay, { type: 'library-changed' }, hour - 900).state
    const toNight = apply({ ...back, lastSwitchMs: null }, switchTo('night'), hour - 800).state
    const atHour = advance(withLists(toNight, songs, hour - 700), hour).state
    t.match(atHour, { mode: 'day', onAir: { phase: 'preparing', target: 'day' } })
    t.match(advance(atHour, hour + 2_200).state, {
      mode: 'day',
      onAir: { phase: 'track', startedAtMs: hour + 2_200 },
    })
  },
)

t.test(
  'S8: a pending switch comes at the date that was asked for, also when the wall clock is set',
  async (t) => {
    /** The station's clock is ahead of the wall clock: of dates the schedule says when they come. */
    const set = (aheadMs: number): Schedule => ({
      natural: 'day',
      changes: [{ atMs: NOON + 9 * HOUR + aheadMs, mode: 'night' }],
      aheadMs,
    })
    const revised = (state: PlayoutState, schedule: Schedule, nowMs: number) =>
      learn(state, stationFact(schedule, switchLimits), nowMs).state
    const asked = apply(nightStation(set(0)), switchTo('night', NOON + 3 * HOUR), NOON).state
    t.equal(revised(asked, set(0), NOON + HOUR).pendingSwitch?.atMs, NOON + 3 * HOUR)
    t.equal(revised(asked, set(HOUR), NOON + HOUR).pendingSwitch?.atMs, NOON + 4 * HOUR, 'set back')
    t.equal(revised(asked, set(-HOUR), NOON + HOUR).pendingSwitch?.atMs, NOON + 2 * HOUR, 'set on')
    t.match(revised(asked, set(-4 * HOUR), NOON + HOUR), { pendingSwitch: { atMs: NOON - HOUR } })
    t.match(
      pass(revised(asked, set(-4 * HOUR), NOON + HOUR), NOON + HOUR),
      { mode: 'night', pendingSwitch: null },
      'a date that is past now is due',
    )
    const back = revised(revised(asked, set(HOUR), NOON + HOUR), set(0), NOON + 2 * HOUR)
    t.equal(back.pendingSwitch?.atMs, NOON + 3 * HOUR, 'set right again')
    t.match(
      projectSync(back, NOON, NOON, HOUR),
      { serverTimeMs: NOON - HOUR, pendingModeSwitch: { executeAtMs: NOON + 2 * HOUR } },
      'clients are told dates',
    )
    const { aheadMs: _, ...earlier } = set(0)
    t.equal(
      revised({ ...asked, schedule: earlier }, set(HOUR), NOON + HOUR).pendingSwitch?.atMs,
      NOON + 3 * HOUR,
      'a state of an earlier version does not say what its moments are of',
    )

    const paid = ordered(asked, tracks(1)[0]!, 'donated')
    const waiting = pass({ ...paid, pendingSwitch: { ...paid.pendingSwitch!, atMs: NOON + 1 } }, NOON + 1)
    t.equal(waiting.pendingSwitch?.waiting?.untilMs, NOON + 9 * HOUR)
    t.equal(revised(waiting, set(HOUR), NOON + 2).pendingSwitch?.waiting?.untilMs, NOON + 10 * HOUR)
  },
)
