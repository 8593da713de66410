import type { OutboxEntry } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { NOON, onAir, playing, tracks } from '../../../../tests/harness/air/programme.ts'
import { inTime } from '../../../../tests/harness/until.ts'
import { createAir } from './air.ts'
import { createSaveLoop } from './save-loop.ts'

const MINUTE = 60_000
const log = pino({ level: 'silent' })

/** An air with one-minute tracks, saved by a lease that may refuse. */
function prepare(t: Test) {
  const clock = { nowMs: NOON, aheadMs: 0 }
  const saves: { trackId: string | undefined; due: readonly OutboxEntry['type'][] }[] = []
  const done: OutboxEntry['type'][] = []
  const lease = {
    isLost: false,
    async save(state: ReturnType<typeof playing>, due: readonly OutboxEntry[] = []) {
      if (lease.isLost) throw new Error('lost')
      saves.push({ trackId: onAir(state)?.track.id, due: due.map(({ type }) => type) })
    },
  }
  const outbox = {
    add: ({ type }: OutboxEntry) => void done.push(type),
    pending: [],
    drained: async () => {},
  }
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const stationClock = { nowMs: () => clock.nowMs, aheadMs: () => clock.aheadMs }
  const plans: number[] = []
  const state = playing(tracks(12))
  const air = createAir(
    createSaveLoop(lease, outbox, stationClock),
    { before: state, step: { state, effects: [] } },
    [stopping.signal],
    { clock: stationClock, log },
    () => plans.push(clock.nowMs),
  )
  return { air, clock, lease, saves, done, plans, stopping, first: onAir(state)!.track.id }
}

t.test(
  'no track ends by the clock while catching up; afterwards everything that fell due happens',
  async (t) => {
    const { air, clock, plans, first } = prepare(t)
    await air.save()
    clock.nowMs += 3 * MINUTE
    air.passTime()
    t.equal(onAir(air.state)?.track.id, first)
    t.equal(air.phase, 'catching-up')
    air.endCatchUp()
    t.equal(air.phase, 'on-air')
    t.equal(air.state.playlist.index, 2)
    t.same(plans, [clock.nowMs], 'and the sound is told')
  },
)

t.test('C1: a change is saved with its effects before they are carried out', async (t) => {
  const { air, clock, saves, done } = prepare(t)
  await air.save()
  air.endCatchUp()
  clock.nowMs += 1.5 * MINUTE
  const before = [...done]
  air.passTime()
  t.same(done, before, 'nothing is done of what is not saved')
  await air.save()
  t.same(saves.at(-1), { trackId: onAir(air.state)?.track.id, due: ['played'] })
  t.same(done, ['played'])
})

t.test('followers get each change until the air is left', async (t) => {
  const { air, clock, stopping } = prepare(t)
  air.endCatchUp()
  const seen: string[] = []
  air.follow((before) => seen.push(`${before.playlist.index} to ${air.state.playlist.index}`))
  clock.nowMs += 1.5 * MINUTE
  air.passTime()
  air.passTime()
  t.same(seen, ['0 to 1'], 'where nothing changes nobody is told')
  stopping.abort()
  t.equal(air.phase, 'leaving')
  const { entryId } = onAir(air.state)!
  air.tell({ type: 'unplayable', entryId })
  t.equal(air.state.unplayable.length, 1, 'what is still to be saved is taken in')
  t.equal(seen.length, 1)
})

t.test('an air that cannot be saved is left', async (t) => {
  const { air, lease } = prepare(t)
  await air.save()
  lease.isLost = true
  const isLeft = new Promise((resolve) => air.leaving.addEventListener('abort', resolve))
  air.tell({ type: 'unplayable', entryId: onAir(air.state)!.entryId })
  await inTime('the air is left', isLeft)
  t.equal(air.phase, 'leaving')
  air.endCatchUp()
  t.equal(air.phase, 'leaving', 'for good')
})
