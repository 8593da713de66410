import type { Mode } from '@solstice/contracts'
import t from 'tap'
import { dayThenNight, MINUTE, pass, refusal, songs } from '../../../../tests/harness/air/night-station.ts'
import {
  assertLegal,
  HOUR,
  library,
  NOON,
  onAir,
  playing,
  stationFact,
  toEnd,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  add,
  free,
  NIGHT,
  queueLimits,
  queueStation,
  remove,
  SECOND,
  titles,
  withLongTrack,
} from '../../../../tests/harness/air/queue-station.ts'
import type { Command } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { readState } from '../saved/state-versions.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { lockOf, queuePage, searchQueue, shownQueue } from './projection.ts'

const evening = withLongTrack(pass(queueStation(), NIGHT - 2 * HOUR), NIGHT - HOUR - 5 * MINUTE)
const fullMs = NIGHT - 5 * MINUTE - 30 * SECOND

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
  },
)

t.test('L4b: orders outlive a change of a small library', async (t) => {
  const small = playing([track('a'), track('b')])
  const both = accepted(accepted(small, add(track('asked'))), add(track('paid'), 'donated'))
  const changed = accepted(both, { type: 'library-changed' })
  const made = learn(changed, library([track('a'), track('c')]), NOON + 1).state
  t.same(titles(made, 2), ['paid', 'asked'], 'L4: also where the library is small and changes')
  t.equal(made.playlist.entries.length, made.playlist.index + 3)
})

t.test('A2: of several reasons the first in order is told, whatever else holds', async (t) => {
  const playing = queueStation()
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

t.test('A2b: a song is refused for its reason, and changes nothing then', async (t) => {
  const day = queueStation()
  const song = track('new', 'x', 2 * MINUTE)
  const [next] = upcoming(day)
  const added = accepted(day, add(track('first')))
  const held = accepted(day, { type: 'release-track', trackId: song.id, purpose: 'remove' })
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
})

t.test('A2, A3, A4: a song is accepted where nothing is in its way', async (t) => {
  const day = queueStation()
  const song = track('new', 'x', 2 * MINUTE)
  const [, second] = upcoming(day)
  const added = accepted(day, add(track('first')))
  const currentMs = onAir(day)!.track.durationMs!
  const pending = accepted(day, { type: 'switch-mode', target: 'night', atMs: NOON + 3 * MINUTE })
  t.ok(apply(added, add(song), NOON + 30_000).outcome.ok, 'the cooldown is over')
  t.ok(apply(free(), add(second!.track), NOON).outcome.ok, 'further away the same track may stand')
  t.ok(
    apply(evening, add(track('x', 'x', 4 * MINUTE + 50_000)), fullMs).outcome.ok,
    'exactly fitting is enough',
  )
  const between = add(track('x', 'x', 3 * MINUTE - currentMs - 10_000))
  t.ok(apply(pending, between, NOON).outcome.ok)
  const noNight = learn(pending, stationFact(dayThenNight, queueLimits, 'clock', false), NOON).state
  t.ok(
    apply(noNight, add(track('x', 'x', 20 * HOUR)), NOON).outcome.ok,
    'without a night there is always time',
  )
})

t.test('A4a: the first entry of the list that follows is a neighbour', async (t) => {
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
  const queued = accepted(queueStation(), order)
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

t.test('A6a: whatever is shown can be removed by its position', async (t) => {
  const start = queueStation()
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
})

t.test('A6b: an entry that is named is removed wherever it stands', async (t) => {
  const start = queueStation()
  const [first, second, third] = upcoming(start)
  const named = { type: 'remove-entry', position: 1, entryId: third!.entryId } as const
  const moved = advance(start, nextDueMs(start)!).state
  t.same(apply(moved, named, NOON + HOUR).outcome, { ok: true, track: third!.track }, 'wherever it is now')
  const heard = advance(moved, nextDueMs(moved)!).state
  for (const { entryId } of [first!, second!]) {
    t.match(apply(heard, { ...named, entryId }, NOON + HOUR).outcome, { details: { reason: 'not_found' } })
  }
})

t.test('A6c: nothing is removed during the cooldown, nor what is not shown', async (t) => {
  const start = queueStation()
  const { state } = apply(start, remove(2), NOON)
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
})

t.test('A6d: a prepared list that is too short to be shown is made again', async (t) => {
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

t.test('A12: a requested track takes its position among the requested ones', async (t) => {
  let state = free()
  for (const title of ['a', 'b', 'c']) state = accepted(state, add(track(title)))
  state = accepted(state, add(track('paid'), 'donated', { tier: 1 }))
  t.same(titles(accepted(state, add(track('x'), 'requested', { at: 3 })), 5), ['paid', 'a', 'x', 'b', 'c'])
  const first = accepted(state, add(track('x'), 'requested', { at: 1 }))
  t.same(titles(first, 3), ['paid', 'x', 'a'], 'donated tracks stay ahead')
  const last = accepted(state, add(track('x'), 'requested', { at: 500 }))
  t.same(titles(last, 5), ['paid', 'a', 'b', 'c', 'x'], 'generated ones stay behind')
  assertLegal(t, first, NOON)
  const beside = apply(state, add(track('b'), 'requested', { at: 3 }), NOON).outcome
  t.match(refusal(beside), { reason: 'duplicate_nearby' })
  const paid = accepted(state, add(track('more'), 'donated', { tier: 1, at: 1 }))
  t.same(titles(paid, 2), ['paid', 'more'], 'the place of a donated track is paid for')
})
