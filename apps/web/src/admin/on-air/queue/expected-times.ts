import type { QueueItem, RadioState } from '@solstice/contracts'

/**
 * When entries are expected on air, epoch ms of the station; as far as the lengths before them are known. Jingles and talks
 * between tracks make it later.
 *
 * @param nowMs station time.
 */
export function expectedTimes(air: RadioState, items: readonly QueueItem[], nowMs: number): number[] {
  const leftS = air.duration > 0 ? air.duration - air.seek - (nowMs - air.serverTimeMs) / 1000 : Number.NaN
  const times: number[] = []
  let atMs = nowMs + Math.max(0, leftS) * 1000
  for (const { duration } of items) {
    if (Number.isNaN(atMs)) break
    times.push(atMs)
    atMs += (duration ?? Number.NaN) * 1000
  }
  return times
}
