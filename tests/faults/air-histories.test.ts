import type { PlayoutState } from '@solstice/playout'
import { sleep, type WallClock } from '@solstice/station'
import t, { type Test } from 'tap'
import { decodeChunk } from '../../packages/adapters/src/air/wire.ts'
import {
  countOf,
  openProcess,
  type Promises,
  type StationProcess,
  send,
  work,
} from '../harness/air/holders.ts'
import { randomFrom } from '../harness/air/programme.ts'
import { inForm } from '../harness/long-form.ts'
import type { Teardown } from '../harness/processes/processes.ts'
import { type RedisPair, startRedisPair } from '../harness/servers/redis-pair.ts'
import { inTime, until } from '../harness/until.ts'

const HISTORIES = inForm({ short: 60, long: 1_000 })
/** Histories side by side, each on servers of its own: most of their time they wait. */
const LANES = 16
const STEPS = inForm({ short: 5, long: 8 })
/** Longer than a lease. */
const PAUSE_MS = 4_500

/** Counts of all histories, so that no kind of event can silently stop to happen. */
const seen = { holders: 0, failovers: 0, kept: 0, refused: 0, unknown: 0, chunks: 0 }

t.test(
  'whoever dies, sleeps or fails over: one holder at a time, nothing acknowledged is lost or doubled',
  async (t) => {
    const seeds = Array.from({ length: HISTORIES }, (_, i) => i + 1)
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        const pair = await startRedisPair(t)
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift())
          await testHistory(t, pair, seed)
      }),
    )
    t.comment(`${HISTORIES} histories: ${JSON.stringify(seen)}`)
    t.ok(
      Math.min(seen.failovers, seen.kept / 10, seen.holders - HISTORIES) >= HISTORIES / 2,
      'all of it happened',
    )
  },
)

async function testHistory(t: Test, pair: RedisPair, seed: number) {
  const ends: (() => unknown)[] = []
  const scope: Teardown = { teardown: (end) => void ends.unshift(end) }
  try {
    const problems = await inTime(`history ${seed}`, runHistory(scope, pair, seed))
    if (problems.length > 0) t.fail(`history ${seed}: ${problems.slice(0, 5).join('; ')}`)
  } finally {
    for (const end of ends) await end()
  }
}

async function runHistory(t: Teardown, pair: RedisPair, seed: number): Promise<string[]> {
  const random = randomFrom(seed * 104_729)
  await pair.call('flushall')
  let aheadMs = 0
  const clock: WallClock = {
    nowMs: () => performance.timeOrigin + performance.now() + aheadMs,
    aheadMs: () => 0,
  }
  const promises: Promises = { holders: 0, chunks: new Map(), kept: new Set(), problems: [] }
  const { problems, kept } = promises
  const begin = async () => {
    const process = await openProcess(t, pair, clock)
    void work(process, promises)
    return process
  }
  const [asker, ...workers] = await Promise.all([openProcess(t, pair, clock), begin(), begin()])
  const sent = new Map<string, Promise<string>>()
  const ask = () => {
    const name = `${random(3) ? 'listener' : 'order'} ${seed}.${sent.size}`.padEnd(36, 'x')
    const outcome = send(asker, name).then((outcome) => {
      if (outcome === 'kept') kept.add(name)
      return outcome
    })
    sent.set(name, outcome)
  }
  const sleeps = async ({ link }: StationProcess, maxMs: number) => {
    link.suspend()
    await sleep(random(maxMs))
    link.resume()
  }
  let failovers = 0
  const happenings = [
    // A worker sleeps for longer than a lease.
    async () => {
      aheadMs += PAUSE_MS
      await sleeps(workers[random(workers.length)]!, 900)
    },
    async () => sleeps(asker, 300),
    async () => {
      const i = random(workers.length)
      await workers[i]!.kill()
      aheadMs += random(2) * PAUSE_MS
      workers[i] = await begin()
    },
    async () => {
      if (random(2)) pair.cutTail()
      await sleep(random(200))
      await pair.failOver()
      failovers++
    },
  ]
  for (let step = 0; step < STEPS; step++) {
    for (let i = random(3); i >= 0; i--) ask()
    await sleep(random(200))
    await happenings[random(happenings.length)]!()
  }
  const outcomes = new Map(
    await Promise.all([...sent].map(async ([name, outcome]) => [name, await outcome] as const)),
  )
  const { size } = promises.chunks
  await until('the last holder is on air', () => promises.chunks.size > size + 1)
  problems.push(...(await problemsIn(asker, promises, outcomes)))
  seen.holders += promises.holders
  seen.failovers += failovers
  seen.chunks += promises.chunks.size
  for (const outcome of outcomes.values()) seen[outcome as 'kept' | 'refused' | 'unknown']++
  return problems
}

/** Holds what is left against what was promised. */
async function problemsIn(
  { bus, redis }: StationProcess,
  { chunks }: Promises,
  outcomes: ReadonlyMap<string, string>,
): Promise<string[]> {
  const problems: string[] = []
  let state: PlayoutState | undefined
  const unfollow = await bus.follow((news) => {
    state = news
  })
  await until('the state is read', () => state !== undefined)
  unfollow()
  for (const [name, outcome] of outcomes) {
    const count = countOf(state, name)
    if (count > 1) problems.push(`${name.replace(/x+$/, '')} was carried out ${count} times`)
    if (count !== 1 && outcome === 'kept') problems.push(`${name} was acknowledged and is lost`)
    if (count !== 0 && outcome === 'refused') problems.push(`${name} was refused and carried out`)
  }
  const entries = await redis.xrangeBuffer('solstice:frames', '-', '+')
  const left = entries.flatMap(([, fields]) => decodeChunk(fields) ?? [])
  for (const [i, { frame }] of left.entries()) {
    const before = left[i - 1]
    if (before && frame !== before.frame + before.frames)
      problems.push(`frame ${frame} follows ${before.frame}`)
  }
  const authors = new Map(left.map(({ frame, audio }) => [frame, audio.toString()]))
  for (const [frame, author] of chunks)
    if (frame >= left[0]!.frame && authors.get(frame) !== author) problems.push(`frame ${frame} is lost`)
  return problems
}
