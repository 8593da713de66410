import { createBreaks } from './breaks.ts'

export type Compare<T> = (a: T, b: T) => number

/** Items sorted at once, or merged between two looks at the clock. */
const RUN = 512

/** Sorts items, stably, in pieces between which the event loop runs. */
export async function sortInPieces<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  const pause = createBreaks()
  let sorted: T[] = []
  for (let at = 0; at < items.length; at += RUN) {
    for (const item of items.slice(at, at + RUN).sort(compare)) sorted.push(item)
    await pause()
  }
  // Two arrays are all that is needed, however often they are merged.
  let merged = items.slice()
  for (let run = RUN; run < items.length; run *= 2) {
    for (let at = 0; at < items.length; at += 2 * run)
      await merge(sorted, merged, { at, run }, compare, pause)
    ;[sorted, merged] = [merged, sorted]
  }
  return sorted
}

/** Merges the two runs of this length that begin at a place, into the same place of another array. */
async function merge<T>(
  from: readonly T[],
  to: T[],
  { at, run }: { at: number; run: number },
  compare: Compare<T>,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const middle = Math.min(at + run, from.length)
  const end = Math.min(middle + run, from.length)
  let [i, j] = [at, middle]
  for (let place = at; place < end; place++) {
    const isFirst = j >= end || (i < middle && compare(from[i]!, from[j]!) <= 0)
    to[place] = isFirst ? from[i++]! : from[j++]!
    if (place % RUN === 0) await pause()
  }
}
