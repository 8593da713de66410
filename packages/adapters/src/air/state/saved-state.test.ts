import { initialState, type PlayoutState, type QueueEntry } from '@solstice/playout'
import type { Bus } from '@solstice/station'
import t from 'tap'
import { alwaysDay, isSame, NOON, tracks } from '../../../../../tests/harness/air/programme.ts'
import { startRedis, type Teardown } from '../../../../../tests/harness/processes/processes.ts'
import { openBus } from '../../../../../tests/harness/stations/bus.ts'
import { waiting } from '../../../../../tests/harness/until.ts'

const never = new AbortController().signal

/** The states that somebody is told, and the one with a serial number once it is there. */
async function follow(t: Teardown, bus: Bus) {
  const told = waiting()
  const states: PlayoutState[] = []
  const unfollow = await bus.follow((state) => {
    states.push(state)
    told.changed()
  })
  t.teardown(unfollow)
  return async (serial: number): Promise<PlayoutState> => {
    const isIt = (state: PlayoutState) => state.serial === serial
    await told.until(`state ${serial} is told`, () => states.some(isIt))
    return states.find(isIt)!
  }
}

/** A list of this many entries, more than one write holds. */
function station(count: number): PlayoutState {
  const entries = tracks(count).map(
    (track, i): QueueEntry => ({
      entryId: `e${i}`,
      track: { ...track, album: `An album with a name of some length, number ${i}` },
      orderType: null,
      tier: null,
    }),
  )
  return {
    ...initialState(1, 'clock', alwaysDay, NOON),
    serial: count,
    playlist: { entries, index: 7, repeats: false },
    prepared: { day: { entries: entries.slice(5), repeats: false } },
    onAir: { phase: 'track', entry: entries[7]!, startedAtMs: NOON },
  }
}

/** The next state: a track was removed. */
function changed(state: PlayoutState, place = 9): PlayoutState {
  const entries = state.playlist.entries.filter((_, i) => i !== place)
  return { ...state, serial: state.serial + 1, playlist: { ...state.playlist, entries } }
}

t.test(
  'a library of 20 000 tracks reaches followers and whoever takes over; a change of it is small',
  async (t) => {
    const { url } = await startRedis(t)
    const [worker, replica, standby] = await Promise.all([openBus(t, url), openBus(t, url), openBus(t, url)])
    const lease = await worker.bus.acquireLease(never)
    const first = station(20_000)
    await lease.save(first)
    const seen = await follow(t, replica.bus)
    t.ok(isSame(await seen(first.serial), first), 'also who comes late')

    const received = async () =>
      Number(/total_net_input_bytes:(\d+)/.exec(await worker.redis.info('stats'))![1])
    const before = await received()
    let state = first
    for (let i = 0; i < 20; i++) {
      state = changed(state, 10 + i * 500)
      await lease.save(state)
    }
    const bytes = ((await received()) - before) / 20
    t.ok(bytes < 64 * 1024, `${Math.round(bytes)} bytes a change, with all that is said beside`)
    t.ok(isSame(await seen(state.serial), state))

    await lease.release()
    const next = await standby.bus.acquireLease(never)
    const saved = (await next.resume())!
    t.ok(isSame(saved.state, state))
    const blocks = await worker.redis.hkeys('solstice:air-blocks')
    await worker.redis.hset('solstice:air-blocks', 'stray', 'of a worker that was killed while it wrote')
    await next.save({ ...saved.state, serial: 1 })
    t.ok(isSame((await seen(1)).playlist, state.playlist))
    t.same(
      new Set(await worker.redis.hkeys('solstice:air-blocks')),
      new Set(blocks),
      'nothing is written twice',
    )
    await next.save({ ...initialState(1, 'clock', alwaysDay, NOON), serial: 2 })
    await seen(2)
    t.ok(
      (await worker.redis.hlen('solstice:air-blocks')) < 20 + blocks.length / 2,
      'lists that are over leave',
    )
  },
)

t.test(
  'blocks that were lost are written again; without them whoever takes over goes on with the head',
  async (t) => {
    const { url } = await startRedis(t)
    const [worker, replica] = await Promise.all([openBus(t, url), openBus(t, url)])
    const lease = await worker.bus.acquireLease(never)
    const state = station(3_000)
    await lease.save(state)
    await worker.redis.del('solstice:air-blocks')
    const seen = await follow(t, replica.bus)
    const left = await seen(state.serial)
    t.same(left.onAir, state.onAir)
    t.same(left.playlist.entries, state.playlist.entries.slice(7, 28))
    const next = changed(state)
    await lease.save(next)
    const whole = await follow(t, (await openBus(t, url)).bus)
    t.same(await whole(next.serial), next)

    await lease.release()
    await worker.redis.hdel('solstice:air-blocks', (await worker.redis.hkeys('solstice:air-blocks'))[0]!)
    const other = await replica.bus.acquireLease(never)
    const saved = (await other.resume())!
    t.match(saved.state, { onAir: next.onAir, prepared: {}, serial: next.serial })
    await other.save({ ...saved.state, serial: 1 })
    t.same((await whole(1)).playlist, saved.state.playlist)
  },
)

t.test('a state of the version before is taken up', async (t) => {
  const { url } = await startRedis(t)
  const { bus, redis } = await openBus(t, url)
  const state = station(50)
  await redis.xadd('solstice:air', '5-1', 'state', JSON.stringify(state), 'due', '[]')
  const seen = await follow(t, bus)
  t.same(await seen(50), state)
  const lease = await bus.acquireLease(never)
  t.same((await lease.resume())?.state, state)
  await lease.save(changed(state))
  t.same(await seen(51), changed(state))
})

t.test('a worker whose lease another one has lays no blocks', async (t) => {
  const { url } = await startRedis(t)
  const [worker, other] = await Promise.all([openBus(t, url), openBus(t, url)])
  const lease = await worker.bus.acquireLease(never)
  await lease.save(station(5))
  await worker.redis.del('solstice:lease')
  const holder = await other.bus.acquireLease(never)
  await t.rejects(lease.save(station(20_000)))
  t.equal((await holder.resume())?.state.serial, 5)
  t.ok((await worker.redis.hlen('solstice:air-blocks')) < 10)
})
