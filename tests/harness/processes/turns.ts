import { sleep } from '@solstice/station'

/** Rests between two looks at the CPU time; a turn that lasts longer is measured as a whole. */
const REST_MS = 5

/**
 * The most CPU time, in ms, of a single turn of the event loop during `work`. Nobody else is served in that time, and
 * unlike wall time it does not depend on the load of the machine. Short turns within 5 ms count as one.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let restBegan = process.cpuUsage()
  const over = new AbortController()
  const look = () => {
    const { user, system } = process.cpuUsage(restBegan)
    longest = Math.max(longest, (user + system) / 1000)
    restBegan = process.cpuUsage()
  }
  const watching = (async () => {
    while (!over.signal.aborted) {
      await sleep(REST_MS, { signal: over.signal }).catch(() => {})
      look()
    }
  })()
  await work().finally(() => over.abort())
  await watching
  return longest
}
