import { createHash } from 'node:crypto'

/** Frames of an ear’s mount as they were broadcast, which it is compared with. */
export interface BroadcastFrames {
  /** Number of the newest frame; null before any. */
  readonly newest: number | null
  readonly frameMs: number
  /** The print of a frame; undefined when it is too old or not known. */
  printOf(frame: number): string | undefined
}

export interface Comparison {
  /** The next frame that was heard. */
  add(frame: Uint8Array): void
  /** Number of the newest frame that was heard. */
  readonly newest: number
  look(): Compared
}

export interface Compared {
  /** Sound up to now that was not what was broadcast under its number, ms. */
  differingMs: number
  /** Sound that was, ms. */
  sameMs: number
  /** How much older the newest frame heard is than the newest one broadcast, ms. */
  behindMs: number
}

/** Frames that are heard before the broadcast is known here wait to be compared. */
const MAX_WAITING = 2_000

/** The same for frames with the same bytes. */
export const printOf = (frame: Uint8Array): string => createHash('md5').update(frame).digest('base64')

/** Holds what is heard from `first` on against the broadcast, number by number. */
export function createComparison(broadcast: BroadcastFrames, first: number): Comparison {
  let next = first
  const waiting: { number: number; print: string }[] = []
  let differing = 0
  let same = 0

  const compare = (number: number, print: string) => {
    const sent = broadcast.printOf(number)
    if (sent === undefined) return
    if (sent === print) {
      differing = 0
      same++
    } else {
      differing++
      same = 0
    }
  }
  return {
    add(frame) {
      waiting.push({ number: next++, print: printOf(frame) })
      if (waiting.length > MAX_WAITING) waiting.shift()
    },
    get newest() {
      return next - 1
    },
    look() {
      const { newest, frameMs } = broadcast
      while (waiting[0] && newest !== null && waiting[0].number <= newest) {
        const { number, print } = waiting.shift()!
        compare(number, print)
      }
      return {
        differingMs: differing * frameMs,
        sameMs: same * frameMs,
        behindMs: newest === null ? 0 : (newest - next + 1) * frameMs,
      }
    },
  }
}
