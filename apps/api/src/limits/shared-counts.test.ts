import t from 'tap'
import { until } from '../../../../tests/harness/until.ts'
import { createConnectionCounter } from './connection-counter.ts'
import { createRequestPace } from './request-pace.ts'
import { type Messages, type OpenCount, shareCounts } from './shared-counts.ts'

const OFFICE = '203.0.113.7'

/** Processes of a replica, and the messages between them. */
function openReplica(processes: number) {
  const listeners = new Map<number, Parameters<Messages['listen']>[0]>()
  const told: { counts: [key: string, count: number][] }[] = []
  const others = (number: number) => [...listeners].filter(([other]) => other !== number)
  const start = (number: number): OpenCount =>
    shareCounts(
      {
        tell(message) {
          told.push(message as (typeof told)[number])
          for (const [, listener] of others(number)) setImmediate(() => listener.onMessage(number, message))
        },
        listen: (listener) => void listeners.set(number, listener),
      },
      processes,
    )
  return {
    told,
    start,
    kill(number: number) {
      for (const [, listener] of others(number)) listener.onGone(number)
    },
  }
}

t.test('connections of an address count at all processes together', async (t) => {
  const replica = openReplica(2)
  const [one, two] = [1, 2].map((number) => createConnectionCounter(10, replica.start(number)('streams', 10)))
  const leave = Array.from({ length: 4 }, () => one!.acquire(OFFICE))
  for (let i = 0; i < 5; i++) two!.acquire(OFFICE)
  t.ok(one!.hasRoom(OFFICE))
  leave.push(one!.acquire(OFFICE))
  for (const process of [one!, two!]) await until('it is full', () => !process.hasRoom(OFFICE))
  t.ok(two!.hasRoom('203.0.113.8'))

  await t.test('one that ends makes room at each', async () => {
    leave.pop()!()
    for (const process of [one!, two!]) await until('there is room', () => process.hasRoom(OFFICE))
  })

  await t.test('those of a process that dies are gone, and its successor knows the others', async (t) => {
    const before = replica.told.length
    for (let i = 0; i < 6; i++) one!.acquire(OFFICE)
    await until('it has told them', () => replica.told.length > before)
    replica.kill(2)
    t.notOk(one!.hasRoom(OFFICE), 'its own are enough')
    const successor = createConnectionCounter(10, replica.start(2)('streams', 10))
    await until('the successor is told', () => !successor.hasRoom(OFFICE))
    for (const end of leave) end()
    await until('there is room', () => successor.hasRoom(OFFICE))
    replica.kill(1)
    t.equal(replica.start(1)('streams', 10).of(OFFICE), 0)
  })
})

t.test('processes tell each other only of addresses that could come near their limit', async (t) => {
  const replica = openReplica(2)
  const [one, two] = [1, 2].map((number) => replica.start(number)('streams', 1_000))
  for (let i = 0; i < 1_000; i++) one!.add(`10.0.${i >> 8}.${i & 255}`, 1)
  two!.add(OFFICE, 249)
  one!.add(OFFICE, 249)
  one!.add(OFFICE, 1)
  await until('both know', () => one!.of(OFFICE) === 499 && two!.of(OFFICE) === 499)
  const told = replica.told.flatMap(({ counts }) => counts)
  t.same(told, [
    [OFFICE, 250],
    [OFFICE, 249],
  ])
})

t.test('requests of an address are paced at all processes together, in the same windows', async (t) => {
  const isTaken = (pace: ReturnType<typeof createRequestPace>) => {
    try {
      pace.take(OFFICE)
      return true
    } catch {
      return false
    }
  }
  const openTwo = (windowS: number) => {
    const replica = openReplica(2)
    const [one, two] = [1, 2].map((number) =>
      createRequestPace({ name: 'hls', turns: 8, windowS }, replica.start(number)),
    )
    return { one: one!, two: two!, told: replica.told }
  }
  const minute = openTwo(60)
  for (const pace of [minute.one, minute.two]) {
    for (let i = 0; i < 4; i++) t.ok(isTaken(pace))
    const before = minute.told.length
    await until('it has told its turns', () => minute.told.length > before)
    await new Promise(setImmediate)
  }
  t.notOk(isTaken(minute.one), 'the ninth of both')
  t.notOk(isTaken(minute.two))

  const short = openTwo(0.2)
  const fill = (pace: ReturnType<typeof createRequestPace>) => {
    for (let i = 0; i < 8; i++) isTaken(pace)
  }
  await until('both are full', () => {
    fill(short.one)
    fill(short.two)
    return !isTaken(short.one) && !isTaken(short.two)
  })
  await until('the next window, for both', () => isTaken(short.one) && isTaken(short.two))
})
