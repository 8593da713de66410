import { type Effect, type Input, markOf, type Outcome, type PlayoutState, step } from '@solstice/playout'
import { type Difference, differenceOf } from './compare.ts'
import { inputOf, type Known, knownAfter, type Line, largeFactOf } from './lines.ts'
import type { Chapter } from './read.ts'

/** An input, run again. */
export interface Replayed {
  type: 'step'
  chapter: string
  n: number
  /** Station time, and its lead over the wall clock. */
  atMs: number
  aheadMs: number
  /** As of `Chapter`. */
  version: string | null
  input: Input
  before: PlayoutState
  after: PlayoutState
  effects: Effect[]
  outcome?: Outcome
}

/** A time that the logbook cannot tell of; it goes on with the next chapter that has a snapshot. */
export interface Gap {
  type: 'hole'
  chapter: string
  /** Station time, and its lead over the wall clock. */
  atMs: number
  aheadMs: number
  why: 'lines-missing' | 'snapshot-missing' | 'end-missing'
}

/** The engine came to another result than it did then. */
export interface Divergence extends Difference {
  type: 'different'
  chapter: string
  /** The line; null for the state with which the next chapter begins. */
  n: number | null
  atMs: number
  aheadMs: number
}

interface Reached {
  chapter: string
  state: PlayoutState
  known: Known
  atMs: number
  aheadMs: number
}

/**
 * Runs what the engine was told again, chapter by chapter. Each step is compared with the mark that was kept, and the state at the end of a
 * chapter with the beginning of the next. After a difference it goes on with the next chapter.
 */
export async function* replay(
  chapters: AsyncIterable<Chapter> | Iterable<Chapter>,
): AsyncGenerator<Replayed | Gap | Divergence> {
  let reached: Reached | null = null
  for await (const chapter of chapters) {
    const begin = beginOf(chapter, reached)
    if (begin.problem) yield begin.problem
    reached = begin.start && (yield* replayChapter(chapter, begin.start))
  }
}

/** Where a chapter begins, and what is wrong with the seam. */
function beginOf(
  { id, atMs: dateMs, snapshot, lines }: Chapter,
  reached: Reached | null,
): { start: Reached | null; problem?: Gap | Divergence } {
  const [first] = lines
  const aheadMs = first?.aheadMs ?? reached?.aheadMs ?? 0
  const at = { chapter: id, atMs: first?.atMs ?? dateMs + aheadMs, aheadMs }
  const isNext = reached !== null && first?.follows === reached.chapter
  if (!snapshot) {
    if (reached && isNext) return { start: { ...reached, ...at } }
    return { start: null, problem: { type: 'hole', ...at, why: 'snapshot-missing' } }
  }
  const start = { ...snapshot, ...at }
  const difference = reached && differenceOf(reached.state, snapshot.state)
  if (!difference) return { start }
  const problem: Gap | Divergence = isNext
    ? { type: 'different', ...at, n: null, ...difference }
    : { type: 'hole', ...at, why: 'end-missing' }
  return { start, problem }
}

/** @returns where the chapter ends; null when that is not known. */
function* replayChapter(
  { id: chapter, version, lines }: Chapter,
  start: Reached,
): Generator<Replayed | Gap | Divergence, Reached | null> {
  let { state, known, atMs, aheadMs } = start
  let expected = markOf(state)
  for (const [i, line] of lines.entries()) {
    aheadMs = line.aheadMs ?? aheadMs
    atMs = line.atMs
    const at = { chapter, atMs, aheadMs }
    if (line.n !== i || !line.input) {
      yield { type: 'hole', ...at, why: 'lines-missing' }
      return null
    }
    const input = inputOf(line.input, known)
    const fact = largeFactOf(input)
    if (fact) known = knownAfter(known, fact)
    const before = state
    const { state: after, effects, outcome } = step(before, input, atMs)
    state = after
    expected = line.mark ?? expected
    const taken = { ...at, version, n: line.n, input, before, after, effects }
    yield { type: 'step', ...taken, ...(outcome && { outcome }) }
    const difference = differenceOf(expected, markOf(after))
    if (!difference) continue
    yield { type: 'different', ...at, n: line.n, ...difference }
    return null
  }
  return { chapter, state, known, atMs, aheadMs }
}

/** The line that first made an entry, by the serial number in its id, among those of chapters from the last to the first. */
export async function lineThatMade(
  serial: number,
  chapters: AsyncIterable<{ id: string; lines: Line[] }>,
): Promise<{ chapter: string; line: Line; aheadMs: number } | null> {
  let found: { chapter: string; line: Line; aheadMs: number } | null = null
  for await (const { id, lines } of chapters) {
    const marked = lines.filter(({ mark }) => mark)
    const at = marked.findIndex(({ mark }) => mark!.serial > serial)
    if (at > 0) return madeIn(id, lines, marked[at]!)
    if (at === 0) found = madeIn(id, lines, marked[0]!)
    else if (marked.length > 0) return found
  }
  return null
}

function madeIn(chapter: string, lines: Line[], line: Line) {
  const aheadMs = lines.findLast((one) => one.n <= line.n && one.aheadMs !== undefined)?.aheadMs ?? 0
  return { chapter, line, aheadMs }
}
