import type { Mode } from '@solstice/contracts'
import t from 'tap'
import {
  assertLegal,
  HOUR,
  isSame,
  library,
  NOON,
  onAir,
  playing,
  randomFrom,
  stationFact,
  toEnd,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import { skipCooldownSecsLeft } from '../boundary/skip.ts'
import type { Command, Effect, Outcome, SongOrder } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { Limits, Pace, PlayoutState, Schedule, TrackRef } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { readState } from '../saved/state-versions.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { resume } from '../step/resume.ts'
import { orderAirsAtMs, orderEffects } from './orders.ts'
import { lockOf, queuePage, searchQueue, shownQueue } from './projection.ts'
import { isOrderKnown } from './queue.ts'
import { trackRequestCooldownSecsLeft } from './track-requests.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const NIGHT = NOON + 10 * HOUR
const dayThenNight: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NIGHT, mode: 'night' },
    { atMs: NOON + 16 * HOUR, mode: 'day' },
    { atMs: NOON + 34 * HOUR, mode: 'night' },
  ],
}
const limits: Partial<Limits> = {
  queueAddCooldownMs: 30 * SECOND,
  queueRemoveCooldownMs: 30 * SECOND,
  queueSkipCooldownMs: 30 * SECOND,
  trackRequestCooldownMs: 5 * MINUTE,
  trackRequestExpiryMs: 5 * MINUTE,
}
const songs = (mode: Mode) => tracks(20, 20, mode)

/** A station with a night, by day, all lists made. */
function station(limited: Partial<Limits> = limits, pace: Pace = 'clock'): PlayoutState {
  const fact = stationFact(dayThenNight, limited, pace)
  return withLists(learn(initialState(7, pace, dayThenNight, NOON), fact, NOON).state, songs, NOON)
}

/** Time passes, and whatever list is wanted then is made. */
function pass(state: PlayoutState, nowMs: number): PlayoutState {
  return withLists(advance(state, nowMs).state, songs, nowMs)
}

/** An hour of music on air since a moment. */
function withLongTrack(state: PlayoutState, startedAtMs: number): PlayoutState {
  const { playlist } = state
  const current = playlist.entries[playlist.index]!
  const entry = { ...current, track: { ...current.track, durationMs: HOUR } }
  return {
    ...state,
    playlist: { ...playlist, entries: playlist.entries.with(playlist.index, entry) },
    onAir: { phase: 'track', entry, startedAtMs },
  }
}

function add(
  song: TrackRef,
  orderType: SongOrder['orderType'] = 'requested',
  order: { tier?: number; orderId?: string; mode?: Mode } = {},
): Command {
  return { type: 'add-song', track: song, mode: 'day', orderType, tier: null, ...order }
}
const ask = (uid: string, song: TrackRef, mode: Mode = 'day'): Command => ({
  type: 'request-track',
  uid,
  socketId: `socket of ${uid}`,
  track: song,
  mode,
})
const decide = (uid: string, action: 'add' | 'reject'): Command => ({
  type: 'answer-track-request',
  uid,
  action,
})
const remove = (position: number): Command => ({ type: 'remove-entry', position })
const skip: Command = { type: 'skip' }
const free = () => station({})

function accepted(state: PlayoutState, command: Command, nowMs = NOON): PlayoutState {
  const step = apply(state, command, nowMs)
  if (!step.outcome.ok) throw new Error(`refused: ${JSON.stringify(step.outcome)}`)
  return step.state
}
const refusal = (outcome: Outcome) => (outcome.ok ? null : outcome.details)
const titles = (state: PlayoutState, count: number) =>
  upcoming(state)
    .slice(0, count)
    .map((entry) => entry.track.title)

t.test(
  'A1: the highest tier first, then as they came, before what was asked for and generated',
  async (t) => {
    let state = free()
    const generated = titles(state, 3)
    const orders: [string, Command][] = [
      ['asked 1', add(track('asked 1'))],
      ['tier 1', add(track('tier 1'), 'donated', { tier: 1 })],
      ['tier 3', add(track('tier 3'), 'donated', { tier: 3 })],
      ['asked 2', add(track('asked 2'))],
      ['no tier', add(track('no tier'), 'donated')],
      ['tier 3 again', add(track('tier 3 again'), 'donated', { tier: 3 })],
      ['tier 2', add(track('tier 2'), 'donated', { tier: 2 })],
    ]
    for (const [title, command] of orders) {
      state = accepted(state, command)
      t.ok(titles(state, 7).includes(title))
      assertLegal(t, state, NOON)
    }
    t.same(titles(state, 10), [
      'tier 3',
      'tier 3 again',
      'tier 2',
      'tier 1',
      'no tier',
      'asked 1',
      'asked 2',
      ...generated,
    ])
    const sync = projectSync(state, NOON)
    t.match(sync, { currentIndex: 0, totalTracks: 27, orderType: null, tier: null })
    t.match(sync.playlist[0], { title: 'tier 3', orderType: 'donated', tier: 3 })
    t.match(sync.playlist[4], { title: 'no tier', orderType: 'donated', tier: null })
    t.match(sync.playlist[6], { title: 'asked 2', orderType: 'lastinline', tier: null })
    t.equal(queuePage(state, 0, 10).total, 26, 'its size minus one')
    t.equal(queuePage(playing(tracks(150)), 0, 1_000).items.length, 100, 'a page has a bound')
    const later = advance(state, nextDueMs(state)!).state
    t.match(projectSync(later, NOON + MINUTE * 2), { title: 'tier 3', orderType: 'donated', tier: 3 })
    t.match(projectSync(later, NOON + MINUTE * 2), { currentIndex: 1, totalTracks: 27 })

    const grouped = accepted(state, { type: 'insert-group', mode: 'day', tracks: tracks(2) })
    t.same(titles(accepted(grouped, add(track('asked 3'))), 8).at(-1), 'asked 3', 'before a group')
  },
)

t.test(
  'A1: at the end of a list an order is still of this list, and heard before the next one',
  async (t) => {
    let state = free()
    while (state.playlist.index < state.playlist.entries.length - 1) state = pass(state, nextDueMs(state)!)
    const nowMs = state.onAir.phase === 'track' ? state.onAir.startedAtMs : 0
    const [generated] = titles(state, 1)
    const ordered = accepted(state, add(track('asked')), nowMs)
    t.same(titles(ordered, 2), ['asked', generated])
    t.equal(lockOf(ordered, 'day/asked.mp3'), 'next')
    t.match(projectAir(ordered, nowMs).next, { track: { title: 'asked' } })
    const heard = advance(ordered, nextDueMs(ordered)!).state
    t.match(projectSync(heard, nextDueMs(ordered)!), { title: 'asked', currentIndex: 20, totalTracks: 21 })
    t.match(onAir(advance(heard, nextDueMs(heard)!).state), { track: { title: generated } })

    const small = playing([track('a'), track('b')])
    const both = accepted(accepted(small, add(track('asked'))), add(track('paid'), 'donated'))
    const changed = accepted(both, { type: 'library-changed' })
    const made = learn(changed, library([track('a'), track('c')]), NOON + 1).state
    t.same(titles(made, 2), ['paid', 'asked'], 'L4: also where the library is small and changes')
    t.equal(made.playlist.entries.length, made.playlist.index + 3)
  },
)

t.test('A2: of several reasons the first in order is told, whatever else holds', async (t) => {
  const playing = station()
  const [beside] = upcoming(playing)
  const song = beside!.track
  const full = accepted(playing, { type: 'switch-mode', target: 'night', atMs: NOON + SECOND })
  const preparing = accepted(full, { type: 'switch-mode', target: 'night', atMs: null })
  // Each holds all reasons that come later; what it says itself is then taken away.
  const reasons: [string, PlayoutState, Mode][] = [
    ['cooldown', { ...preparing, lastAddMs: NOON, unplayable: [song.id] }, 'day'],
    ['not_found', { ...preparing, lastAddMs: null, unplayable: [song.id] }, 'day'],
    ['wrong_mode', preparing, 'day'],
    ['preparing', preparing, 'night'],
    ['no_time', full, 'day'],
    ['duplicate_nearby', playing, 'day'],
  ]
  for (const [reason, state, mode] of reasons)
    t.match(apply(state, add(song, 'requested', { mode }), NOON).outcome, { ok: false, details: { reason } })
})

t.test('A2, A3, A4: a song is refused for its reason, and changes nothing then', async (t) => {
  const day = station()
  const song = track('new', 'x', 2 * MINUTE)
  const [next, second] = upcoming(day)
  const added = accepted(day, add(track('first')))
  const held = accepted(day, { type: 'release-track', trackId: song.id, purpose: 'remove' })
  const currentMs = onAir(day)!.track.durationMs!
  const evening = withLongTrack(pass(day, NIGHT - 2 * HOUR), NIGHT - HOUR - 5 * MINUTE)
  const fullMs = NIGHT - 5 * MINUTE - 30 * SECOND
  const paid = accepted({ ...evening, lastAddMs: null }, add(track('paid', 'x', MINUTE), 'donated'), fullMs)
  const pending = accepted(day, { type: 'switch-mode', target: 'night', atMs: NOON + 3 * MINUTE })
  const switching = accepted(day, { type: 'switch-mode', target: 'night', atMs: null })
  const cases: [PlayoutState, Command, number, object][] = [
    [added, add(song, 'donated', { mode: 'night' }), NOON + 1, { reason: 'cooldown', secsLeft: 30 }],
    [added, add(song), NOON + 29_001, { reason: 'cooldown', secsLeft: 1 }],
    [held, add(song, 'requested', { mode: 'night' }), NOON, { reason: 'not_found' }],
    [day, add(song, 'donated', { mode: 'night' }), NOON, { reason: 'wrong_mode' }],
    [pending, add(song), NOON, { reason: 'no_time', minutesLeft: 3 }],
    [switching, add(song, 'requested', { mode: 'night' }), NOON, { reason: 'preparing' }],
    [evening, add(track('x', 'x', 4 * MINUTE + 50_001)), fullMs, { reason: 'no_time', minutesLeft: 5 }],
    [
      { ...paid, lastAddMs: null },
      add(track('x', 'x', 3 * MINUTE + 50_001)),
      fullMs,
      { reason: 'no_time', minutesLeft: 5 },
    ],
    [evening, add(track('x', 'x', 1)), NIGHT + 1, { reason: 'no_time', minutesLeft: 0 }],
    [day, add(onAir(day)!.track), NOON, { reason: 'duplicate_nearby' }],
    [day, add(next!.track), NOON, { reason: 'duplicate_nearby' }],
    [added, add(track('first')), NOON + MINUTE / 2, { reason: 'duplicate_nearby' }],
    [added, add(next!.track), NOON + MINUTE / 2, { reason: 'duplicate_nearby' }],
  ]
  for (const [state, command, nowMs, details] of cases) {
    t.same(apply(state, command, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_ADD_FAILED', details },
    })
  }
  t.ok(apply(added, add(song), NOON + 30_000).outcome.ok, 'the cooldown is over')
  t.ok(apply(free(), add(second!.track), NOON).outcome.ok, 'further away the same track may stand')
  t.ok(
    apply(evening, add(track('x', 'x', 4 * MINUTE + 50_000)), fullMs).outcome.ok,
    'exactly fitting is enough',
  )
  const between = add(track('x', 'x', 3 * MINUTE - currentMs - 10_000))
  t.ok(apply(pending, between, NOON).outcome.ok)
  const noNight = learn(pending, stationFact(dayThenNight, limits, 'clock', false), NOON).state
  t.ok(
    apply(noNight, add(track('x', 'x', 20 * HOUR)), NOON).outcome.ok,
    'without a night there is always time',
  )

  const small = playing([track('a'), track('b')])
  let last = small
  while (last.playlist.index < last.playlist.entries.length - 1) last = advance(last, nextDueMs(last)!).state
  const following = add(last.prepared.day!.entries[0]!.track)
  t.same(
    refusal(apply(last, following, NOON).outcome),
    { reason: 'duplicate_nearby' },
    'across the end of a list',
  )
})

t.test('A5: an order with an id is queued once, whatever has become of it', async (t) => {
  const order = add(track('paid'), 'donated', { orderId: 'order 1' })
  const queued = accepted(station(), order)
  const again = apply(queued, order, NOON + 1)
  t.same(again, { state: queued, effects: [], outcome: { ok: true } }, 'also during the cooldown')
  const on = advance(queued, nextDueMs(queued)!).state
  t.match(onAir(on), { track: { title: 'paid' }, orderId: 'order 1' })
  t.equal(apply(on, order, nextDueMs(queued)!).state, on, 'while it is on air')
  const played = pass(on, NOON + HOUR)
  t.equal(apply(played, order, NOON + HOUR).state, played, 'after it was played')
  const removed = accepted(queued, remove(1), NOON)
  t.equal(apply(removed, order, NOON).state, removed)

  let many = accepted(free(), order)
  for (let i = 0; i < 250; i++) {
    many = accepted(many, add(track(`${i}`), 'donated', { orderId: `other ${i}` }))
  }
  t.equal(many.orders.length, 200)
  t.equal(apply(many, order, NOON).state, many, 'as long as it waits it is known')
  const other = accepted(many, add(track('249'), 'donated', { orderId: 'new' }))
  t.equal(other.playlist.entries.length, many.playlist.entries.length + 1, 'and another order is another one')
  t.same(readState(JSON.stringify(many)), many)
})

t.test('A10: an order is refused when its time is over, unless it is known', async (t) => {
  const order = { ...add(track('paid'), 'donated', { orderId: 'order 1' }), notAfterMs: NOON + 1 } as Command
  const start = free()
  t.match(refusal(apply(start, order, NOON + 2).outcome), { reason: 'too_late' })
  const queued = apply(start, order, NOON + 1)
  t.ok(queued.outcome.ok)
  t.same(apply(queued.state, order, NOON + 2).outcome, { ok: true })
})

t.test(
  'A8, A9: an order is restored without conditions, and its way through the queue is told',
  async (t) => {
    const started = station()
    const song = track('paid', 'artist', 60_000, 'day')
    const order = (orderId: string, restores = false): Command => ({
      ...(add(song, 'donated', { orderId }) as Extract<Command, { type: 'add-song' }>),
      restores,
    })
    const first = accepted(started, order('first'))
    t.match(refusal(apply(first, order('second'), NOON).outcome), { reason: 'cooldown' })
    const both = accepted(first, order('second', true))
    t.equal(both.lastAddMs, first.lastAddMs, 'no cooldown begins')

    const endMs = nextDueMs(both)!
    const secondMs = endMs + 60_000 + upcoming(both)[1]!.track.durationMs!
    t.equal(orderAirsAtMs(both, 'first', NOON), endMs)
    t.equal(orderAirsAtMs(both, 'second', NOON), secondMs)
    t.equal(orderAirsAtMs(both, 'nobody', NOON), null)
    t.equal(orderAirsAtMs({ ...both, isPaused: true }, 'first', NOON), null)

    const step = advance(both, secondMs + 10_000)
    t.same(orderEffects(both, step), [
      { type: 'order-aired', orderId: 'first', atMs: endMs },
      { type: 'order-aired', orderId: 'second', atMs: secondMs },
      { type: 'order-ended', orderId: 'first', atMs: endMs + 60_000 },
    ])
    t.equal(orderAirsAtMs(step.state, 'second', secondMs + 10_000), secondMs)
    const removed = apply(both, remove(1), NOON)
    t.same(orderEffects(both, removed), [{ type: 'order-dropped', orderId: 'first', why: 'removed' }])
    const { entryId } = both.playlist.entries[both.playlist.index + 3]!
    t.same(orderEffects(both, learn(both, { type: 'unplayable', entryId }, NOON)), [
      { type: 'order-dropped', orderId: 'first', why: 'unplayable' },
      { type: 'order-dropped', orderId: 'second', why: 'unplayable' },
    ])
    const onAirNow = advance(both, endMs).state
    const current = onAir(onAirNow)!.entryId
    t.match(orderEffects(onAirNow, learn(onAirNow, { type: 'unplayable', entryId: current }, endMs + 1)), [
      { orderId: 'first', why: 'unplayable' },
      { orderId: 'second', why: 'unplayable' },
    ])
  },
)

t.test('A6: whatever is shown can be removed by its position', async (t) => {
  const start = station()
  const [first, second, third] = upcoming(start)
  const { state, outcome } = apply(start, remove(2), NOON)
  t.same(outcome, { ok: true, track: second!.track })
  t.same(upcoming(state).slice(0, 2), [first, third])
  t.match(projectSync(state, NOON), { currentIndex: 0, totalTracks: 19 })
  assertLegal(t, state, NOON)
  const found = toEnd(searchQueue(state, third!.track.title)).items.find(({ id }) => id === third!.track.id)!
  t.same(apply({ ...state, lastRemoveMs: null }, remove(found.position), NOON).outcome, {
    ok: true,
    track: third!.track,
  })

  const named = { type: 'remove-entry', position: 1, entryId: third!.entryId } as const
  const moved = advance(start, nextDueMs(start)!).state
  t.same(apply(moved, named, NOON + HOUR).outcome, { ok: true, track: third!.track }, 'wherever it is now')
  const heard = advance(moved, nextDueMs(moved)!).state
  for (const { entryId } of [first!, second!]) {
    t.match(apply(heard, { ...named, entryId }, NOON + HOUR).outcome, { details: { reason: 'not_found' } })
  }

  const cases: [PlayoutState, number, number, object][] = [
    [state, 1, NOON + 1, { reason: 'cooldown', secsLeft: 30 }],
    [state, 0, NOON + 1, { reason: 'cooldown', secsLeft: 30 }],
    [start, 0, NOON, { reason: 'not_found' }],
    [start, -1, NOON, { reason: 'not_found' }],
    [start, 1.5, NOON, { reason: 'not_found' }],
    [start, Number.NaN, NOON, { reason: 'not_found' }],
    [start, 20, NOON, { reason: 'not_found' }],
    [initialState(1, 'clock', dayThenNight, NOON), 1, NOON, { reason: 'not_found' }],
  ]
  for (const [state, position, nowMs, details] of cases) {
    t.same(apply(state, remove(position), nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_REMOVE_FAILED', details },
    })
  }
  t.ok(apply(state, remove(1), NOON + 30_000).outcome.ok)
  t.ok(apply(state, add(track('x')), NOON).outcome.ok, 'other cooldowns are other ones')

  let last = free()
  while (last.playlist.index < last.playlist.entries.length - 1) last = pass(last, nextDueMs(last)!)
  const nowMs = nextDueMs(last)! - 1
  for (let left = 20; left > 10; left--) {
    const shown = shownQueue(last)
    t.equal(shown.length, 10, 'L5')
    last = accepted(last, remove(3), nowMs)
    t.equal(last.prepared.day?.entries.length, left - 1)
    t.notOk(upcoming(last).some(({ entryId }) => entryId === shown[2]!.entryId))
    t.equal(last.playlist.entries.length, 20, 'it was of the next list')
    if (left > 11) t.same(wantedPlaylists(last), [])
  }
  const anew = accepted(last, remove(1), nowMs)
  t.same(wantedPlaylists(anew), ['day'], 'what is too short is made anew')
  t.equal(shownQueue(withLists(anew, songs, nowMs)).length, 10)
})

t.test('A7: a skip ends the track at that moment, in both modes', async (t) => {
  for (const pace of ['clock', 'sound'] as const) {
    const start = station(limits, pace)
    const current = onAir(start)!
    const [next] = upcoming(start)
    const nowMs = NOON + 20_000
    const { state, outcome, effects } = apply(start, skip, nowMs)
    t.same(outcome, { ok: true, track: current.track })
    t.match(effects, [{ type: 'played', track: next!.track, startedAtMs: nowMs }])
    t.equal(effects.length, 1)
    t.match(projectAir(state, nowMs).current, { entry: next, positionMs: 0 })
    t.match(projectSync(state, nowMs), {
      skipCooldownSecsLeft: 30,
      currentIndex: 1,
      totalTracks: 20,
      seek: 0,
    })
    t.equal(projectSync(state, nowMs + 29_001).skipCooldownSecsLeft, 1)
    t.equal(skipCooldownSecsLeft(state, nowMs - 300), 30, 'never more than the limit')
    t.same(apply(state, skip, nowMs + 1_000), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_SKIP_FAILED', details: { reason: 'cooldown', secsLeft: 29 } },
    })
    t.ok(apply(state, skip, nowMs + 30_000).outcome.ok)
    t.equal(
      learn(state, { type: 'sound-ended', entryId: current.entryId }, nowMs + 10).state,
      state,
      'the end of what was skipped ends nothing else',
    )
  }
  const silent = initialState(1, 'clock', dayThenNight, NOON)
  t.same(refusal(apply(silent, skip, NOON).outcome), { reason: 'not_found' })
  t.equal(projectSync(silent, NOON).skipCooldownSecsLeft, 0)

  const atMs = NOON + 10 * MINUTE
  const scheduled = accepted(free(), { type: 'switch-mode', target: 'night', atMs })
  const ordered = accepted(scheduled, add(track('paid'), 'donated'))
  const paid = accepted(advance(withLongTrack(ordered, NOON), atMs).state, skip, atMs)
  t.match(onAir(paid), { track: { title: 'paid' } })
  t.equal(accepted(paid, skip, atMs + 1).mode, 'night', 'S4: a boundary like any')
  t.equal(accepted(advance(free(), NIGHT + 1).state, skip, NIGHT + 1).mode, 'night', 'M1: as well')
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
    t.same(refusal(refused), { reason: 'donated', donated: true })

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

t.test('U1, U2: a request is taken in for review, or refused for its reason', async (t) => {
  const start = station()
  const song = track('wish')
  const { state, outcome, effects } = apply(start, ask('ann', song), NOON)
  t.same(outcome, { ok: true, secsLeft: 300 })
  const request = { uid: 'ann', socketId: 'socket of ann', track: song, mode: 'day', addedAtMs: NOON }
  t.same(effects, [{ type: 'track-requests-changed', trackRequests: [request] }])
  t.same(upcoming(state), upcoming(start))
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 1), 300)
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 299_001), 1)
  t.equal(trackRequestCooldownSecsLeft(state, 'ann', NOON + 300_000), 0)
  t.equal(trackRequestCooldownSecsLeft(state, 'bob', NOON), 0)

  const held = accepted(start, { type: 'release-track', trackId: song.id, purpose: 'remove' })
  const noCooldown = accepted(station({ trackRequestExpiryMs: MINUTE }), ask('ann', song))
  const forEver = accepted(free(), ask('ann', song))
  let full = free()
  for (let i = 0; i < 100; i++) full = accepted(full, ask(`${i}`, song))
  const cases: [PlayoutState, Command, number, object][] = [
    [state, ask('ann', song, 'night'), NOON + 1_000, { reason: 'cooldown', secsLeft: 299 }],
    [noCooldown, ask('ann', song), NOON + 1_000, { reason: 'cooldown', secsLeft: 59 }],
    [forEver, ask('ann', song), NOON + HOUR, { reason: 'cooldown', secsLeft: 60 }],
    [full, ask('ann', song), NOON, { reason: 'cooldown', secsLeft: 60 }],
    [held, ask('ann', song, 'night'), NOON, { reason: 'not_found' }],
    [start, ask('ann', song, 'night'), NOON, { reason: 'wrong_mode' }],
  ]
  for (const [state, command, nowMs, details] of cases) {
    t.same(apply(state, command, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'SUGGESTION_REFUSED', details },
    })
  }
  const rejected = accepted(state, decide('ann', 'reject'), NOON + 1_000)
  t.same(
    refusal(apply(rejected, ask('ann', song), NOON + 2_000).outcome),
    { reason: 'cooldown', secsLeft: 298 },
    'whatever was decided',
  )
  const later = accepted(rejected, ask('ann', song), NOON + 300_000)
  t.same(later.trackRequestCooldowns, [{ uid: 'ann', sinceMs: NOON + 300_000 }], 'what is over is not kept')
})

t.test('U3: to add a request is to queue it; what cannot be queued goes back', async (t) => {
  const song = track('wish')
  const asked = accepted(accepted(station(), ask('ann', song)), ask('bob', track('other')))
  const [ann, bob] = asked.trackRequests
  const added = apply(asked, decide('ann', 'add'), NOON + 1_000)
  t.same(added.outcome, { ok: true, track: song })
  t.same(added.effects, [
    { type: 'track-request-answered', trackRequest: ann, accepted: true, auto: false },
    { type: 'track-requests-changed', trackRequests: [bob] },
  ])
  t.match(upcoming(added.state)[0], { track: song, orderType: 'requested', tier: null })

  const refused = apply(added.state, decide('bob', 'add'), NOON + 2_000)
  t.same(refused.outcome, {
    ok: false,
    code: 'QUEUE_SUGGESTION_INJECT_FAILED',
    details: { reason: 'cooldown', secsLeft: 29 },
  })
  const returned = { ...bob!, addedAtMs: NOON + 2_000 }
  t.same(refused.effects, [{ type: 'track-requests-changed', trackRequests: [returned] }])
  t.same(refused.state.trackRequests, [returned], 'with a new expiry')
  t.same(upcoming(refused.state), upcoming(added.state))

  const rejected = apply(refused.state, decide('bob', 'reject'), NOON + 3_000)
  t.same(rejected.outcome, { ok: true, track: bob!.track })
  t.match(rejected.effects, [
    { type: 'track-request-answered', accepted: false, auto: false },
    { trackRequests: [] },
  ])
  for (const uid of ['bob', 'ann', 'nobody']) {
    t.same(apply(rejected.state, decide(uid, 'add'), NOON + HOUR), {
      state: rejected.state,
      effects: [],
      outcome: { ok: false, code: 'SUGGESTION_NOT_FOUND' },
    })
  }
  const evening = pass(accepted(pass(free(), NIGHT - 1), ask('ann', song), NIGHT - 1), NIGHT + 5 * MINUTE)
  t.same(
    refusal(apply(evening, decide('ann', 'add'), NIGHT + 5 * MINUTE).outcome),
    { reason: 'wrong_mode' },
    'by night nobody can add what was asked for by day',
  )
})

t.test('U4: what nobody decides on ends by itself, and what is gone ends at once', async (t) => {
  const asked = accepted(accepted(station(), ask('ann', track('one'))), ask('bob', track('two')), NOON + 10)
  const [ann, bob] = asked.trackRequests
  t.same(advance(asked, NOON + 5 * MINUTE - 1).state.trackRequests, [ann, bob])
  const { state, effects } = advance(asked, NOON + 5 * MINUTE)
  t.same(state.trackRequests, [bob])
  const own = effects.filter(({ type }) => type !== 'played')
  t.same(own, [
    { type: 'track-request-answered', trackRequest: ann, accepted: false, auto: true },
    { type: 'track-requests-changed', trackRequests: [bob] },
  ])
  t.same(advance(state, NOON + 5 * MINUTE + 10).state.trackRequests, [])
  t.equal(accepted(free(), ask('ann', track('one'))).trackRequests.length, 1)
  t.equal(
    advance(accepted(free(), ask('ann', track('one'))), NOON + HOUR).state.trackRequests.length,
    1,
    '0 is never',
  )

  const settled = [
    { trackId: ann!.track.id, track: null },
    { trackId: bob!.track.id, track: { ...bob!.track, title: 'New' } },
  ]
  const changed = apply(asked, { type: 'library-changed', settled }, NOON + 20)
  t.match(changed.state.trackRequests, [{ uid: 'bob', track: { title: 'New' } }])
  t.match(changed.effects, [
    { type: 'track-request-answered', trackRequest: ann, accepted: false, auto: true },
    { type: 'track-requests-changed', trackRequests: changed.state.trackRequests },
  ])
  t.equal(changed.effects.length, 2)
  t.same(apply(asked, { type: 'library-changed' }, NOON + 20).effects, [])
})

t.test('U5: when day begins after night nobody has asked, and nobody has to wait', async (t) => {
  const endless = { trackRequestCooldownMs: 100 * HOUR }
  const asked = accepted(station(endless), ask('ann', track('one')))
  const night = pass(asked, NIGHT + 5 * MINUTE)
  t.match(night, { mode: 'night', trackRequests: [{ uid: 'ann' }], trackRequestCooldowns: [{ uid: 'ann' }] })
  const ended = advance(night, NOON + 16 * HOUR + 5 * MINUTE)
  t.match(ended.state, { mode: 'day', trackRequests: [], trackRequestCooldowns: [] })
  t.same(
    ended.effects.filter(({ type }) => type !== 'played'),
    [{ type: 'track-requests-changed', trackRequests: [] }],
    'without results',
  )
  const switched = apply(night, { type: 'switch-mode', target: 'day', atMs: null }, NIGHT + 5 * MINUTE)
  t.same(switched.state.trackRequestCooldowns, [])
  t.same(switched.effects, [{ type: 'track-requests-changed', trackRequests: [] }], 'by hand, too')
})

t.test('R2: what was asked for and paid for outlives an outage, as do requests and cooldowns', async (t) => {
  let state = station({ ...limits, trackRequestExpiryMs: 0, trackRequestCooldownMs: 50 * HOUR })
  state = accepted(state, add(track('asked')), NOON)
  state = accepted(state, add(track('paid'), 'donated', { orderId: 'order' }), NOON + MINUTE / 2)
  state = accepted(state, ask('ann', track('wish')), NOON + MINUTE / 2)
  state = accepted(state, remove(5), NOON + MINUTE / 2)
  const aliveMs = NOON + 40_000
  const { state: back, effects } = resume(state, aliveMs, NOON + HOUR)
  t.match(back, {
    mode: 'day',
    playlist: { index: 0, repeats: false },
    onAir: { phase: 'track', startedAtMs: NOON + HOUR, entry: { track: { title: 'paid' } } },
    trackRequests: state.trackRequests,
    trackRequestCooldowns: state.trackRequestCooldowns,
    lastAddMs: NOON + MINUTE / 2,
    lastRemoveMs: NOON + MINUTE / 2,
    orders: ['order'],
  })
  t.same(titles(back, 5), ['asked'])
  t.match(effects, [{ type: 'played', track: { title: 'paid' }, startedAtMs: NOON + HOUR }])
  assertLegal(t, back, NOON + HOUR)
  const informed = withLists(back, songs, NOON + HOUR)
  t.equal(projectSync(informed, NOON + HOUR).playlist.length, 10)
  t.equal(pass(informed, NOON + 2 * HOUR).onAir.phase, 'track')

  const night = resume(state, aliveMs, NIGHT + HOUR).state
  t.match(night, { mode: 'day', onAir: { entry: { track: { title: 'paid' } } } }, 'M1: paid for by day')
  t.same(titles(night, 5), [])
  t.match(pass(night, NIGHT + HOUR + 2 * MINUTE), { mode: 'night', onAir: { phase: 'track' } })
  const onlyAsked = accepted(state, remove(1), NOON + 2 * MINUTE)
  t.match(resume(onlyAsked, NOON + MINUTE, NIGHT + HOUR).state, {
    mode: 'night',
    onAir: { phase: 'preparing', target: 'night' },
    playlist: { entries: [] },
  })
  const nextDay = resume(state, aliveMs, NOON + 20 * HOUR).state
  t.match(nextDay, { mode: 'day', trackRequests: [], trackRequestCooldowns: [] }, 'U5: a night has passed')
  t.same([onAir(nextDay)?.track.title, ...titles(nextDay, 5)], ['paid', 'asked'])

  const pending = {
    ...state,
    pendingSwitch: { target: 'night' as const, atMs: NOON + MINUTE, waiting: null },
  }
  const waiting = resume(pending, aliveMs, NOON + HOUR).state
  t.match(
    waiting,
    { mode: 'day', pendingSwitch: { waiting: { untilMs: NIGHT } } },
    'S4: it waits for the song',
  )
  t.match(onAir(waiting), { track: { title: 'paid' } })
  t.match(advance(waiting, nextDueMs(waiting)!).state, { mode: 'night', pendingSwitch: null })
  const lapsed = resume(pending, aliveMs, NIGHT + HOUR).state
  t.match(lapsed, { mode: 'day', pendingSwitch: null, onAir: { entry: { track: { title: 'paid' } } } })
})

t.test('whatever anybody asks, and whenever a worker dies: each command once, each order once', async (t) => {
  const seen = {
    added: 0,
    refused: 0,
    removed: 0,
    skipped: 0,
    asked: 0,
    answered: 0,
    expired: 0,
    replayed: 0,
    orders: 0,
    cleared: 0,
    over: 0,
    dropped: 0,
  }
  for (let run = 0; run < 1000; run++) {
    const random = randomFrom(run * 104_729 + 1)
    const schedule: Schedule = {
      natural: 'day',
      changes: Array.from({ length: 10 }, (_, i) => ({
        atMs: NOON + (i + 1) * 20 * MINUTE + random(3) * MINUTE,
        mode: i % 2 ? ('day' as const) : ('night' as const),
      })),
    }
    const pace: Pace = random(2) ? 'clock' : 'sound'
    const fact = stationFact(
      schedule,
      {
        queueAddCooldownMs: random(2) * 20_000,
        queueRemoveCooldownMs: random(2) * 20_000,
        queueSkipCooldownMs: random(2) * 20_000,
        trackRequestCooldownMs: random(2) * MINUTE,
        trackRequestExpiryMs: random(3) * MINUTE,
        preparingMinMs: random(2) * 3_000,
      },
      pace,
    )
    let nowMs = NOON
    let state = learn(initialState(run, pace, schedule, NOON), fact, NOON).state
    /** All that a worker reads after a crash: the state, and the commands behind `appliedThrough`. */
    let saved = JSON.stringify(state)
    let text = saved
    const log: Command[] = []
    const starts = new Map<string, number>()
    /** Of each order that was ever queued. */
    let fates = new Map<string, 'waiting' | 'airing' | 'over' | 'dropped'>()
    let savedFates = new Map(fates)
    const take = (step: Step) => {
      const news = orderEffects(state, step)
      state = step.state
      for (const effect of step.effects) check(effect)
      for (const { type, orderId } of news) {
        const [from, to] = (
          {
            'order-aired': ['waiting', 'airing'],
            'order-ended': ['airing', 'over'],
            'order-dropped': ['waiting', 'dropped'],
          } as const
        )[type]
        if (fates.get(orderId) !== from) t.fail('A9: an order that was not there', { run, type, orderId })
        fates.set(orderId, to)
        if (to !== 'airing') seen[to]++
      }
      const { playlist, onAir: air } = state
      const waiting = playlist.entries.slice(playlist.index + 1).flatMap(({ orderId }) => orderId ?? [])
      const airing = air.phase === 'track' ? air.entry.orderId : undefined
      for (const [orderId, fate] of fates) {
        const isWaiting = waiting.includes(orderId)
        if (isWaiting !== (fate === 'waiting') || (orderId === airing) !== (fate === 'airing'))
          t.fail('A9: nobody said what became of an order', { run, orderId, fate })
      }
    }
    const check = (effect: Effect) => {
      if (effect.type === 'track-request-answered') seen[effect.auto ? 'expired' : 'answered']++
      if (effect.type === 'track-requests-changed' && effect.trackRequests.length === 0) seen.cleared++
      if (effect.type !== 'played') return
      if (!effect.track.id.startsWith(effect.mode)) t.fail('a track of the other mode was started', { run })
      if (effect.track.title.startsWith('order ')) starts.set(effect.track.title, effect.startedAtMs)
    }
    const obey = () => {
      for (let at = Number(state.appliedThrough.split('-')[0]); at < log.length; at++) {
        take(advance(state, nowMs))
        const before = state
        const step = apply(state, log[at]!, nowMs)
        const { outcome } = step
        const command = log[at]!
        if (
          command.type === 'add-song' &&
          command.orderId !== undefined &&
          outcome.ok &&
          !isOrderKnown(before, command.orderId)
        )
          fates.set(command.orderId, 'waiting')
        const isReturned = !outcome.ok && outcome.code === 'QUEUE_SUGGESTION_INJECT_FAILED'
        if (!outcome.ok && !isReturned && step.state !== before)
          t.fail('a refusal changed something', { run })
        if (!outcome.ok) seen.refused++
        else if (log[at]!.type === 'skip') seen.skipped++
        else if (log[at]!.type === 'remove-entry') seen.removed++
        else if (log[at]!.type === 'request-track') seen.asked++
        else if (log[at]!.type === 'add-song') seen.added++
        take({ ...step, state: { ...step.state, appliedThrough: `${at + 1}-0` } })
      }
    }
    for (let i = 0; i < 14; i++) {
      const [before, beforeMs] = [state, nowMs]
      nowMs += random(5) === 0 ? random(8 * MINUTE) : random(20_000)
      const later = projectSync(JSON.parse(text), nowMs)
      const halfMs = beforeMs + random(nowMs - beforeMs + 1)
      const inTwo = advance(advance(before, halfMs).state, nowMs).state
      take(advance(state, nowMs))
      if (!isSame(inTwo, state)) t.fail('looking changed the air', { run })
      if (!isSame(later, projectSync(state, nowMs))) t.fail('a copy projects another air', { run })

      const mode: Mode = random(8) ? state.mode : random(2) ? 'day' : 'night'
      const song = track(`order ${run} ${i}`, `artist ${random(5)}`, 20_000 + random(120_000), mode)
      const queued = upcoming(state)[random(12)]?.track ?? song
      const uid = `listener ${random(3)}`
      const asked = state.trackRequests[random(state.trackRequests.length || 1)]?.uid ?? uid
      switch (random(9)) {
        case 0:
        case 1: {
          const orderId = `order ${random(6)}`
          const order = { ...song, id: `${mode}/${orderId}.mp3`, title: orderId }
          log.push(add(order, 'donated', { tier: random(4), orderId, mode }))
          break
        }
        case 2:
          log.push(add(random(3) ? song : { ...queued }, 'requested', { mode }))
          break
        case 3:
          log.push(remove(random(random(2) ? 3 : 12)))
          break
        case 4:
          log.push(skip)
          break
        case 5:
        case 6:
          log.push(ask(uid, song, mode))
          break
        case 7:
          log.push(decide(asked, random(3) ? 'add' : 'reject'))
          break
        default:
          log.push(
            random(3)
              ? {
                  type: 'library-changed',
                  settled: [
                    { trackId: queued.id, track: random(2) ? { ...queued, title: queued.title } : null },
                  ],
                }
              : {
                  type: 'switch-mode',
                  target: random(2) ? 'day' : 'night',
                  atMs: random(2) ? null : nowMs + random(MINUTE),
                },
          )
      }
      obey()
      take(
        learn(
          state,
          { type: 'sound-ended', entryId: random(3) ? 'none' : (onAir(state)?.entryId ?? '') },
          nowMs,
        ),
      )
      if (random(5))
        for (const wanted of wantedPlaylists(state)) take(learn(state, library(songs(wanted), wanted), nowMs))
      take(advance(state, nowMs))
      assertLegal(t, state, nowMs)

      const uids = state.trackRequests.map(({ uid }) => uid)
      if (new Set(uids).size !== uids.length) t.fail('two requests of one listener', { run })
      const rest = state.playlist.entries.slice(state.playlist.index + 1)
      const ranks = rest.map(({ orderType, tier }) =>
        orderType === 'donated' ? 10 + (tier ?? 1) : orderType ? 1 : 0,
      )
      if (ranks.some((rank, i) => i > 0 && rank > ranks[i - 1]!)) t.fail('A1: not in order', { run, ranks })
      const ids = [...state.playlist.entries].flatMap((entry) => entry.orderId ?? [])
      if (new Set(ids).size !== ids.length) t.fail('A5: an order stands twice in a list', { run })
      if (rest.some(({ orderId, track }) => orderId && starts.has(track.title)))
        t.fail('A5: played already', { run })
      seen.orders += ids.length

      // A crash comes before or after the save; what was not saved is done anew, later.
      const crash = random(6)
      text = JSON.stringify(state)
      if (crash > 0) {
        saved = text
        savedFates = new Map(fates)
      }
      if (crash > 1) continue
      if (saved !== text) {
        seen.replayed++
        starts.clear()
      }
      nowMs += random(20_000)
      state = readState(saved)
      fates = new Map(savedFates)
      const { state: restored, effects } = resume(state, random(4) ? nowMs - 5_000 : nowMs - HOUR, nowMs)
      take({ state: restored, effects: [...effects] })
      take(learn(state, fact, nowMs))
      obey()
      take(advance(state, nowMs))
      assertLegal(t, state, nowMs)
      saved = text = JSON.stringify(state)
      savedFates = new Map(fates)
    }
  }
  t.ok(Math.min(...Object.values(seen)) > 30, 'all of it happened', { seen })
})
