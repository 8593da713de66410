import t from 'tap'
import { clips } from '../../../../tests/harness/air/clip-station.ts'
import { refusal } from '../../../../tests/harness/air/night-station.ts'
import { NOON, onAir, track } from '../../../../tests/harness/air/programme.ts'
import { accepted, add, queueStation, remove } from '../../../../tests/harness/air/queue-station.ts'
import type { Command } from '../model/commands/commands.ts'
import { upcoming } from '../model/playlists.ts'
import { soundStartMs } from '../model/timing.ts'
import { advance, nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { learn } from '../step/learn.ts'
import { orderAirsAtMs, orderEffects } from './orders.ts'

const song = track('paid', 'artist', 60_000, 'day')
const order = (orderId: string, restores = false): Command => ({
  ...(add(song, 'donated', { orderId }) as Extract<Command, { type: 'add-song' }>),
  restores,
})

/** Two orders for one track stand next. */
const withBoth = () => accepted(accepted(queueStation(), order('first')), order('second', true))

t.test('A8: an order is restored without regard to the cooldown', async (t) => {
  const first = accepted(queueStation(), order('first'))
  t.match(refusal(apply(first, order('second'), NOON).outcome), { reason: 'cooldown' })
  const both = accepted(first, order('second', true))
  t.equal(both.lastAddMs, first.lastAddMs, 'no cooldown begins')
})

t.test('A9: the moment of an order is known while it waits', async (t) => {
  const both = withBoth()
  const endMs = nextDueMs(both)!
  const secondMs = endMs + 60_000 + upcoming(both)[1]!.track.durationMs!
  t.equal(orderAirsAtMs(both, 'first', NOON), endMs)
  t.equal(orderAirsAtMs(both, 'second', NOON), secondMs)
  t.equal(orderAirsAtMs(both, 'nobody', NOON), null)
  t.equal(orderAirsAtMs({ ...both, isPaused: true }, 'first', NOON), null)
})

t.test('A9a: an order gives its start and its end', async (t) => {
  const both = withBoth()
  const endMs = nextDueMs(both)!
  const secondMs = endMs + 60_000 + upcoming(both)[1]!.track.durationMs!
  const step = advance(both, secondMs + 10_000)
  t.same(orderEffects(both, step), [
    { type: 'order-aired', orderId: 'first', atMs: endMs },
    { type: 'order-aired', orderId: 'second', atMs: secondMs },
    { type: 'order-ended', orderId: 'first', atMs: endMs + 60_000 },
  ])
  t.equal(orderAirsAtMs(step.state, 'second', secondMs + 10_000), secondMs)
})

t.test('A9a: an order ends before the jingle behind it, also when both are over', async (t) => {
  const told = learn(queueStation({}, 'sound'), { type: 'clips', clips: clips({}) }, NOON).state
  const ordered = accepted(told, order('first'))
  const playing = advance(ordered, nextDueMs(ordered)!).state
  t.equal(onAir(playing)?.orderId, 'first')
  // Neither sound ends by itself.
  const endMs = soundStartMs(playing) + 60_000 + 30_000
  const nextMs = endMs + 5_000 + 15_000
  const before = accepted(playing, { type: 'insert-jingle', clipId: 'day-0' }, endMs - 30_001)
  const step = advance(before, nextMs + 1)
  t.match(step.effects, [{ type: 'played', startedAtMs: nextMs }])
  t.same(orderEffects(before, step), [{ type: 'order-ended', orderId: 'first', atMs: endMs }])
})

t.test('A9b: an order that is dropped says why', async (t) => {
  const both = withBoth()
  const removed = apply(both, remove(1), NOON)
  t.same(orderEffects(both, removed), [{ type: 'order-dropped', orderId: 'first', why: 'removed' }])
  const { entryId } = both.playlist.entries[both.playlist.index + 3]!
  t.same(orderEffects(both, learn(both, { type: 'unplayable', entryId }, NOON)), [
    { type: 'order-dropped', orderId: 'first', why: 'unplayable' },
    { type: 'order-dropped', orderId: 'second', why: 'unplayable' },
  ])
  const onAirNow = advance(both, nextDueMs(both)!).state
  const current = onAir(onAirNow)!.entryId
  t.match(
    orderEffects(onAirNow, learn(onAirNow, { type: 'unplayable', entryId: current }, nextDueMs(both)! + 1)),
    [
      { orderId: 'first', why: 'unplayable' },
      { orderId: 'second', why: 'unplayable' },
    ],
  )
})
