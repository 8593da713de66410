import { createBreaks } from './breaks.ts'

export type Compare<T> = (a: T, b: T) => number

/** Items sorted at once, or merged between two looks at the clock. */
const RUN = 512

/** Sorts items, stably, in pieces between which the event loop runs. */
export async function sortInPieces<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  const pause = createBreaks()
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort(compare))
    await pause()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, pause))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: Compare<T>,
  pause: () => Promise<void> | undefined,
): Promise<T[]> {
  const all: T[] = []
  let [i, j] = [0, 0]
  while (i < first.length && j < second.length) {
    all.push(compare(first[i]!, second[j]!) <= 0 ? first[i++]! : second[j++]!)
    if (all.length % RUN === 0) await pause()
  }
  while (i < first.length) all.push(first[i++]!)
  while (j < second.length) all.push(second[j++]!)
  return all
}
