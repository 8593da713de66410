import t from 'tap'
import { air, NOON } from '../../../../tests/harness/air/radio-state.ts'
import { bestSample, offsetMs } from './connection/clock-fit.ts'
import { withSample } from './connection/station-clock.ts'
import {
  airingOf,
  heardAt,
  isChatting,
  positionAt,
  shiftedBy,
  withChat,
  withChatEnd,
  withHalt,
  withJingle,
  withMeasuredStart,
  withState,
  withTrackStart,
} from './timeline.ts'

t.test('a listener hears what was on air when the sound left the station', async (t) => {
  let airings = withState([], air({ seek: 90 }))
  airings = withState(airings, air({ track: 'day/b.mp3', title: 'B', serverTimeMs: NOON + 10_000, seek: 0 }))
  const behind = heardAt(airings, NOON + 6000)
  t.equal(behind?.state.title, 'A', 'four seconds behind, the last song still plays')
  t.equal(positionAt(behind!, NOON + 6000), 96)
  const live = heardAt(airings, NOON + 12_000)
  t.equal(live?.state.title, 'B')
  t.equal(positionAt(live!, NOON + 12_000), 2)
  t.equal(positionAt(live!, NOON + 999_000), 100, 'a position is never beyond the song')
  t.equal(heardAt([], NOON), null)
})

t.test('a repeated state replaces the last one; tracks long past are dropped', async (t) => {
  let airings = withState([], air({}))
  airings = withState(airings, air({ serverTimeMs: NOON + 2000, seek: 2.1 }))
  t.equal(airings.length, 1)
  t.equal(airings[0]?.startedAtMs, NOON - 100)
  airings = withState(airings, air({ track: 'day/b.mp3', serverTimeMs: NOON + 100_000 }))
  t.equal(airings.length, 2)
  airings = withState(airings, air({ track: 'day/c.mp3', serverTimeMs: NOON + 300_000 }))
  t.same(
    airings.map(({ state }) => state.track),
    ['day/b.mp3', 'day/c.mp3'],
  )
  const again = withState([airingOf(air({}))], air({ serverTimeMs: NOON + 100_000 }))
  t.equal(again.length, 2, 'a track that follows itself is two airings')
})

t.test('a chat starts when it is announced, having no position', async (t) => {
  const talk = air({ title: 'Just chatting', artist: '', duration: 0, serverTimeMs: NOON + 5000 })
  t.ok(isChatting(talk))
  t.notOk(isChatting(air({ title: 'Just chatting', artist: 'A Band' })), 'a song may bear that name')
  const airings = withState(withState([], air({})), talk)
  t.equal(heardAt(airings, NOON + 4000)?.state.title, 'A')
  t.equal(heardAt(airings, NOON + 5000)?.state.title, 'Just chatting')
})

t.test('during a jingle the position stands where the track ended, until one starts', async (t) => {
  const told = air({ seek: 90 })
  let airings = withJingle(withState([], told), NOON + 9000)
  const at = (afterMs: number) => positionAt(heardAt(airings, NOON + afterMs)!, NOON + afterMs)
  t.equal(at(5000), 95, 'a listener who lags still hears the end of the track')
  t.equal(at(20_000), 99)
  airings = withState(airings, air({ seek: 99, serverTimeMs: NOON + 11_000 }))
  airings = withState(airings, air({ seek: 99, serverTimeMs: NOON + 70_000 }))
  airings = withMeasuredStart(airings, told.track, NOON + 30_000)
  t.equal(airings.length, 1, 'a jingle of any length is no repetition of the track')
  t.same([5000, 20_000, 80_000].map(at), [95, 99, 99])

  const again = withTrackStart(airings, told.track, NOON + 80_000)
  t.same(
    [70_000, 84_000].map((afterMs) => positionAt(heardAt(again, NOON + afterMs)!, NOON + afterMs)),
    [99, 4],
    'the same track may follow itself',
  )
  const other = air({ track: 'day/b.mp3', title: 'B', seek: 1, serverTimeMs: NOON + 81_000 })
  t.equal(positionAt(withState(airings, other).at(-1)!, NOON + 82_000), 2)
  t.same(withTrackStart(airings, 'day/c.mp3', NOON), airings, 'the start of an unknown track changes nothing')
})

t.test('a listener who joins during a jingle notices it by the halted position', async (t) => {
  let airings = withState([], air({ seek: 80 }))
  airings = withState(airings, air({ seek: 80, serverTimeMs: NOON + 2000 }))
  t.equal(positionAt(airings[0]!, NOON + 30_000), 80)
  airings = withState(airings, air({ seek: 84, serverTimeMs: NOON + 34_000 }))
  t.equal(positionAt(airings[0]!, NOON + 36_000), 86, 'when it moves again, so does the page')
})

t.test('while no sound comes, the position runs to the end of the buffer', async (t) => {
  const told = air({ seek: 30 })
  let airings = withHalt(withState([], told), told.track, 32)
  const at = (afterMs: number) => positionAt(heardAt(airings, NOON + afterMs)!, NOON + afterMs)
  t.same([-5000, 1000, 2000, 5000].map(at), [25, 31, 32, 32])
  airings = withState(airings, air({ seek: 32, serverTimeMs: NOON + 4000 }))
  t.same([1000, 5000].map(at), [31, 32])
  airings = withState(airings, air({ seek: 36, serverTimeMs: NOON + 6000 }))
  t.same([1000, 5000].map(at), [31, 35], 'it goes on as soon as sound comes again')
  t.same(withHalt(airings, 'day/b.mp3', 40), airings)
})

t.test(
  'a chat is shown when it is heard, however late, and so is the track that goes on after it',
  async (t) => {
    const talk = (afterMs: number) =>
      air({ title: 'Just chatting', artist: '', duration: 0, serverTimeMs: NOON + afterMs })
    const back = (afterMs: number) =>
      air({ seek: 42 + (afterMs - 30_000) / 1000, serverTimeMs: NOON + afterMs })
    const at = (airings: ReturnType<typeof withState>, afterMs: number) => {
      const airing = heardAt(airings, NOON + afterMs)!
      return isChatting(airing.state) ? 'talk' : positionAt(airing, NOON + afterMs)
    }
    const told = withState([], air({ seek: 40 }))
    for (const isTold of [true, false]) {
      let airings = isTold ? withChat(told, NOON + 2000) : told
      for (const afterMs of [2100, 4100, 6100, 28_100]) airings = withState(airings, talk(afterMs))
      if (isTold) airings = withChat(airings, NOON + 2000)
      t.same(
        [1900, 2200, 20_000].map((afterMs) => at(airings, afterMs)),
        [41.9, 'talk', 'talk'],
      )
      t.equal(airings.length, 2)
      const [first, second] = [withState(airings, back(30_100)), withChatEnd(airings, NOON + 30_000)]
      const orders = isTold ? [withChatEnd(first, NOON + 30_000), withState(second, back(30_100))] : [first]
      for (const ended of orders) {
        const later = withState(ended, back(32_100))
        t.same(
          [29_900, 30_100, 33_000].map((afterMs) => at(later, afterMs)),
          ['talk', 42.1, 45],
        )
      }
    }
    const next = air({ track: 'day/b.mp3', seek: 1, serverTimeMs: NOON + 31_000 })
    t.equal(at(withState(withState(told, talk(2100)), next), 31_000), 1)
    t.same(withChat([], NOON), [])
    t.same(withChatEnd(told, NOON), told)
  },
)

t.test('a change of the station’s clock is followed at once, and nothing jumps', async (t) => {
  const DAY = 86_400_000
  for (const byMs of [-DAY, -60_000, 60_000, DAY]) {
    const good = { sentMs: 0, serverMs: NOON + 5, receivedMs: 10 }
    const slow = { sentMs: 8_000, serverMs: NOON + byMs + 8_400, receivedMs: 8_800 }
    const samples = withSample([good], slow)
    t.same(samples, [slow], 'however good the samples before it')
    t.same(
      withSample([good], { ...slow, serverMs: NOON + 8_100 }).length,
      2,
      'a slow answer is not a changed clock',
    )
    const setByMs = offsetMs(bestSample(samples)!) - offsetMs(good)
    const before = airingOf(air({ seek: 30 }))
    const after = shiftedBy({ ...before, heldFromMs: NOON + 40_000 }, setByMs)
    t.equal(positionAt(after, NOON + 5_000 + setByMs), positionAt(before, NOON + 5_000))
    t.equal(positionAt(after, NOON + 90_000 + setByMs), 70, 'a halt stays where it is')
  }
})
