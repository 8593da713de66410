import { createHash } from 'node:crypto'
import { FRAME_MS } from '@solstice/station'

const REMEMBERED_FRAMES = Math.round(120_000 / FRAME_MS)
/** Silence and a steady tone consist of few different frames, and are no repetition. */
const MIN_DISTINCT_FRAMES = 20

/** Sound that was heard before. */
export interface Repetition {
  /** For how long it has been coming again, ms. */
  lengthMs: number
  /** How long ago it was heard, ms. */
  lagMs: number
}

/**
 * Finds frames that are, one after another, those of up to two minutes ago.
 *
 * @returns a function that takes the next frame, and returns the repetition up to it; null = none.
 */
export function createRepetitionFinder(frameMs = FRAME_MS): (frame: Uint8Array) => Repetition | null {
  const placeOf = new Map<string, number>()
  let place = 0
  let distance = 0
  let repeated: string[] = []
  return (frame) => {
    const id = createHash('md5').update(frame).digest('base64')
    const before = placeOf.get(id)
    // Deleting first keeps the map in the order of the last places.
    placeOf.delete(id)
    placeOf.set(id, place)
    const [oldest] = placeOf.keys()
    if (placeOf.size > REMEMBERED_FRAMES && oldest !== undefined) placeOf.delete(oldest)
    const now = before === undefined ? 0 : place - before
    place++
    if (now === 0 || (now !== distance && repeated.length > 0)) repeated = []
    distance = now
    if (now > 0) repeated.push(id)
    if (repeated.length > REMEMBERED_FRAMES) repeated.shift()
    if (new Set(repeated).size < MIN_DISTINCT_FRAMES) return null
    return { lengthMs: repeated.length * frameMs, lagMs: distance * frameMs }
  }
}
