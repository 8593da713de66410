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

t.test('R1: a station that was away for minutes goes on where the clock is, in both modes', async (t) => {
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

t.test('R2: after ten minutes of silence a new list begins', async (t) => {
  const { state } = resume(playing(tracks(20)), NOON, NOON + 600_000)
  t.match(state.onAir, { phase: 'preparing' })
  t.same(upcoming(state), [])
  t.same(wantedPlaylists(state), ['day'])
})

t.test(
  'S7, R2: a restart keeps forced mode, pending switch and cooldowns, however long it took',
  async (t) => {
    const forced = pass(apply(nightStation(), switchTo('night'), NOON).state, NOON + HOUR)
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
      apply(nightStation(), switchTo('night', NOON + HOUR), NOON).state,
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

t.test('R2: what was asked for and paid for outlives an outage, as do requests and cooldowns', async (t) => {
  let state = queueStation({ ...queueLimits, trackRequestExpiryMs: 0, trackRequestCooldownMs: 50 * HOUR })
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

t.test('O4, R1, R2 a takeover goes on with the talk; after a long silence the queue goes on', async (t) => {
  const state = after(talkStation(alwaysDay, backgroundFact([music('a'), music('b', null)])), pause(), NOON)
  const saved = readState(JSON.stringify(state))
  const soon = resume(saved, NOON + SECOND, NOON + 5 * SECOND).state
  t.same(soon, state)
  t.equal(projectAir(soon, NOON + 5 * SECOND).current?.positionMs, 5 * SECOND)
  const later = resume(saved, NOON + SECOND, NOON + 5 * MINUTE).state
  t.match(chat(later), { sinceMs: NOON, interrupted: { positionMs: 0 } })
  assertLegal(t, later, NOON + 5 * MINUTE)
  const waiting = after(talkStation(), pause('afterTrack'), NOON)
  t.equal(
    chat(resume(waiting, NOON, NOON + 3 * MINUTE).state).sinceMs,
    NOON + song(waiting).entry.track.durationMs!,
  )

  const old = resume(saved, NOON, NOON + HOUR).state
  t.equal(old.isPaused, false)
  t.equal(withLists(old, () => tracks(30), NOON + HOUR).onAir.phase, 'track')
})

t.test('J6 whoever takes over goes on with the jingle, or after it', async (t) => {
  const { state, atMs } = toJingle(clipStation(clips({})))
  const soon = resume(readState(JSON.stringify(state)), atMs + 1000, atMs + 3000)
  t.same(soon.state, state)
  t.same(projectAir(soon.state, atMs + 3000).current?.positionMs, 3000)
  const later = resume(state, atMs + 1000, atMs + 8000)
  t.match(later.state.onAir, { phase: 'track', startedAtMs: atMs + 5000 })
  t.match(resume(state, atMs, atMs + 2 * HOUR).state.onAir, { phase: 'preparing' }, 'nothing of it is left')
})
