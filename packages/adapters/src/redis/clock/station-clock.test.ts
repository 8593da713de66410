import { once } from 'node:events'
import { initialState } from '@solstice/playout'
import { type FrameChunk, timeLimit } from '@solstice/station'
import t from 'tap'
import { machineClock } from '../../../../../tests/harness/processes/machine-clock.ts'
import { startRedis, type Teardown } from '../../../../../tests/harness/processes/processes.ts'
import { openBus } from '../../../../../tests/harness/stations/bus.ts'
import { inTime, PATIENCE_MS, until } from '../../../../../tests/harness/until.ts'
import { LEASE_MS, readLease } from '../../air/lease/status.ts'

/** Ends a wait for a lease that is never free. */
const inVain = () => timeLimit(PATIENCE_MS)
const DAY_MS = 86_400_000
/** Far more than a loaded machine takes between two looks at a clock, and far less than any clock is set by. */
const NEAR_MS = 30_000

/** A station's Redis on a machine whose clock can be set, and processes that join it. */
async function machine(t: Teardown) {
  const wall = await machineClock(t)
  const server = await startRedis(t, wall.env)
  const join = () => openBus(t, server.url)
  return { wall, server, join }
}

type Joined = Awaited<ReturnType<Awaited<ReturnType<typeof machine>>['join']>>

/** The station's time minus the time that really passes. */
const driftOf = ({ clock }: Joined) => clock.nowMs() - performance.now()
const dateOf = ({ clock }: Joined) => clock.nowMs() - clock.aheadMs()
const isSet = ({ clock }: Joined) => {
  const set = new Promise<number>((resolve) => {
    const unsubscribe = clock.onSet((byMs) => {
      unsubscribe()
      resolve(byMs)
    })
  })
  return inTime('the clock is set', set)
}
const correctionIn = async ({ redis }: Joined) => Number(await redis.get('solstice:clock-correction'))
/** True when Redis has an anchor of this process's time that a later process can use. */
const isAnchored = async ({ redis }: Joined) => (await redis.exists('solstice:clock-anchor')) === 1

t.test(
  'a wall clock that is set on air moves dates at once, and neither the time nor the lease',
  async (t) => {
    const { wall, join } = await machine(t)
    const [worker, replica, standby] = [await join(), await join(), await join()]
    const lease = await worker.bus.acquireLease(inVain())
    const stopping = new AbortController()
    const waiting = standby.bus.acquireLease(stopping.signal).catch(() => null)
    await until('the time is anchored', () => isAnchored(worker))
    const driftMs = driftOf(worker)
    await worker.redis.set('solstice:a-limit', 1, 'PX', 60_000)
    for (const byMs of [-DAY_MS, 10 * 60_000, DAY_MS]) {
      const noticed = Promise.all([isSet(worker), isSet(replica)])
      wall.step(byMs)
      for (const setBy of await noticed) t.ok(Math.abs(setBy - byMs) < NEAR_MS, `set by ${byMs} ms`)
      await until(
        'the correction is agreed on',
        async () => Math.abs((await correctionIn(replica)) - worker.clock.aheadMs()) < 1,
      )
      for (const process of [worker, replica]) {
        t.ok(Math.abs(driftOf(process) - driftMs) < NEAR_MS, 'the time goes on evenly')
        t.ok(Math.abs(dateOf(process) - wall.nowMs()) < NEAR_MS, 'dates are right')
      }
      const late = await join()
      t.ok(Math.abs(driftOf(late) - driftMs) < NEAR_MS, 'also for who comes later')
      t.ok((await readLease(late.redis)).isHeld)
      const leftMs = await worker.redis.pttl('solstice:a-limit')
      if (byMs === -DAY_MS) t.ok(leftMs > 0 && leftMs <= 60_000, 'a limit lasts as long as before')
      await late.leave()
    }
    t.notOk(lease.lost.aborted, 'no lease was lost')
    await lease.save(initialState(1, 'clock', { natural: 'day', changes: [] }, 0))
    stopping.abort()
    t.equal(await waiting, null)
    await lease.release()
  },
)

t.test('a wall clock that is set while nobody runs moves no time on this machine', async (t) => {
  const { wall, join } = await machine(t)
  for (const byMs of [-DAY_MS, DAY_MS]) {
    const before = await join()
    const lease = await before.bus.acquireLease(inVain())
    await until('the time is anchored', () => isAnchored(before))
    await lease.save(initialState(1, 'clock', { natural: 'day', changes: [] }, 0))
    const driftMs = driftOf(before)
    // Killed: it hands nothing over.
    await before.leave()
    wall.step(byMs)
    const after = await join()
    t.ok(Math.abs(driftOf(after) - driftMs) < NEAR_MS, `set by ${byMs} ms`)
    t.ok(Math.abs(dateOf(after) - wall.nowMs()) < NEAR_MS)
    const next = await after.bus.acquireLease(inVain())
    const { aliveAtMs } = (await next.resume())!
    t.ok(Math.abs(after.clock.nowMs() - aliveAtMs) < 30_000, 'the lease of a killed holder ends in its time')
    await next.release()
    await after.leave()
  }
})

t.test('a correction that the version before kept, and its lease, are taken up', async (t) => {
  const { wall, join } = await machine(t)
  const first = await join()
  const HOURS_MS = 8 * 3_600_000
  await first.redis.set('solstice:clock-correction', '-28800000.250')
  await first.redis.set('solstice:alive', String(wall.nowMs() - HOURS_MS - 60_000))
  const lease = (ms: number) => first.redis.set('solstice:lease', 'of a holder that was killed', 'PX', ms)
  await lease(LEASE_MS)
  const taken = await join()
  t.ok(Math.abs(dateOf(taken) - wall.nowMs()) < NEAR_MS, 'dates are right at once')
  t.ok(Math.abs(taken.clock.aheadMs() + HOURS_MS) < NEAR_MS, 'what its state says of moments holds')
  await lease(2_000)
  t.ok((await readLease(taken.redis)).isHeld)
  const held = await taken.bus.acquireLease(inVain())
  await held.release()
})

t.test(
  'living processes keep the time while nobody holds the lease, also when Redis forgets it',
  async (t) => {
    const { wall, join } = await machine(t)
    const [one, other] = [await join(), await join()]
    const lease = await one.bus.acquireLease(inVain())
    await until('the time is anchored', () => isAnchored(one))
    await lease.release()
    const driftMs = driftOf(one)
    const noticed = Promise.all([isSet(one), isSet(other)])
    wall.step(-DAY_MS)
    await noticed
    await one.redis.flushall()
    await until(
      'the correction is kept anew',
      async () => Math.abs((await correctionIn(one)) - DAY_MS) < NEAR_MS,
    )
    for (const process of [one, other]) t.ok(Math.abs(driftOf(process) - driftMs) < NEAR_MS)
  },
)

t.test('a Redis that was emptied, and its clock set back, is followed anew', async (t) => {
  const { wall, join } = await machine(t)
  const [worker, replica] = [await join(), await join()]
  const state = (serial: number) => ({
    ...initialState(1, 'clock', { natural: 'day', changes: [] }, 0),
    serial,
  })
  const chunk = (frame: number): FrameChunk => ({
    frame,
    frames: 19,
    atMs: frame * 26,
    byte: 0,
    audio: Buffer.from('x'),
    markers: [],
  })
  const seen = { states: [] as number[], frames: [] as number[] }
  await replica.bus.follow(({ serial }) => void seen.states.push(serial))
  const stop = new AbortController()
  const following = (async () => {
    for await (const { frame } of replica.bus.frames(stop.signal)) seen.frames.push(frame)
  })()
  const first = await worker.bus.acquireLease(inVain())
  await first.save(state(1))
  await first.publish(chunk(100))
  await worker.redis.xadd('solstice:commands', '*', 'asker', 'nobody')
  const sent = await first.lastCommand()
  t.not(sent, '0-0')
  await until('state and chunk are seen', () => seen.frames.length === 1 && seen.states.length === 1)
  wall.step(-DAY_MS)
  await worker.redis.flushall()
  if (!first.lost.aborted) await once(first.lost, 'abort')
  const second = await worker.bus.acquireLease(inVain())
  t.equal(await second.lastCommand(), '0-0')
  await second.save(state(2))
  await second.publish(chunk(200))
  await until('the next ones are seen', () => seen.frames.length === 2 && seen.states.length === 2)
  t.same(seen, { states: [1, 2], frames: [100, 200] })
  // The state of before tells of commands that are long gone.
  const asking = worker.bus.send({ type: 'library-changed' })
  for await (const { asker, command } of second.commands(sent)) {
    t.equal(command.type, 'library-changed')
    await second.answer(asker, { ok: true })
    break
  }
  t.same(await asking, { ok: true })
  stop.abort()
  await following
})
