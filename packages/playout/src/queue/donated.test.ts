import type { Mode } from '@solstice/contracts'
import t from 'tap'
import {
  HOUR,
  host,
  NOON,
  onAir,
  playing,
  stationFact,
  track,
  tracks,
  withLists,
} from '../../../../tests/harness/air/programme.ts'
import type { Command, SongOrder } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming } from '../model/playlists.ts'
import type { Pace, PlayoutState, Schedule, TrackRef } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { resume } from '../step/resume.ts'
import { orderEffects } from './orders.ts'
import { obstacleTo } from './queue.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const NIGHT = NOON + 10 * HOUR
const dayThenNight: Schedule = {
  natural: 'day',
  changes: [
    { atMs: NIGHT, mode: 'night' },
    { atMs: NOON + 16 * HOUR, mode: 'day' },
  ],
}
const songs = (mode: Mode) => tracks(20, 20, mode)
const paid = track('paid', 'Hilda', 3 * MINUTE)

/** A station with a night and a host, by day, all lists made. */
function station(pace: Pace = 'sound'): PlayoutState {
  const fresh = initialState(7, pace, dayThenNight, NOON)
  const { state } = learn(fresh, stationFact(dayThenNight, {}, pace), NOON)
  const live = { ...state.live, participants: [host('h')] }
  return withLists({ ...state, live }, songs, NOON)
}

const donate = (song: TrackRef, orderId: string, order: Partial<SongOrder> = {}): Command => ({
  type: 'add-song',
  track: song,
  mode: 'day',
  orderType: 'donated',
  tier: null,
  orderId,
  ...order,
})
const toNight = (atMs: number | null = null): Command => ({ type: 'switch-mode', target: 'night', atMs })
const pause: Command = { type: 'pause-queue', socketId: 'h', when: 'now' }

function accepted(state: PlayoutState, command: Command, nowMs = NOON): PlayoutState {
  const step = apply(state, command, nowMs)
  if (!step.outcome.ok) throw new Error(`refused: ${JSON.stringify(step.outcome)}`)
  return step.state
}

/** The song on air has ended. */
function ended(state: PlayoutState, nowMs: number): Step {
  const entryId = onAir(state)?.entryId ?? ''
  return state.pace === 'clock'
    ? advance(state, nowMs)
    : learn(state, { type: 'sound-ended', entryId }, nowMs)
}

/** A donated song begins at the moment. */
function donatedOnAir(pace: Pace, atMs: number, song = paid): PlayoutState {
  return ended(endingAt(accepted(station(pace), donate(song, 'order')), atMs), atMs).state
}

/** The song on air ends at the moment. */
function endingAt(state: PlayoutState, atMs: number): PlayoutState {
  const { onAir: air } = state
  if (air.phase !== 'track') throw new Error('nothing is on air')
  return { ...state, onAir: { ...air, startedAtMs: atMs - air.entry.track.durationMs! } }
}

const titles = (state: PlayoutState, most: number) => upcoming(state, most).map((entry) => entry.track.title)

t.test('A4: a donated song stands beside itself nowhere, and is not refused for it', async (t) => {
  const first = accepted(station(), donate(paid, 'one'))
  const [next] = upcoming(station())
  const second = accepted(first, donate(paid, 'two'))
  t.same(titles(second, 4), ['paid', next!.track.title, 'paid', titles(station(), 2)[1]])
  const third = accepted(second, donate(paid, 'three'))
  t.same(titles(third, 5).filter((title) => title === 'paid').length, 3)
  t.same(titles(accepted(third, donate(track('other'), 'four')), 2), ['paid', 'other'], 'A1 for all others')
  t.same(titles(accepted(first, donate(next!.track, 'next')), 4)[3], next!.track.title, 'before itself')

  const alone = playing([paid])
  t.equal(upcoming(accepted(alone, donate(paid, 'one')))[0]!.orderId, 'one', 'where there is nothing else')
})

t.test('A3: what is generated before an order counts where it has to fit', async (t) => {
  const apart = accepted(accepted(station(), donate(paid, 'one')), donate(paid, 'two'))
  const [one, between, two] = upcoming(apart)
  const onAirMs = onAir(apart)!.track.durationMs!
  const queuedMs = onAirMs + [one, between, two].reduce((sum, entry) => sum + entry!.track.durationMs!, 0)
  const switched = accepted(station(), toNight(NOON + queuedMs + MINUTE + 10 * SECOND))
  const state = { ...switched, playlist: apart.playlist, serial: apart.serial }
  t.match(apply(state, donate(track('x', 'x', MINUTE + 1), 'x'), NOON).outcome, { ok: false })
  t.match(apply(state, donate(track('x', 'x', MINUTE), 'x'), NOON).outcome, { ok: true })
})

t.test('A2: who is about to pay hears what the queue would say, but for the cooldown', async (t) => {
  const order = { track: paid, mode: 'day', orderType: 'donated', tier: null } as const
  const state = station()
  t.equal(obstacleTo({ ...state, lastAddMs: NOON }, order, NOON), null)
  t.equal(obstacleTo(accepted(state, donate(paid, 'one')), order, NOON), null)
  const cases: [string, PlayoutState, number, Partial<SongOrder>][] = [
    ['not_found', { ...state, unplayable: [paid.id] }, NOON, {}],
    ['wrong_mode', state, NOON, { mode: 'night' }],
    ['preparing', accepted(state, toNight()), NOON, { mode: 'night' }],
    ['no_time', accepted(state, toNight(NOON + MINUTE)), NOON, {}],
  ]
  for (const [reason, air, nowMs, changed] of cases)
    t.match(obstacleTo(air, { ...order, ...changed }, nowMs), { reason })
})

t.test('M1: donated songs are played before the mode changes, wherever they stand', async (t) => {
  const apart = accepted(accepted(station(), donate(paid, 'one')), donate(paid, 'two'))
  const [one, , two] = upcoming(apart)
  const first = ended(endingAt(apart, NIGHT + SECOND), NIGHT + SECOND)
  t.equal(onAir(first.state), one)
  const second = ended(first.state, NIGHT + 3 * MINUTE)
  t.equal(onAir(second.state), two)
  t.same(
    orderEffects(first.state, second).map(({ type }) => type),
    ['order-aired', 'order-ended'],
  )
  t.equal(ended(second.state, NIGHT + 6 * MINUTE).state.mode, 'night')
})

for (const pace of ['clock', 'sound'] as const)
  t.test(`S2, S4: no switch cuts a donated song short (${pace})`, async (t) => {
    const atMs = NOON + HOUR
    const state = donatedOnAir(pace, atMs)
    t.equal(onAir(state)?.orderId, 'order')
    const asked = accepted(state, toNight(), atMs + MINUTE)
    t.equal(onAir(asked)?.orderId, 'order')
    t.match(projectSync(asked, atMs + MINUTE), {
      mode: 'day',
      isPlaying: true,
      pendingModeSwitch: { targetMode: 'night', executeAtMs: null },
    })
    t.match(apply(asked, donate(track('late'), 'late'), atMs + MINUTE).outcome, {
      details: { reason: 'no_time', minutesLeft: 0 },
    })
    const planned = accepted(state, toNight(atMs + 2 * MINUTE), atMs + MINUTE)
    t.match(planned.pendingSwitch, { waiting: null })
    for (const waiting of [asked, advance(planned, atMs + 2 * MINUTE).state]) {
      t.same(waiting.pendingSwitch?.waiting, { untilMs: NIGHT })
      const over = ended(waiting, atMs + 3 * MINUTE)
      t.match(over.state, { mode: 'night', pendingSwitch: null, lastSwitchMs: atMs + 3 * MINUTE })
      t.match(over.state.onAir, { phase: 'preparing', target: 'night' })
      t.same(orderEffects(waiting, over), [
        { type: 'order-ended', orderId: 'order', atMs: atMs + 3 * MINUTE },
      ])
      const skipped = accepted(waiting, { type: 'skip' }, atMs + 2 * MINUTE)
      t.equal(skipped.mode, 'night', 'a skip is one')
    }
    const others = accepted(asked, { type: 'switch-mode', target: 'night', atMs: NIGHT - 1 }, atMs + MINUTE)
    t.equal(others.pendingSwitch?.atMs, NIGHT - 1, 'who asks again is the one who counts')
  })

t.test('O1: no pause cuts a donated song short', async (t) => {
  const atMs = NOON + HOUR
  let state = donatedOnAir('sound', atMs)
  for (let time = 0; time < 2; time++) state = accepted(state, pause, atMs + MINUTE)
  t.ok(state.isPaused)
  t.equal(onAir(state)?.orderId, 'order')
  const over = ended(state, atMs + 3 * MINUTE)
  t.match(over.state.onAir, { phase: 'chat', interrupted: null })
  t.match(orderEffects(state, over), [{ type: 'order-ended' }])
})

t.test('R4: silence does not count for a donated song', async (t) => {
  const starts = ({ effects }: Step) => effects.filter(({ type }) => type === 'played')
  const waiting = accepted(accepted(station(), donate(paid, 'one')), donate(track('next'), 'two'))
  const leftMs = onAir(waiting)!.track.durationMs!
  for (const awayMs of [leftMs, 6 * MINUTE, 9 * MINUTE + 59 * SECOND, 15 * MINUTE, HOUR]) {
    const backMs = NOON + SECOND + awayMs
    const step = resume(waiting, NOON + SECOND, backMs)
    t.match(step.state.onAir, { phase: 'track', startedAtMs: backMs, entry: { orderId: 'one' } })
    t.equal(upcoming(step.state)[0]!.orderId, 'two')
    t.match(starts(step), [{ orderId: 'one', startedAtMs: backMs }], 'it alone is played')
    t.same(orderEffects(waiting, step), [{ type: 'order-aired', orderId: 'one', atMs: backMs }])
  }

  const atMs = NOON + HOUR
  const begun = donatedOnAir('sound', atMs, {
    ...paid,
    cuePoints: { gainDb: null, startMs: 2_000, endMs: null },
  })
  t.equal(onAir(begun)?.orderId, 'order')
  for (const awayMs of [15 * SECOND, 15 * MINUTE]) {
    const backMs = atMs + MINUTE + awayMs
    const step = resume(begun, atMs + MINUTE, backMs)
    t.match(step.state.onAir, {
      phase: 'track',
      startedAtMs: backMs - MINUTE - 2_000,
      resumedAtMs: backMs,
      entry: { orderId: 'order' },
    })
    t.equal(step.state.playlist.entries[step.state.playlist.index]?.orderId, 'order')
    t.same([starts(step), orderEffects(begun, step)], [[], []], 'it goes on')
    t.ok(nextDueMs(step.state)! > backMs + 2 * MINUTE)
  }
  const nearlyOver = resume(begun, atMs + 3 * MINUTE - 11 * SECOND, atMs + 4 * MINUTE)
  t.match(orderEffects(begun, nearlyOver), [{ type: 'order-ended' }], 'what is as good as over is')
  t.same(
    resume(begun, atMs + 3 * MINUTE - SECOND, atMs + 3 * MINUTE - SECOND).state,
    begun,
    'but not without silence',
  )

  const short = accepted(station(), donate(track('short', 'x', 5 * SECOND), 'short'))
  t.match(resume(short, NOON, NOON + 5 * MINUTE).state.onAir, { entry: { orderId: 'short' } })

  const asked = accepted(begun, toNight(), atMs + MINUTE)
  const back = resume(asked, atMs + MINUTE, atMs + 5 * MINUTE)
  t.equal(onAir(back.state)?.orderId, 'order', 'a switch goes on waiting')
  t.ok(back.state.pendingSwitch?.waiting)
})

t.test(
  'R4c: a donated song behind one that sounds longer than its tags say is heard from its beginning',
  async (t) => {
    const waiting = accepted(station(), donate(track('short', 'x', 30 * SECOND), 'order'))
    const stoppedMs = nextDueMs(waiting)! - SECOND
    t.equal(advance(waiting, stoppedMs).state.onAir, waiting.onAir, 'T2: the song before it is still heard')
    const backMs = stoppedMs + MINUTE
    const step = resume(waiting, stoppedMs, backMs)
    t.match(step.state.onAir, { phase: 'track', startedAtMs: backMs, entry: { orderId: 'order' } })
    t.match(step.effects, [{ type: 'played', orderId: 'order', startedAtMs: backMs }])
    t.same(orderEffects(waiting, step), [{ type: 'order-aired', orderId: 'order', atMs: backMs }])
  },
)

t.test('R1: what nobody heard was not played, but what is on air then is', async (t) => {
  const state = station()
  const step = resume(state, NOON, NOON + 5 * MINUTE)
  const { onAir: air } = step.state
  t.match(step.effects, [{ type: 'played', track: onAir(step.state)!.track }])
  t.equal(step.effects.length, 1)
  t.ok(air.phase === 'track' && air.startedAtMs > NOON && air.startedAtMs <= NOON + 5 * MINUTE)
  t.ok(resume(station('clock'), NOON, NOON + 5 * MINUTE).effects.length > 2, 'in sync mode all was heard')
})
