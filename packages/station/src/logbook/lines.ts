import type { Mode } from '@solstice/contracts'
import {
  type AllCuePoints,
  type Fact,
  type FactOf,
  type Input,
  type Mark,
  PIECE,
  type Pieces,
  type TrackRef,
} from '@solstice/playout'
import {
  type Change,
  type CuePointsChange,
  changed,
  changedCuePoints,
  cuePointsDifference,
  difference,
} from './differences.ts'

/** A line of a chapter: what the engine was told, and the mark of the state that followed from it. */
export interface Line {
  /** Counted from 0 without a gap. */
  n: number
  /** Station time. */
  atMs: number
  /** Absent when it was lost: a killed worker had it in its memory only. */
  input?: StoredInput
  /** Absent = as before. */
  mark?: Mark
  /** Lead of the station's clock over the wall clock; absent = as before. */
  aheadMs?: number
  /** In the first line: the chapter of the same worker that ends where this one begins. */
  follows?: string
  /** In the first line: the version of Solstice that wrote the chapter. Absent in older ones. */
  version?: string
}

/** Inputs as they are kept: what may be as large as the library by what has changed in it. */
export type StoredInput =
  | Exclude<Input, { type: 'fact' }>
  | { type: 'fact'; fact: Exclude<Fact, LargeFact> | StoredLibrary | StoredCuePoints }

export type LargeFact = FactOf<'library' | 'cue-points'>
type StoredLibrary = Omit<FactOf<'library'>, 'tracks' | 'made'> & { tracks: Change<TrackRef>[] }
type StoredCuePoints = { type: 'cue-points'; cuePoints: CuePointsChange }

/** The large things that the engine was told last. */
export interface Known {
  libraries: Partial<Record<Mode, readonly TrackRef[]>>
  cuePoints: AllCuePoints
}

export const nothingKnown: Known = { libraries: {}, cuePoints: {} }

/** The fact of an input that may be as large as the library; null for any other. */
export function largeFactOf(input: Input): LargeFact | null {
  if (input.type !== 'fact') return null
  return input.fact.type === 'library' || input.fact.type === 'cue-points' ? input.fact : null
}

/** What is known after a large fact. */
export function knownAfter(known: Known, fact: LargeFact): Known {
  return fact.type === 'library'
    ? { ...known, libraries: { ...known.libraries, [fact.mode]: fact.tracks } }
    : { ...known, cuePoints: fact.cuePoints }
}

/** The text of a line with a large fact, by what was known before. */
export function* lineWithFact(line: Line, fact: LargeFact, known: Known): Pieces<string> {
  if (fact.type === 'cue-points') {
    const { set, gone } = yield* cuePointsDifference(known.cuePoints, fact.cuePoints)
    const cuePoints: CuePointsChange = { gone, set: {} }
    const empty = JSON.stringify({
      ...line,
      input: { type: 'fact', fact: { type: 'cue-points', cuePoints } },
    })
    const items = yield* textsOf(
      Object.entries(set),
      ([id, one]) => `${JSON.stringify(id)}:${JSON.stringify(one)}`,
    )
    return filled(empty, '{}}}}}', items)
  }
  const { made: _, tracks: after, ...about } = fact
  const changes = yield* difference(known.libraries[fact.mode] ?? [], after)
  const empty = JSON.stringify({ ...line, input: { type: 'fact', fact: { ...about, tracks: [] } } })
  return filled(empty, '[]}}}', yield* textsOf(changes, (change) => JSON.stringify(change)))
}

function* textsOf<T>(items: readonly T[], textOf: (item: T) => string): Pieces<string[]> {
  const texts: string[] = []
  for (const [i, item] of items.entries()) {
    if (i % PIECE === 0) yield
    texts.push(textOf(item))
  }
  return texts
}

/** A text whose end has an empty list or record, with these items in it. */
function filled(text: string, end: '{}}}}}' | '[]}}}', items: readonly string[]): string {
  return `${text.slice(0, 1 - end.length)}${items.join(',')}${end.slice(1)}`
}

/** The input that was kept. */
export function inputOf(stored: StoredInput, known: Known): Input {
  if (stored.type !== 'fact') return stored
  const { fact } = stored
  if (fact.type === 'library')
    return {
      type: 'fact',
      fact: { ...fact, tracks: changed(known.libraries[fact.mode] ?? [], fact.tracks) },
    }
  if (fact.type === 'cue-points')
    return { type: 'fact', fact: { ...fact, cuePoints: changedCuePoints(known.cuePoints, fact.cuePoints) } }
  return { type: 'fact', fact }
}
