import t from 'tap'
import {
  changesAt,
  clip,
  clipStation,
  clips,
  distances,
  endOfSound,
  heard,
  some,
  toJingle,
} from '../../../../tests/harness/air/clip-station.ts'
import { dayThenNight, refusal } from '../../../../tests/harness/air/night-station.ts'
import {
  alwaysDay,
  assertLegal,
  NOON,
  playing,
  randomFrom,
  stationFact,
  track,
  tracks,
} from '../../../../tests/harness/air/programme.ts'
import { apply, learn, nextJingle, type PlayoutState, readState } from '../index.ts'
import { initialState, noClips } from '../model/initial-state.ts'

const seldom = clips({ jingles: { frequency: 5 } })
const put = (state: PlayoutState, clipId: string, nowMs = NOON) =>
  apply(state, { type: 'insert-jingle', clipId }, nowMs)

t.test('J7a: the jingle comes after the track on air, whatever the count says', async (t) => {
  const { state, outcome, effects } = put(clipStation(seldom), 'day-2')
  t.same(outcome, { ok: true })
  t.same(effects, [])
  t.same(heard(state, 3).programme, ['s', 'day-2', 's'])
})

t.test('J7a: it comes also after a track that was skipped', async (t) => {
  const { state } = put(clipStation(seldom), 'day-2')
  const skipped = apply(state, { type: 'skip' }, NOON + 1000).state
  t.match(skipped.onAir, { phase: 'jingle', jingle: { clip: { id: 'day-2' } } })
})

t.test('J7a: it comes once, and the count begins anew with it', async (t) => {
  const { programme } = heard(put(clipStation(seldom), 'day-2').state, 8)
  t.same(programme.slice(0, 3), ['s', 'day-2', 's'])
  t.same(distances(programme), [1, 5])
})

t.test('J7a: the last one named counts, also the one that was just heard', async (t) => {
  const { state } = put(put(clipStation(seldom), 'day-2').state, 'day-3')
  const after = heard(state, 2)
  t.same(after.programme, ['s', 'day-3'])
  t.same(heard(put(after.state, 'day-3').state, 2).programme, ['s', 'day-3'])
})

t.test('J7a: where J3b forbids a jingle it waits for the next track', async (t) => {
  const long = [track('long', 'a', 600_000)]
  const atChange = endOfSound(put(clipStation(seldom, long, changesAt(NOON + 602_000)), 'day-2').state).state
  t.match(atChange, { mode: 'day', onAir: { phase: 'track' }, nextJingleId: 'day-2' })
  t.match(endOfSound(put(clipStation(seldom, long), 'day-2').state).state.onAir.phase, 'jingle')
})

t.test('J7b: what cannot be heard is refused with the reason, and changes nothing', async (t) => {
  const refusedWith = (state: PlayoutState, clipId: string, reason: string, nowMs = NOON) => {
    const { state: after, outcome } = put(state, clipId, nowMs)
    t.match(refusal(outcome), { reason })
    t.equal(after, state)
  }
  refusedWith(playing(tracks(9)), 'day-1', 'no_stream')
  refusedWith(initialState(1, 'sound', dayThenNight, NOON), 'day-1', 'preparing')
  refusedWith({ ...clipStation(seldom), isPaused: true }, 'day-1', 'paused')
  const { state, atMs } = toJingle(clipStation(clips({ jingles: { frequency: 1 } })))
  refusedWith(state, 'day-1', 'jingle', atMs + 1000)
  refusedWith(clipStation(seldom), 'night-1', 'wrong_mode')
  refusedWith(clipStation(seldom), 'gone', 'off')
  refusedWith(clipStation(noClips), 'day-1', 'off')
  const two = clips({ jingles: { usable: { day: some(2), night: [] } } })
  refusedWith(clipStation(two), 'day-1', 'too_few')
})

t.test('J7c: a jingle that is no longer usable is forgotten', async (t) => {
  const { state } = put(clipStation(seldom), 'day-2')
  const others = clips({ jingles: { usable: { day: [...some(2), clip('day-3')], night: [] } } })
  t.notOk('nextJingleId' in learn(state, { type: 'clips', clips: others }, NOON).state)
  t.notOk('nextJingleId' in learn(state, { type: 'clip-unplayable', clipId: 'day-2' }, NOON).state)
  t.notOk('nextJingleId' in learn(state, stationFact(alwaysDay, {}, 'clock'), NOON).state)
  t.match(learn(state, { type: 'clips', clips: seldom }, NOON).state, { nextJingleId: 'day-2' })
})

t.test('J7c: it is forgotten when the mode changes', async (t) => {
  const { state } = put(learn(clipStation(seldom), stationFact(alwaysDay, {}, 'sound'), NOON).state, 'day-2')
  const night = apply(state, { type: 'switch-mode', target: 'night', atMs: null }, NOON + 1000).state
  t.equal(night.mode, 'night')
  t.notOk('nextJingleId' in night)
})

t.test('J7c: a pause keeps it', async (t) => {
  const { state } = put(clipStation(seldom), 'day-2')
  const talk = endOfSound({ ...state, isPaused: true }).state
  t.match(talk, { onAir: { phase: 'chat' }, nextJingleId: 'day-2' })
})

t.test('J7, R3: a state without the field has none; one with it is read back', async (t) => {
  const { state } = put(clipStation(seldom), 'day-2')
  t.same(readState(JSON.stringify(state)), state)
  t.notOk('nextJingleId' in clipStation(seldom))
})

t.test('J7: whatever is put next and when, each is heard once, right after the track on air', async (t) => {
  let puts = 0
  for (let run = 0; run < 200; run++) {
    const random = randomFrom(run * 7_919 + 1)
    const frequency = random(2) ? 'random' : 1 + random(5)
    let state = clipStation(clips({ jingles: { frequency: frequency as number | 'random' } }))
    let wanted: string | null = null
    for (let step = 0; step < 20; step++) {
      if (random(3) === 0) {
        const clipId = `day-${random(4)}`
        const { state: next, outcome } = put(state, clipId, NOON)
        t.equal(outcome.ok, state.onAir.phase === 'track')
        if (outcome.ok) wanted = clipId
        else t.equal(next, state)
        state = next
        puts++
        continue
      }
      const wasTrack = state.onAir.phase === 'track'
      const ended = endOfSound(state)
      state = ended.state
      assertLegal(t, state, ended.atMs)
      const heardNow = state.onAir.phase === 'jingle' ? state.onAir.jingle.clip.id : null
      if (wasTrack && wanted && heardNow !== wanted) t.fail('another sound came', { run, wanted, heardNow })
      if (wasTrack) wanted = null
      t.equal(state.nextJingleId, undefined)
    }
  }
  t.ok(puts > 500, `${puts} times`)
})

t.test('J8: a jingle that was put next is taken back, and the count goes on as before', async (t) => {
  const before = clipStation(seldom)
  const { state } = put(before, 'day-2')
  t.match(nextJingle(state), { id: 'day-2' })
  const { state: after, outcome } = apply(state, { type: 'cancel-jingle', clipId: 'day-2' }, NOON)
  t.same(outcome, { ok: true })
  t.same(after, before)
  t.equal(nextJingle(after), null)
  t.same(heard(after, 3).programme, ['s', 's', 's'])
})

t.test('J8: one that is not next any more is refused, and nothing changes', async (t) => {
  const cancel = (state: PlayoutState, clipId: string) => {
    const { state: after, outcome } = apply(state, { type: 'cancel-jingle', clipId }, NOON + 61_000)
    t.match(refusal(outcome), { reason: 'gone' })
    t.equal(after, state)
  }
  cancel(clipStation(seldom), 'day-2')
  const { state } = put(clipStation(seldom), 'day-2')
  cancel(state, 'day-3')
  cancel(endOfSound(state).state, 'day-2')
})
