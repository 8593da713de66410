import t from 'tap'
import { beginTime, keepTime, type Look, type Time } from './timekeeping.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Numbers in [0, 1) that are the same at each run (mulberry32). */
function numbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let n = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    n = (n + Math.imul(n ^ (n >>> 7), 61 | n)) ^ n
    return ((n ^ (n >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Machines with a Redis between them. `trueMs` passes evenly; the wall clock can be set, and each process has a monotonic
 * clock of its own and looks over a line that is slow at times, more one way than the other.
 */
function world(seed: number) {
  const random = numbers(seed)
  const redis = { aheadMs: 0, aliveMs: null as number | null }
  let trueMs = 0
  let wallMs = Date.UTC(2026, 0, 1)
  let holder: Process | null = null

  interface Process {
    time: Time
    stationMs(): number
    dateMs(): number
    look(): void
  }
  const startProcess = (isOnHoldersMachine = true): Process => {
    const startedMs = trueMs - random() * DAY
    const monotonicMs = () => trueMs - startedMs
    const see = (): Look => {
      const tripMs = random() < 0.05 ? random() * 2_500 : random() * 5
      // The answer was written somewhere within the trip.
      const skewMs = (random() - 0.5) * tripMs
      const { aheadMs, aliveMs } = redis
      const aliveAtMs = aliveMs !== null && isOnHoldersMachine ? aliveAt - startedMs : null
      const wallOffsetMs = wallMs - monotonicMs() + skewMs
      return { atMs: monotonicMs(), tripMs, wallOffsetMs, aheadMs, aliveMs, aliveAtMs }
    }
    const looks = Array.from({ length: 5 }, see)
    const begun = beginTime(looks.reduce((best, look) => (look.tripMs < best.tripMs ? look : best)))
    const process: Process = {
      time: begun.time,
      stationMs: () => monotonicMs() + process.time.offsetMs,
      dateMs: () => process.stationMs() - process.time.aheadMs,
      look() {
        const kept = keepTime(process.time, see())
        process.time = kept.time
        if (kept.isToAgree) redis.aheadMs = process.time.aheadMs
      },
    }
    if (begun.isToAgree) redis.aheadMs = process.time.aheadMs
    return process
  }
  let aliveAt = 0
  return {
    redis,
    random,
    startProcess,
    hold(process: Process | null) {
      holder = process
    },
    set(byMs: number) {
      wallMs += byMs
    },
    get wallMs() {
      return wallMs
    },
    get trueMs() {
      return trueMs
    },
    /** All look once a second, the holder renews. */
    pass(seconds: number, processes: Process[]) {
      for (let i = 0; i < seconds; i++) {
        trueMs += 1000
        wallMs += 1000
        for (const process of processes) process.look()
        if (!holder) continue
        aliveAt = trueMs
        redis.aliveMs = holder.stationMs()
        redis.aheadMs = holder.time.aheadMs
      }
    },
  }
}

t.test(
  'however the wall clock is set, the time goes on evenly and dates are right within seconds',
  async (t) => {
    for (let seed = 1; seed <= 60; seed++) {
      const air = world(seed)
      const [worker, api, jobs] = [air.startProcess(), air.startProcess(), air.startProcess(false)]
      const all = [worker, api, jobs]
      // Sometimes nobody holds the lease.
      const isHeld = air.random() < 0.7
      air.hold(isHeld ? worker : null)
      air.pass(10, all)
      const begunMs = worker.stationMs() - air.trueMs
      for (let step = 0; step < 6; step++) {
        air.set((air.random() - 0.5) * 2 * (air.random() < 0.5 ? DAY : 2 * MINUTE))
        air.pass(3 + Math.floor(air.random() * 60), all)
        for (const process of all) {
          const offMs = process.stationMs() - air.trueMs - begunMs
          if (Math.abs(offMs) > 1_500) t.fail(`seed ${seed}, step ${step}: the time is off by ${offMs} ms`)
          const dateOffMs = process.dateMs() - air.wallMs
          if (Math.abs(dateOffMs) > 2_500)
            t.fail(`seed ${seed}, step ${step}: dates are off by ${dateOffMs} ms`)
        }
      }
      air.pass(10, all)
      const late = air.startProcess(false)
      t.ok(Math.abs(late.stationMs() - worker.stationMs()) < 1_500, 'who starts later has the same time')
      t.ok(Math.abs(late.dateMs() - air.wallMs) < 1_500)
    }
  },
)

t.test(
  'between two runs the machine knows how much time has passed, whatever its wall clock says',
  async (t) => {
    for (const byMs of [-DAY, -MINUTE, MINUTE, DAY]) {
      const air = world(byMs)
      const before = air.startProcess()
      air.hold(before)
      air.pass(60, [before])
      const lastMs = before.stationMs()
      air.hold(null)
      air.pass(20, [])
      air.set(byMs)
      const after = air.startProcess()
      t.ok(Math.abs(after.stationMs() - lastMs - 20_000) < 1_500, `${byMs} ms`)
      t.ok(Math.abs(after.dateMs() - air.wallMs) < 1_500)
      t.ok(Math.abs(air.redis.aheadMs - after.time.aheadMs) < 1, 'and all others agree')
    }
  },
)

t.test('over a boot the wall clock says how much time has passed, but time does not go back', async (t) => {
  for (const [byMs, passedMs] of [
    [-DAY, 0],
    [DAY, DAY + 20_000],
  ] as const) {
    const air = world(7)
    const before = air.startProcess()
    air.hold(before)
    air.pass(60, [before])
    const lastMs = before.stationMs()
    air.hold(null)
    air.pass(20, [])
    air.set(byMs)
    const after = air.startProcess(false)
    t.ok(Math.abs(after.stationMs() - lastMs - passedMs) < 1_500, `${byMs} ms`)
    t.ok(Math.abs(after.dateMs() - air.wallMs) < 1_500)
  }
})

t.test('who has slept while others were on air takes their time', async (t) => {
  const air = world(11)
  const [worker, api] = [air.startProcess(), air.startProcess(false)]
  air.hold(worker)
  air.pass(10, [worker, api])
  // Its monotonic clock stood still for an hour.
  api.time = { ...api.time, offsetMs: api.time.offsetMs - 60 * MINUTE }
  air.pass(20, [worker, api])
  t.ok(Math.abs(api.stationMs() - worker.stationMs()) < 1_500)
})

t.test('what is agreed on from an earlier run counts', async (t) => {
  const air = world(13)
  air.redis.aheadMs = -8 * 60 * MINUTE
  const process = air.startProcess(false)
  t.ok(Math.abs(process.dateMs() - air.wallMs) < 1_500, 'dates are right at once')
  t.ok(Math.abs(process.stationMs() + 8 * 60 * MINUTE - air.wallMs) < 1_500)
})
