import type { LyricsLine } from '@solstice/contracts'

/** A row of two lyrics beside each other; null where one has no such line. */
export interface Pair {
  is: 'same' | 'retimed' | 'changed' | 'added' | 'removed'
  mine: LyricsLine | null
  found: LyricsLine | null
}

/** Beyond this many comparisons, lines are paired by their numbers. */
const MOST_CELLS = 1_000_000

const wordsOf = ({ text }: LyricsLine) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Puts lines of two lyrics beside each other: those with the same words meet, what lies between is changed. */
export function compareLyrics(mine: readonly LyricsLine[], found: readonly LyricsLine[]): Pair[] {
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  const gap = (toI: number, toJ: number) => {
    for (; i < toI || j < toJ; ) {
      const [left, right] = [i < toI ? mine[i++]! : null, j < toJ ? found[j++]! : null]
      pairs.push({ is: left && right ? 'changed' : left ? 'removed' : 'added', mine: left, found: right })
    }
  }
  for (const [atI, atJ] of meetings(mine.map(wordsOf), found.map(wordsOf))) {
    gap(atI, atJ)
    const [left, right] = [mine[i++]!, found[j++]!]
    const isSame = left.text === right.text
    const is = !isSame ? 'changed' : left.time === right.time ? 'same' : 'retimed'
    pairs.push({ is, mine: left, found: right })
  }
  gap(mine.length, found.length)
  return pairs
}

/** The longest common subsequence, as pairs of places. */
function meetings(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length * b.length > MOST_CELLS) return a.flatMap((words, i) => (words === b[i] ? [[i, i]] : []))
  const width = b.length + 1
  const best = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i] === b[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!)
  const found: [number, number][] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) found.push([i++, j++])
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++
    else j++
  }
  return found
}
