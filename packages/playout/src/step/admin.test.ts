import type { Mode } from '@solstice/contracts'
import t from 'tap'
import {
  alwaysDay,
  assertLegal,
  HOUR,
  host,
  isSame,
  library,
  NOON,
  onAir,
  ordered,
  playing,
  randomFrom,
  stationFact,
  toEnd,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import type { Command, Effect, Outcome } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import { dueMode } from '../model/schedule.ts'
import type { Limits, Pace, PlayoutState, Schedule, UsableClips } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { groupInsertCooldownSecsLeft } from '../queue/insert-group.ts'
import { lockOf, queuePage, searchQueue, shownQueue } from '../queue/projection.ts'
import { readState } from '../saved/state-versions.ts'
import { advance, nextDueMs } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

const MINUTE = 60_000
/** Day, with a night from ten hours after noon to sixteen hours after it. */
const dayThenNight: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NOON + 10 * HOUR, mode: 'night' },
    { atMs: NOON + 16 * HOUR, mode: 'day' },
    { atMs: NOON + 34 * HOUR, mode: 'night' },
  ],
}
const limits: Partial<Limits> = {
  modeSwitchCooldownMs: 30 * MINUTE,
  preparingMinMs: 3_000,
  groupInsertCooldownMs: 10 * MINUTE,
}
const talks = [
  { type: 'pause-queue', when: 'now' },
  { type: 'pause-queue', when: 'afterTrack' },
  { type: 'resume-queue' },
  { type: 'choose-background', clipId: 'air' },
] as const
const music = (id: string) => ({ id, media: `background/${id}.mp3`, durationMs: 2 * MINUTE })
const withoutNight = stationFact(alwaysDay, {}, 'clock', false)
const songs = (mode: Mode) => tracks(20, 20, mode)

/** A station with a night, by day, all lists made. */
function station(
  schedule = dayThenNight,
  limited: Partial<Limits> = limits,
  pace: Pace = 'clock',
): PlayoutState {
  const { state } = learn(initialState(7, pace, schedule, NOON), stationFact(schedule, limited, pace), NOON)
  return withLists(state, songs, NOON)
}

/** Time passes, and whatever list is wanted then is made. */
function pass(state: PlayoutState, nowMs: number): PlayoutState {
  return withLists(advance(state, nowMs).state, songs, nowMs)
}

const switchTo = (target: Mode, atMs: number | null = null): Command => ({
  type: 'switch-mode',
  target,
  atMs,
})
const release = (trackId: string, purpose: 'edit' | 'remove' = 'remove'): Command => ({
  type: 'release-track',
  trackId,
  purpose,
})
const refusal = (outcome: Outcome) => (outcome.ok ? null : outcome.details)

t.test('Q1: pages and searches see what sync shows, and the whole rest of the list', async (t) => {
  const start = playing(tracks(14))
  const page = queuePage(start, 0, 10)
  t.equal(page.total, 13, 'at the start of a list: its size minus one')
  t.same(page.items, projectSync(start, NOON).playlist)
  t.same(queuePage(start, 10, 10).items.length, 3)
  t.same(queuePage(start, -5, 3).items, page.items.slice(0, 3))
  t.same(queuePage(start, 0, -1).items, [])
  t.equal(queuePage(playing(tracks(150)), 0, 1000).items.length, 100)

  let last = start
  while (last.playlist.index < 13) last = advance(last, nextDueMs(last)!).state
  t.equal(queuePage(last, 0, 100).total, 10)
  t.same(queuePage(last, 0, 100).items, projectSync(last, nextDueMs(last)! - 1).playlist)

  const queue = upcoming(start)
  const third = queue[2]!.track
  t.match(toEnd(searchQueue(start, `${third.title.toUpperCase()}, ${third.artist}|`)), {
    total: 1,
    items: [{ position: 3, id: third.id }],
  })
  t.same(
    toEnd(searchQueue(start, 'artist-1 t1'))
      .items.map((item) => item.id)
      .sort(),
    ['t1', 't10', 't11', 't12', 't13']
      .map((name) => `day/${name}.mp3`)
      .filter((id) => id !== onAir(start)!.track.id),
  )
  t.equal(toEnd(searchQueue(start, '')).total, 13)
  t.equal(toEnd(searchQueue(start, 'no such')).total, 0)
  t.same(queuePage(initialState(1, 'clock', alwaysDay, NOON), 0, 10), { items: [], total: 0 })
})

t.test('K1: what is on air or next is locked, also across the end of a list, and by track id', async (t) => {
  let state = playing(tracks(12))
  const lockedBy = (trackId: string) => refusal(apply(state, release(trackId, 'edit'), NOON).outcome)
  for (let i = 0; i < 30; i++) {
    const [next, later] = upcoming(state)
    t.same(lockedBy(onAir(state)!.track.id), { reason: 'current' })
    t.same(lockedBy(next!.track.id), { reason: 'next' })
    t.equal(lockOf(state, later!.track.id), null)
    t.same(apply(state, release(later!.track.id, 'edit'), NOON), {
      state,
      effects: [],
      outcome: { ok: true, removed: 0 },
    })
    state = withLists(advance(state, nextDueMs(state)!).state, () => tracks(12), NOON)
  }
  const small = playing([track('a'), track('b')])
  t.same(['day/a.mp3', 'day/b.mp3'].map((id) => lockOf(small, id)).sort(), ['current', 'next'])
  t.equal(
    lockOf(initialState(1, 'clock', alwaysDay, NOON), 'day/a.mp3'),
    null,
    'while preparing nothing is locked',
  )
})

t.test('K2, K3: a track to be removed leaves all lists and is withheld, for a minute at most', async (t) => {
  const start = playing([track('a'), track('b'), track('c'), track('d'), track('e')])
  const gone = [...upcoming(start)].find((entry) => !lockOf(start, entry.track.id))!.track.id
  const everywhere = [start.playlist, ...Object.values(start.prepared)].flatMap((list) => list.entries)
  t.ok(everywhere.filter((entry) => entry.track.id === gone).length > 1)
  const shown = shownQueue(start).filter((entry) => entry.track.id === gone).length
  const { state, outcome } = apply(start, release(gone), NOON)
  t.same(outcome, { ok: true, removed: shown }, 'what is not shown yet is not counted')
  t.notOk(upcoming(state).some((entry) => entry.track.id === gone))
  t.equal(onAir(state), onAir(start))

  const again = apply(state, { type: 'library-changed' }, NOON + 1).state
  const all5 = ['a', 'b', 'c', 'd', 'e'].map((name) => track(name))
  const remade = learn(again, library(all5), NOON + 2).state
  t.ok(upcoming(remade).length > 0)
  t.notOk(
    upcoming(remade).some((entry) => entry.track.id === gone),
    'a list made meanwhile does without',
  )
  const grouped = apply(
    remade,
    { type: 'insert-group', mode: 'day', tracks: all5.filter(({ id }) => id === gone) },
    NOON + 3,
  )
  t.same(refusal(grouped.outcome), { reason: 'empty' }, 'and so does a group')

  const played = advance(state, nextDueMs(state)!).state
  const history = apply(played, release(played.playlist.entries[0]!.track.id), NOON)
  t.ok(history.outcome.ok)
  t.equal(history.state.playlist.entries[0], played.playlist.entries[0], 'what was played stays in its place')

  t.same(advance(remade, NOON + 59_999).state.withheld.length, 1)
  t.same(advance(remade, NOON + 60_000).state.withheld, [])

  const waiting = apply(initialState(1, 'clock', alwaysDay, NOON), release('day/only.mp3'), NOON).state
  const silent = learn(waiting, library([track('only')]), NOON + 1).state
  t.equal(silent.onAir.phase, 'preparing')
  const free = advance(silent, NOON + MINUTE).state
  t.same(wantedPlaylists(free), ['day'], 'nobody came back: the list is made anew')
  t.equal(learn(free, library([track('only')]), NOON + MINUTE + 1).state.onAir.phase, 'track')
})

t.test('K4: what was settled is shown as it is now, and what is gone is not heard again', async (t) => {
  const start = playing(tracks(14))
  const current = onAir(start)!.track
  const other = upcoming(start)[4]!.track
  const renamed = (of: typeof current) => ({ ...of, title: 'New', durationMs: 5_000 })
  const changed = apply(
    start,
    {
      type: 'library-changed',
      settled: [
        { trackId: current.id, track: renamed(current) },
        { trackId: other.id, track: renamed(other) },
      ],
    },
    NOON + 10_000,
  ).state
  t.match(projectSync(changed, NOON + 10_000), {
    title: 'New',
    duration: current.durationMs! / 1000,
    seek: 10,
  })
  t.equal(nextDueMs(changed), nextDueMs(start), 'the end of the running track does not move')
  t.match(upcoming(changed)[4]!.track, renamed(other))
  assertLegal(t, changed, NOON + 10_000)

  const unknown = playing([track('a', 'x', null)])
  const learnt = (durationMs: number) => {
    const settled = [{ trackId: 'day/a.mp3', track: track('a', 'x', durationMs) }]
    return nextDueMs(apply(unknown, { type: 'library-changed', settled }, NOON + 100_000).state)
  }
  t.equal(learnt(200_000), NOON + 200_000, 'an end that was not known is known now')
  t.equal(learnt(20_000), NOON + 100_000, 'but lies never in the past')

  const released = apply(start, release(other.id), NOON).state
  const kept = apply(
    released,
    { type: 'library-changed', settled: [{ trackId: other.id, track: other }] },
    NOON + 1,
  ).state
  const lost = apply(
    released,
    { type: 'library-changed', settled: [{ trackId: other.id, track: null }] },
    NOON + 1,
  ).state
  t.same([kept.withheld, lost.withheld], [[], []], 'either way the hold ends')
  const without = apply(
    start,
    {
      type: 'library-changed',
      settled: [
        { trackId: other.id, track: null },
        { trackId: current.id, track: null },
      ],
    },
    NOON,
  ).state
  t.notOk(upcoming(without).some((entry) => [other.id, current.id].includes(entry.track.id)))
  t.equal(onAir(without), onAir(start), 'on air it plays to its end')
  t.same(wantedPlaylists(without), ['day'], 'L4: prepared lists are made anew')
})

t.test('S1: a switch is refused for its reason, and changes nothing then', async (t) => {
  const day = station()
  const paid = ordered(day, track('paid'), 'donated')
  const without = learn(day, withoutNight, NOON).state
  const cases: [PlayoutState, Command, object][] = [
    [without, switchTo('night'), { reason: 'night_off', donated: false }],
    [paid, switchTo('day'), { reason: 'already', donated: false }],
    [paid, switchTo('night'), { reason: 'donated', donated: true }],
    [paid, switchTo('night', NOON + HOUR), { reason: 'donated', donated: true }],
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

t.test('S3: the cooldown counts from the moment a switch was carried out; 0 is none', async (t) => {
  const pending = apply(station(), switchTo('night', NOON + HOUR), NOON).state
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
  const free = apply(station(dayThenNight, {}), switchTo('night'), NOON).state
  t.ok(apply(free, switchTo('day'), NOON + 1).outcome.ok)
})

t.test(
  'S2, S5: at once the track ends, a fresh list is made, and it begins after the minimum time',
  async (t) => {
    for (const pace of ['clock', 'sound'] as const) {
      const day = ordered(station(dayThenNight, limits, pace), track('asked'), 'requested')
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
    const first = apply(station(), switchTo('night', NOON + HOUR), NOON).state
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

t.test(
  'S4: a donated song is played before a pending switch, which lapses at the natural change',
  async (t) => {
    const at = NOON + 30_000
    const pending = apply(station(), switchTo('night', at), NOON).state
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

    const sounding = { ...paid, pace: 'sound' as const }
    const ended = learn(
      advance(sounding, at).state,
      { type: 'sound-ended', entryId: onAir(paid)!.entryId },
      at + 5_000,
    ).state
    t.equal(onAir(ended)?.track.title, 'two')

    const hour = NOON + 10 * HOUR
    const long = ordered(
      apply(pass(station(), hour - MINUTE), switchTo('night', hour - 30_000), hour - MINUTE).state,
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
  },
)

t.test('S4: a pending switch whose mode came by itself lapses', async (t) => {
  const pending = apply(station(), switchTo('night', NOON + 11 * HOUR), NOON).state
  const night = pass(pending, NOON + 10 * HOUR + 2 * MINUTE)
  t.match(night, { mode: 'night', pendingSwitch: { target: 'night' } })
  const after = pass(night, NOON + 11 * HOUR)
  t.match(after, { mode: 'night', pendingSwitch: null, lastSwitchMs: null, onAir: { phase: 'track' } })
})

t.test('S6: a forced mode holds until its natural start, or until the natural mode is chosen', async (t) => {
  const forced = pass(apply(station(), switchTo('night'), NOON).state, NOON + HOUR)
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

  const back = apply(forced, switchTo('day'), NOON + HOUR).state
  t.match(back, { mode: 'day', forced: null })
  t.equal(pass(back, NOON + 10 * HOUR + 2 * MINUTE).mode, 'night')

  const early = pass(station(), NOON + 15 * HOUR)
  const morning = pass(apply(early, switchTo('day'), NOON + 15 * HOUR).state, NOON + 15 * HOUR + MINUTE)
  t.match(morning, { mode: 'day', forced: { untilMs: NOON + 16 * HOUR } })

  const always = pass(apply(station(alwaysDay), switchTo('night'), NOON).state, NOON + 40 * HOUR)
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
    const night = pass(station(), hour - HOUR)
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
      learn(state, stationFact(schedule, limits), nowMs).state
    const asked = apply(station(set(0)), switchTo('night', NOON + 3 * HOUR), NOON).state
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

t.test(
  'S7, R2: a restart keeps forced mode, pending switch and cooldowns, however long it took',
  async (t) => {
    const forced = pass(apply(station(), switchTo('night'), NOON).state, NOON + HOUR)
    const grouped = apply(
      forced,
      { type: 'insert-group', mode: 'night', tracks: songs('night').slice(0, 2) },
      NOON + HOUR,
    ).state
    const pending = apply(grouped, switchTo('day', NOON + 3 * HOUR), NOON + HOUR).state
    for (const away of [MINUTE, HOUR]) {
      const { state } = resume(pending, NOON + HOUR, NOON + HOUR + away)
      t.match(state, {
        mode: 'night',
        forced: { mode: 'night' },
        pendingSwitch: { target: 'day', atMs: NOON + 3 * HOUR },
        lastSwitchMs: NOON,
        lastGroupInsertMs: NOON + HOUR,
      })
      t.equal(state.onAir.phase, away === HOUR ? 'preparing' : 'track')
    }
    const late = resume(pending, NOON + HOUR, NOON + 4 * HOUR).state
    t.match(
      late,
      { mode: 'day', forced: null, pendingSwitch: null, lastSwitchMs: NOON + 3 * HOUR },
      'a switch that fell due meanwhile is made up for',
    )
    const nextDay = resume(pending, NOON + HOUR, NOON + 11 * HOUR).state
    t.match(nextDay, { mode: 'night', forced: null, pendingSwitch: null }, 'and the hours since then count')
    const overslept = resume(
      apply(station(), switchTo('night', NOON + HOUR), NOON).state,
      0,
      NOON + 17 * HOUR,
    ).state
    t.match(overslept, { mode: 'day', forced: null, pendingSwitch: null })

    const noNight = learn(pending, withoutNight, NOON + HOUR).state
    t.match(noNight, { forced: null, pendingSwitch: null })
    t.equal(pass(noNight, NOON + HOUR + 3 * MINUTE).mode, 'day')
    const moved: Schedule = { natural: 'day', changes: [{ atMs: NOON + 8 * HOUR, mode: 'night' }] }
    t.match(learn(forced, stationFact(moved), NOON + HOUR).state.forced, {
      mode: 'night',
      untilMs: NOON + 8 * HOUR,
    })
  },
)

t.test('R3: a state of an older version is read as one of this version', async (t) => {
  const { isPaused, backgroundChoice, lastBackgroundId, live, hosting, ...since } = playing(tracks(12))
  const version3 = { ...since, version: 3 }
  t.same(readState(JSON.stringify(version3)), playing(tracks(12)))
  const { lastAddMs, lastRemoveMs, lastSkipMs, trackRequests, trackRequestCooldowns, orders, ...earlier } =
    version3
  const { modeSwitchCooldownMs, preparingMinMs, groupInsertCooldownMs } = limits
  const version2 = {
    ...earlier,
    version: 2,
    limits: { modeSwitchCooldownMs, preparingMinMs, groupInsertCooldownMs },
  }
  t.same(readState(JSON.stringify(version2)), {
    ...playing(tracks(12)),
    limits: { ...playing([]).limits, ...limits },
  })

  const { nightMode, limits: _, forced, pendingSwitch, lastSwitchMs, ...rest } = version2
  const { lastGroupInsertMs, withheld, ...version1 } = { ...rest, version: 1 }
  t.same(readState(JSON.stringify(version1)), playing(tracks(12)))
  const preparing = { ...version1, onAir: { phase: 'preparing', target: 'day', sinceMs: 5 } }
  t.match(readState(JSON.stringify(preparing)), { version: 5, onAir: { sinceMs: 5, notBeforeMs: 5 } })
  t.same(readState(JSON.stringify(station())), station())
})

t.test('I1, I3: a group is refused for its reason, and changes nothing then', async (t) => {
  const day = station()
  const group = (tracks = songs('day').slice(0, 3), mode: Mode = 'day'): Command => ({
    type: 'insert-group',
    mode,
    tracks,
  })
  const toHour = (leftMs: number) => {
    const state = pass(day, NOON + 10 * HOUR - 20 * MINUTE)
    const entry = { ...onAir(state)!, track: { ...onAir(state)!.track, durationMs: HOUR } }
    const nowMs = NOON + 10 * HOUR - leftMs
    return {
      state: { ...state, onAir: { phase: 'track' as const, entry, startedAtMs: nowMs - HOUR + 30_000 } },
      nowMs,
    }
  }
  const lengthMs = 60_000 + 61_000 + 62_000 + 30_000 + 10_000
  const inserted = apply(day, group(), NOON).state
  const { state: full, nowMs: fullMs } = toHour(lengthMs - 1)
  const { state: fitting, nowMs: fittingMs } = toHour(lengthMs)
  const cases: [PlayoutState, Command, number, object][] = [
    [inserted, group([], 'night'), NOON + 1_000, { reason: 'cooldown', secsLeft: 599 }],
    [day, group([], 'night'), NOON, { reason: 'wrong_mode' }],
    [day, group([]), NOON, { reason: 'empty' }],
    [
      apply(day, switchTo('night'), NOON).state,
      group(songs('night'), 'night'),
      NOON,
      { reason: 'preparing' },
    ],
    [full, group(), fullMs, { reason: 'no_time', minutesLeft: 3 }],
    [
      ordered(fitting, track('asked', 'x', 1_000), 'requested'),
      group(),
      fittingMs,
      { reason: 'no_time', minutesLeft: 3 },
    ],
    [
      apply(day, switchTo('night', NOON + 4 * MINUTE), NOON).state,
      group(),
      NOON,
      { reason: 'no_time', minutesLeft: 4 },
    ],
    [fitting, group(), NOON + 10 * HOUR + 1, { reason: 'no_time', minutesLeft: 0 }],
  ]
  for (const [state, command, nowMs, details] of cases) {
    t.same(apply(state, command, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_GROUP_INSERT_FAILED', details },
    })
  }
  t.ok(apply(fitting, group(), fittingMs).outcome.ok, 'exactly fitting is enough')
  t.ok(
    apply({ ...full, nightMode: false }, group(), fullMs).outcome.ok,
    'without a night there is always time',
  )
  t.equal(groupInsertCooldownSecsLeft(inserted, NOON + 1), 600)
  t.equal(groupInsertCooldownSecsLeft(inserted, NOON + 10 * MINUTE), 0)
  t.equal(groupInsertCooldownSecsLeft(day, NOON), 0)
})

t.test('I2, I4: a group is a block behind the orders, balanced by artist', async (t) => {
  const start = ordered(ordered(playing(tracks(20)), track('asked'), 'requested'), track('paid'), 'donated')
  const before = upcoming(start)
  const group = [
    ...Array.from({ length: 5 }, (_, i) => track(`x${i}`, 'X')),
    track('y0', 'Y'),
    track('y1', 'y'),
    track('z', 'Z'),
  ]
  const { state, outcome } = apply(start, { type: 'insert-group', mode: 'day', tracks: group }, NOON)
  const after = upcoming(state)
  const block = after.slice(2, 10)
  t.same([...after.slice(0, 2), ...after.slice(10)], before)
  t.same(outcome, { ok: true, inserted: block.map((entry) => entry.track.id) })
  t.same(
    block.map((entry) => entry.orderType),
    Array(8).fill(null),
  )
  t.same(block.map((entry) => entry.track.id).sort(), group.map(({ id }) => id).sort())
  t.same(
    block
      .map((entry) => entry.track.artist.toUpperCase())
      .filter((_, i) => i % 2 === 0)
      .slice(0, 4),
    ['X', 'X', 'X', 'X'],
  )
  t.notOk(
    block
      .slice(0, 6)
      .some((entry, i) => entry.track.artist.toUpperCase() === block[i + 1]!.track.artist.toUpperCase()),
  )
  t.same(
    apply(start, { type: 'insert-group', mode: 'day', tracks: group }, NOON).state,
    state,
    'the same seed, the same order',
  )
  const small = apply(
    playing([track('a'), track('b')]),
    { type: 'insert-group', mode: 'day', tracks: group },
    NOON,
  ).state
  t.equal(
    upcoming(apply(small, { type: 'library-changed' }, NOON).state).slice(0, 8).length,
    8,
    'L4: it outlives a change of the library',
  )
})

t.test(
  'whatever admins, time and sound do: one mode at a time, and the same air for whoever works it out',
  async (t) => {
    const seen = { switched: 0, grouped: 0, forced: 0, waiting: 0, withheld: 0, talked: 0, resumed: 0 }
    for (let run = 0; run < 1500; run++) {
      const random = randomFrom(run * 7_919 + 1)
      const schedule: Schedule = {
        natural: 'day',
        changes: Array.from(
          { length: 12 },
          (_, i) =>
            ({
              atMs: NOON + (i + 1) * 15 * MINUTE + random(3) * MINUTE,
              mode: i % 2 ? 'day' : 'night',
            }) as const,
        ),
      }
      const pace: Pace = random(2) ? 'clock' : 'sound'
      const limited: Partial<Limits> = {
        modeSwitchCooldownMs: random(2) * 5 * MINUTE,
        preparingMinMs: random(2) * 3_000,
        groupInsertCooldownMs: random(2) * MINUTE,
      }
      let state = learn(
        initialState(run, pace, schedule, NOON),
        stationFact(schedule, limited, pace),
        NOON,
      ).state
      if (pace === 'sound') {
        const background: UsableClips['background'] = {
          usable: { day: [music('sun'), music('air')], night: [music('moon')] },
          chosenBy: random(2) ? 'random' : 'hosts',
        }
        state = { ...state, live: { ...state.live, participants: [host('h')] } }
        state = learn(state, { type: 'clips', clips: { ...state.clips, background } }, NOON).state
      }
      let nowMs = NOON
      let isSlowLibrary = false
      const take = (step: Step) => {
        for (const effect of step.effects) if (effect.type === 'played') checkStart(effect, step.state)
        state = step.state
      }
      const checkStart = (
        { mode, track, startedAtMs }: Extract<Effect, { type: 'played' }>,
        { withheld, forced }: PlayoutState,
      ) => {
        if (!track.id.startsWith(mode)) t.fail('a track of the other mode was started', { run })
        if (withheld.some((hold) => hold.trackId === track.id && hold.untilMs - MINUTE < startedAtMs))
          t.fail('a withheld track was started', { run, forced })
      }
      for (let i = 0; i < 12; i++) {
        const before = state
        const beforeMs = nowMs
        nowMs += random(4) === 0 ? random(10 * MINUTE) : random(20_000)
        take(advance(state, nowMs))
        if (random(3) === 0) {
          // In two leaps or in one: whoever looks in between changes nothing, and a copy shows the same.
          const halfMs = beforeMs + random(nowMs - beforeMs + 1)
          const inTwo = advance(advance(before, halfMs).state, nowMs).state
          if (!isSame(inTwo, state)) t.fail('looking changed the air', { run })
          if (!isSame(projectSync(before, nowMs), projectSync(state, nowMs)))
            t.fail('a copy projects another air', { run })
        }

        const queue = upcoming(state)
        const size = 1 + random(16)
        const [target, song] = [random(2) ? 'day' : 'night', queue[random(queue.length || 1)]?.track] as const
        const beforeCommand = state
        switch (random(state.pendingSwitch ? 13 : 9)) {
          case 0:
          case 1: {
            const atMs = random(3) ? nowMs + random(random(2) ? MINUTE : 20 * MINUTE) : null
            const step = apply(state, switchTo(target, atMs), nowMs)
            const isMade = step.state.mode === target || step.state.pendingSwitch?.waiting
            if (step.outcome.ok && atMs === null && !isMade) t.fail('a switch that was not made')
            take(step)
            break
          }
          case 2:
            take(
              apply(
                state,
                { type: 'insert-group', mode: target, tracks: songs(target).slice(0, size) },
                nowMs,
              ),
            )
            break
          case 3:
          case 4: {
            if (!song) break
            const lock = lockOf(state, song.id)
            const step = apply(state, release(song.id), nowMs)
            if (step.outcome.ok !== (lock === null)) t.fail('a lock that does not hold', { run })
            take(step)
            break
          }
          case 5: {
            const settled = state.withheld.map(({ trackId }) => ({ trackId, track: null }))
            take(apply(state, { type: 'library-changed', ...(random(2) && { settled }) }, nowMs))
            break
          }
          case 6:
          case 9:
          case 10:
          case 11:
            if (song && onAir(state))
              take({
                state: ordered(
                  state,
                  { ...song, id: `${state.mode}/order.mp3` },
                  random(3) ? 'donated' : 'requested',
                ),
                effects: [],
              })
            break
          case 7:
            take(learn(state, { type: 'sound-ended', entryId: onAir(state)?.entryId ?? '' }, nowMs))
            break
          default:
            take(random(3) ? resume(state, nowMs - 5_000, nowMs) : resume(state, nowMs - HOUR, nowMs))
        }
        const asked = talks[random(4 * talks.length)]
        if (asked) take(apply(state, { ...asked, socketId: 'h' }, nowMs))
        if (state.onAir.phase === 'chat' && random(2)) {
          const { entryId } = state.onAir.background
          take(learn(state, { type: 'sound-ended', entryId }, nowMs))
        }
        if (state !== beforeCommand) take(advance(state, nowMs))
        isSlowLibrary = random(4) === 0
        if (!isSlowLibrary)
          for (const mode of wantedPlaylists(state))
            take(learn(state, library(tracks(size + 2, size, mode), mode), nowMs))
        take(advance(state, nowMs))
        assertLegal(t, state, nowMs)

        const { forced, onAir: air } = state
        seen.switched += Number(state.lastSwitchMs !== before.lastSwitchMs)
        seen.grouped += Number(state.lastGroupInsertMs !== before.lastGroupInsertMs)
        seen.forced += Number(forced !== null)
        seen.waiting += Number(Boolean(state.pendingSwitch?.waiting))
        seen.withheld += Number(state.withheld.length > 0)
        seen.talked += Number(air.phase === 'chat')
        seen.resumed += Number(air.phase === 'track' && air.resumedAtMs !== undefined)
        if (
          forced &&
          (forced.mode === schedule.changes.findLast((change) => change.atMs <= nowMs)?.mode ||
            (forced.untilMs !== null && forced.untilMs <= nowMs))
        )
          t.fail('the schedule wants the same: nothing is forced', { run })
        if (
          forced &&
          forced.mode !== state.mode &&
          !state.isPaused &&
          !state.playlist.entries.slice(state.playlist.index).some((entry) => entry.orderType === 'donated')
        )
          t.fail('a forced mode is on air', { run, state })
        if (air.phase === 'preparing' && dueMode(state, nowMs) !== state.mode)
          t.fail('the wrong mode is prepared', { run })
        if (
          air.phase === 'track' &&
          !isSlowLibrary &&
          state.withheld.length === 0 &&
          state.unplayable.length === 0 &&
          upcoming(state).length < 10 &&
          state.prepared[state.mode]!.entries.length >= 10
        )
          t.fail('L5: there are always ten')
      }
    }
    t.ok(Math.min(...Object.values(seen)) > 30, 'all of it happened', seen)
  },
)
