import {
  type AllCuePoints,
  type CuePoints,
  cuePointsChanged,
  PIECE,
  type Pieces,
  sameCuePoints,
} from '@solstice/playout'

/** So many items of the version before, from a place on; or an item that it does not have. */
export type Change<T extends object> = [from: number, count: number] | T

/** How a version of a long list differs from the one before, in which unchanged items are the same objects. */
export function* difference<T extends object>(
  before: readonly T[],
  after: readonly T[],
): Pieces<Change<T>[]> {
  const changes: Change<T>[] = []
  const places = yield* placesIn(before)
  let run: [from: number, count: number] | null = null
  for (let i = 0; i < after.length; i++) {
    if (i % PIECE === 0) yield
    const item = after[i]!
    if (run && before[run[0] + run[1]] === item) {
      run[1]++
      continue
    }
    const place = places.get(item)
    run = place === undefined ? null : [place, 1]
    changes.push(run ?? item)
  }
  return changes
}

function* placesIn<T>(items: readonly T[]): Pieces<Map<T, number>> {
  const places = new Map<T, number>()
  for (let i = 0; i < items.length; i++) {
    if (i % PIECE === 0) yield
    places.set(items[i]!, i)
  }
  return places
}

/** The later version of a list. */
export function changed<T extends object>(before: readonly T[], changes: readonly Change<T>[]): T[] {
  const after: T[] = []
  for (const change of changes) {
    if (!Array.isArray(change)) after.push(change)
    else for (let i = change[0]; i < change[0] + change[1]; i++) after.push(before[i]!)
  }
  return after
}

export interface CuePointsChange {
  set: Record<string, CuePoints>
  gone: string[]
}

/** How cue points differ from those before. */
export function* cuePointsDifference(before: AllCuePoints, after: AllCuePoints): Pieces<CuePointsChange> {
  const change: CuePointsChange = { set: {}, gone: [] }
  const known = cuePointsChanged(before, after)
  if (known) {
    for (const id of known) {
      if (id in after) change.set[id] = after[id]!
      else change.gone.push(id)
    }
    return change
  }
  let looked = 0
  for (const id in after) {
    if (looked++ % PIECE === 0) yield
    if (!sameCuePoints(before[id], after[id])) change.set[id] = after[id]!
  }
  for (const id in before) {
    if (looked++ % PIECE === 0) yield
    if (!(id in after)) change.gone.push(id)
  }
  return change
}

/** The later cue points. */
export function changedCuePoints(before: AllCuePoints, { set, gone }: CuePointsChange): AllCuePoints {
  const left = gone.length === 0 ? before : { ...before }
  for (const id of gone) delete (left as Record<string, CuePoints>)[id]
  return { ...left, ...set }
}
