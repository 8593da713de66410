import t from 'tap'
import { clipStation, clips, toJingle } from '../../../../tests/harness/air/clip-station.ts'
import {
  MINUTE,
  nightStation,
  pass,
  songs,
  switchTo,
  withoutNight,
} from '../../../../tests/harness/air/night-station.ts'
import {
  alwaysDay,
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
  accepted,
  add,
  ask,
  NIGHT,
  queueLimits,
  queueStation,
  remove,
  titles,
} from '../../../../tests/harness/air/queue-station.ts'
import {
  after,
  backgroundFact,
  chat,
  music,
  pause,
  SECOND,
  song,
  talkStation,
} from '../../../../tests/harness/air/talk-station.ts'
import { readState } from '../index.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { Schedule } from '../model/state.ts'
import { projectAir } from '../project/air.ts'
import { projectSync } from '../project/sync.ts'
import { advance, nextDueMs } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

t.test('R1a: a station that was away for minutes goes on where the clock is, in both modes', async (t) => {
  for (const pace of ['clock', 'sound'] as const) {
    const start = playing(tracks(20), pace)
    const first = onAir(start)!
    const middle = resume(start, NOON + 1000, NOON + 30_000)
    t.equal(onAir(middle.state)?.entryId, first.entryId)
    t.same(middle.effects, [], 'T5: going on is no start')
    t.equal(projectAir(middle.state, NOON + 30_000).current?.positionMs, 30_000)
    const later = resume(start, NOON + 1000, NOON + first.track.durationMs! + 2000)
    t.equal(onAir(later.state)?.entryId, upcoming(start)[0]!.entryId)
    t.equal(later.state.pace, pace)
  }
})

t.test('R2a, R2c: after ten minutes of silence a new list begins', async (t) => {
  const { state } = resume(playing(tracks(20)), NOON, NOON + 600_000)
  t.match(state.onAir, { phase: 'preparing' })
  t.same(upcoming(state), [])
  t.same(wantedPlaylists(state), ['day'])
})

/** By day, with the night forced since noon, and a group inserted an hour later. */
function forcedNight() {
  const forced = pass(apply(nightStation(), switchTo('night'), NOON).state, NOON + HOUR)
  const group = { type: 'insert-group', mode: 'night', tracks: songs('night').slice(0, 2) } as const
  const grouped = apply(forced, group, NOON + HOUR).state
  return { forced, pending: apply(grouped, switchTo('day', NOON + 3 * HOUR), NOON + HOUR).state }
}

t.test('S7: a restart keeps forced mode, pending switch and cooldowns, however long it took', async (t) => {
  const { pending } = forcedNight()
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
})

t.test('S7: a switch that fell due meanwhile is made up for, and the hours since then count', async (t) => {
  const { pending } = forcedNight()
  t.match(resume(pending, NOON + HOUR, NOON + 4 * HOUR).state, {
    mode: 'day',
    forced: null,
    pendingSwitch: null,
    lastSwitchMs: NOON + 3 * HOUR,
  })
  const nextDay = resume(pending, NOON + HOUR, NOON + 11 * HOUR).state
  t.match(nextDay, { mode: 'night', forced: null, pendingSwitch: null })
  const nightOrdered = apply(nightStation(), switchTo('night', NOON + HOUR), NOON).state
  const overslept = resume(nightOrdered, 0, NOON + 17 * HOUR).state
  t.match(overslept, { mode: 'day', forced: null, pendingSwitch: null })
})

t.test('S7: a forced night ends with the night mode, and moves with the schedule', async (t) => {
  const { forced, pending } = forcedNight()
  const noNight = learn(pending, withoutNight, NOON + HOUR).state
  t.match(noNight, { forced: null, pendingSwitch: null })
  t.equal(pass(noNight, NOON + HOUR + 3 * MINUTE).mode, 'day')
  const moved: Schedule = { natural: 'day', changes: [{ atMs: NOON + 8 * HOUR, mode: 'night' }] }
  t.match(learn(forced, stationFact(moved), NOON + HOUR).state.forced, {
    mode: 'night',
    untilMs: NOON + 8 * HOUR,
  })
})

const ALIVE_MS = NOON + 40_000

/** A requested and a donated song are queued, and somebody has asked for another. */
function withOrders() {
  let state = queueStation({ ...queueLimits, trackRequestExpiryMs: 0, trackRequestCooldownMs: 50 * HOUR })
  state = accepted(state, add(track('asked')), NOON)
  state = accepted(state, add(track('paid'), 'donated', { orderId: 'order' }), NOON + MINUTE / 2)
  state = accepted(state, ask('ann', track('wish')), NOON + MINUTE / 2)
  return accepted(state, remove(5), NOON + MINUTE / 2)
}

t.test('R2b, R2d: what was asked for and paid for outlives an outage, as do cooldowns', async (t) => {
  const state = withOrders()
  const { state: back, effects } = resume(state, ALIVE_MS, NOON + HOUR)
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
})

t.test('R2b: where the mode has changed only what was paid for is played first', async (t) => {
  const state = withOrders()
  const night = resume(state, ALIVE_MS, NIGHT + HOUR).state
  t.match(night, { mode: 'day', onAir: { entry: { track: { title: 'paid' } } } }, 'M1: paid for by day')
  t.same(titles(night, 5), [])
  t.match(pass(night, NIGHT + HOUR + 2 * MINUTE), { mode: 'night', onAir: { phase: 'track' } })
  const onlyAsked = accepted(state, remove(1), NOON + 2 * MINUTE)
  t.match(resume(onlyAsked, NOON + MINUTE, NIGHT + HOUR).state, {
    mode: 'night',
    onAir: { phase: 'preparing', target: 'night' },
    playlist: { entries: [] },
  })
})

t.test('U5, R2d: track requests end with their day, what was queued does not', async (t) => {
  const nextDay = resume(withOrders(), ALIVE_MS, NOON + 20 * HOUR).state
  t.match(nextDay, { mode: 'day', trackRequests: [], trackRequestCooldowns: [] })
  t.same([onAir(nextDay)?.track.title, ...titles(nextDay, 5)], ['paid', 'asked'])
})

t.test('S4, R2b: a switch that fell due meanwhile waits for the paid song', async (t) => {
  const pending = {
    ...withOrders(),
    pendingSwitch: { target: 'night' as const, atMs: NOON + MINUTE, waiting: null },
  }
  const waiting = resume(pending, ALIVE_MS, NOON + HOUR).state
  t.match(waiting, { mode: 'day', pendingSwitch: { waiting: { untilMs: NIGHT } } })
  t.match(onAir(waiting), { track: { title: 'paid' } })
  t.match(advance(waiting, nextDueMs(waiting)!).state, { mode: 'night', pendingSwitch: null })
  const lapsed = resume(pending, ALIVE_MS, NIGHT + HOUR).state
  t.match(lapsed, { mode: 'day', pendingSwitch: null, onAir: { entry: { track: { title: 'paid' } } } })
})

/** Hosts have talked since noon; read back as a worker that takes over does. */
function savedTalk() {
  const state = after(talkStation(alwaysDay, backgroundFact([music('a'), music('b', null)])), pause(), NOON)
  return { state, saved: readState(JSON.stringify(state)) }
}

t.test('O4e, R1a: a takeover goes on with the talk', async (t) => {
  const { state, saved } = savedTalk()
  const soon = resume(saved, NOON + SECOND, NOON + 5 * SECOND).state
  t.same(soon, state)
  t.equal(projectAir(soon, NOON + 5 * SECOND).current?.positionMs, 5 * SECOND)
  const later = resume(saved, NOON + SECOND, NOON + 5 * MINUTE).state
  t.match(chat(later), { sinceMs: NOON, interrupted: { positionMs: 0 } })
  assertLegal(t, later, NOON + 5 * MINUTE)
})

t.test('O2b, R1a: a talk that fell due meanwhile began where the song ended', async (t) => {
  const waiting = after(talkStation(), pause('afterTrack'), NOON)
  t.equal(
    chat(resume(waiting, NOON, NOON + 3 * MINUTE).state).sinceMs,
    NOON + song(waiting).entry.track.durationMs!,
  )
})

t.test('O8, R2: after a long silence the queue goes on', async (t) => {
  const old = resume(savedTalk().saved, NOON, NOON + HOUR).state
  t.equal(old.isPaused, false)
  t.equal(withLists(old, () => tracks(30), NOON + HOUR).onAir.phase, 'track')
})

t.test('J6: a worker that takes over goes on with the jingle, or after it', async (t) => {
  const { state, atMs } = toJingle(clipStation(clips({})))
  const soon = resume(readState(JSON.stringify(state)), atMs + 1000, atMs + 3000)
  t.same(soon.state, state)
  t.same(projectAir(soon.state, atMs + 3000).current?.positionMs, 3000)
  const later = resume(state, atMs + 1000, atMs + 8000)
  t.match(later.state.onAir, { phase: 'track', startedAtMs: atMs + 5000 })
  t.match(resume(state, atMs, atMs + 2 * HOUR).state.onAir, { phase: 'preparing' }, 'nothing of it is left')
})
