import type { DataStore, WatchRecord } from '../ports/data/data-store.ts'

const DAY_MS = 24 * 3_600_000
/** Longer than the status counts, so that its first day is whole. */
const KEPT_MS = 92 * DAY_MS
const MAX_WATCHES = 2_000
/** A monitor that takes over goes on with the watch of the one before. */
const TAKEOVER_MS = 120_000

type WatchData = Pick<DataStore, 'watches'>

/**
 * Notes that the monitor listens at this moment, and has since its last note unless that is long ago.
 *
 * @param nowMs date, epoch ms.
 * @param sinceMs date since which it has listened without a break, though it may not have been able to note that.
 */
export async function noteWatch(
  data: WatchData,
  { nowMs, addresses, sinceMs = nowMs }: { nowMs: number; addresses: number; sinceMs?: number },
): Promise<void> {
  const last = (await data.watches.find()).at(-1)
  const isSame = last !== undefined && last.addresses === addresses
  const goesOn = last !== undefined && nowMs >= last.untilMs && sinceMs - last.untilMs < TAKEOVER_MS
  if (isSame && goesOn) {
    await data.watches.update({ id: last.id }, { untilMs: nowMs })
    return
  }
  await data.watches.insert({ fromMs: nowMs, untilMs: nowMs, addresses })
  await forgetOldWatches(data, nowMs)
}

async function forgetOldWatches(data: WatchData, nowMs: number): Promise<void> {
  const all = await data.watches.find()
  const oldestKept = all.at(-MAX_WATCHES)?.id ?? 0
  const isOld = ({ id, untilMs }: Readonly<WatchRecord>) => untilMs < nowMs - KEPT_MS || id < oldestKept
  if (all.some(isOld)) await data.watches.delete(isOld)
}
