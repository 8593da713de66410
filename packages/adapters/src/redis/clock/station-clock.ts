import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { repeatTogether, type Unsubscribe, type WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from '../connection.ts'
import { readScript } from '../script.ts'
import { beginTime, keepTime, type Look, STEP_MS } from './timekeeping.ts'

const LOOK_EVERY_MS = 1_000
const FIRST_LOOKS = 5

/** Keys that all processes share. */
export const clockKeys = {
  /** How far the station's clock is ahead of Redis's `TIME`, the wall clock, ms. */
  ahead: `${PREFIX}clock-correction`,
  /** Station time at which a lease holder was last seen. */
  alive: `${PREFIX}alive`,
  /** The same moment, with the boot id and the monotonic clock of the holder's machine. */
  anchor: `${PREFIX}clock-anchor`,
} as const

export interface RedisClock extends WallClock {
  /** Calls back with the difference in ms when the wall clock was set. */
  onSet(listener: (byMs: number) => void): Unsubscribe
  stop(): void
}

const LOOK = readScript(new URL('./look.lua', import.meta.url))
const AGREE = readScript(new URL('./agree.lua', import.meta.url))

/**
 * Opens the station's clock, which runs evenly even if the clocks of its machines are set: each process advances it by its
 * monotonic clock, and all agree in Redis on how far it is ahead of the wall clock, Redis's `TIME`.
 */
export async function openStationClock(redis: Redis): Promise<RedisClock> {
  const listeners = new Set<(byMs: number) => void>()
  let latestMs = 0
  let isLooking = false

  const looks = [await look(redis)]
  while (looks.length < FIRST_LOOKS) looks.push(await look(redis))
  const best = looks.reduce((shortest, one) => (one.tripMs < shortest.tripMs ? one : shortest))
  const begun = beginTime(best)
  let { time } = begun

  const agree = async (seen: SeenLook) => {
    const agreed = redis.eval(AGREE, 1, clockKeys.ahead, seen.ahead, time.aheadMs.toFixed(3))
    if ((await answered(redis, agreed)) === 1) await moveExpiries(redis, seen.aheadMs - time.aheadMs)
  }
  const lookAgain = async () => {
    const seen = await look(redis)
    const kept = keepTime(time, seen)
    // This process was wrong, so its time has to go back.
    if (kept.time.offsetMs < time.offsetMs - STEP_MS) latestMs = 0
    time = kept.time
    if (kept.setByMs !== 0) for (const listener of listeners) listener(kept.setByMs)
    if (kept.isToAgree) await agree(seen)
  }

  if (begun.isToAgree) await agree(best)
  const stop = repeatTogether(LOOK_EVERY_MS, async () => {
    if (isLooking) return
    isLooking = true
    // Without Redis the clock runs on unchanged.
    await lookAgain().catch(() => {})
    isLooking = false
  })

  return {
    nowMs() {
      latestMs = Math.max(latestMs, performance.now() + time.offsetMs)
      return latestMs
    },
    aheadMs: () => Math.round(time.aheadMs),
    onSet(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    stop,
  }
}

/** Includes the agreement as written, for compare-and-set. */
interface SeenLook extends Look {
  ahead: string
}

type LookReply = [s: string, us: string, ahead: string | null, alive: string | null, anchor: string | null]

async function look(redis: Redis): Promise<SeenLook> {
  const sentMs = performance.now()
  const keys = [clockKeys.ahead, clockKeys.alive, clockKeys.anchor]
  const reply = (await answered(redis, redis.eval(LOOK, keys.length, ...keys))) as LookReply
  const atMs = performance.now()
  const [seconds, microseconds, ahead, alive, anchor] = reply
  const wallMs = Number(seconds) * 1000 + Number(microseconds) / 1000
  return {
    atMs,
    tripMs: atMs - sentMs,
    wallOffsetMs: wallMs - (sentMs + atMs) / 2,
    ahead: ahead ?? '0',
    aheadMs: Number(ahead ?? 0),
    aliveMs: alive === null ? null : Number(alive),
    aliveAtMs: anchor === null ? null : readAnchor(anchor, Number(alive)),
  }
}

/** Pairs the present station time with the boot id and monotonic clock of this machine. */
export const anchorOf = (stationMs: number) => `${boot} ${monotonicMs()} ${stationMs}`

/** Time by `performance.now()` at which a holder was last seen; null if it was on another boot or machine, or left no anchor. */
function readAnchor(anchor: string, aliveMs: number): number | null {
  const [bootOfHolder, atMs, stationMs] = anchor.split(' ')
  const agoMs = monotonicMs() - Number(atMs)
  return bootOfHolder === boot && Number(stationMs) === aliveMs && agoMs >= 0
    ? performance.now() - agoMs
    : null
}

/** A clock that all processes of a machine share until it reboots, and that cannot be set. */
const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6

const boot = bootOfMachine()

function bootOfMachine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // No two processes share this id, not even on one machine, so elapsed time is read from the wall clock.
    return randomUUID()
  }
}

/**
 * Moves expiries after the wall clock was set by `byMs`. Redis expires keys by the wall clock: set back, it would keep leases
 * and limits for that much longer. Set forward, it has already expired them.
 */
export async function moveExpiries(redis: Redis, byMs: number): Promise<void> {
  if (byMs > -STEP_MS) return
  for await (const keys of redis.scanStream({ match: `${PREFIX}*`, count: 500 }) as AsyncIterable<string[]>)
    for (const key of keys) {
      const leftMs = await redis.pttl(key)
      if (leftMs > -byMs) await redis.pexpire(key, Math.ceil(leftMs + byMs))
    }
}
