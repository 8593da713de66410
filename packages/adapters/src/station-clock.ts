import type { WallClock } from '@solstice/station'
import type { Redis } from 'ioredis'
import { answered, PREFIX } from './redis.ts'

const MEASURE_EVERY_MS = 30_000
const SAMPLES = 5
/** A difference beyond this is no drift but somebody setting a clock. */
const STEP_MS = 500
const STEP_CONFIRM_MS = 2_500

/** By how much the desk holder corrects Redis's `TIME`, so that setting that clock moves nothing. */
export const CORRECTION_KEY = `${PREFIX}clock-correction`

export interface RedisClock extends WallClock {
  stop(): void
}

/**
 * The station's clock: Redis's `TIME` plus the correction that the desk holder keeps, carried on by this process's
 * monotonic clock. Of several round trips the shortest counts, as in NTP.
 */
export async function openStationClock(redis: Redis): Promise<RedisClock> {
  let { offsetMs, correctionMs } = await measure(redis)
  let latestMs = 0
  let timer: NodeJS.Timeout | undefined

  const plan = (delayMs: number, confirming: boolean) => {
    timer = setTimeout(async () => {
      const measured = await measure(redis).catch(() => ({ offsetMs, correctionMs }))
      const isStep = Math.abs(measured.offsetMs - offsetMs) > STEP_MS
      if (!isStep || confirming) ({ offsetMs, correctionMs } = measured)
      if (isStep && confirming) latestMs = 0
      plan(isStep && !confirming ? STEP_CONFIRM_MS : MEASURE_EVERY_MS, isStep && !confirming)
    }, delayMs)
    timer.unref()
  }
  plan(MEASURE_EVERY_MS, false)

  return {
    nowMs() {
      latestMs = Math.max(latestMs, performance.now() + offsetMs)
      return latestMs
    },
    aheadMs: () => Math.round(correctionMs),
    stop: () => clearTimeout(timer),
  }
}

/** Station time minus the monotonic clock of this process, and what of it is the correction. */
async function measure(redis: Redis): Promise<{ offsetMs: number; correctionMs: number }> {
  let best = { tripMs: Number.POSITIVE_INFINITY, offsetMs: 0, correctionMs: 0 }
  for (let i = 0; i < SAMPLES; i++) {
    const sentMs = performance.now()
    const [time, correction] = await answered(redis, Promise.all([redis.time(), redis.get(CORRECTION_KEY)]))
    const tripMs = performance.now() - sentMs
    const correctionMs = Number(correction ?? 0)
    const serverMs = Number(time[0]) * 1000 + Number(time[1]) / 1000 + correctionMs
    if (tripMs < best.tripMs) best = { tripMs, offsetMs: serverMs - sentMs - tripMs / 2, correctionMs }
  }
  return best
}
