import { createHash } from 'node:crypto'

/** Frames of an ear’s mount as they were broadcast, which it is compared with. */
export interface BroadcastFrames {
  /** Number of the newest frame; null before any. */
  readonly newest: number | null
  readonly frameMs: number
  /** The print of a frame; undefined when it is too old or not known. */
  printOf(frame: number): string | undefined
  /** The number of the frame behind another one: the next, but at a hole in the numbers. */
  following(frame: number): number
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
  /** Frames that were left out since the last look, between two that were heard; null = none. */
  leftOut: LeftOut | null
}

/** Frames that are missing behind the one of a number, or at several places from there on. */
export interface LeftOut {
  after: number
  frames: number
}

/** Frames that are heard before the broadcast is known here wait to be compared. */
const MAX_WAITING = 2_000
/** Frames in a row, broadcast later, that are no accident, unless they hardly differ, as in silence. */
const REJOINED_FRAMES = 6
const MIN_DISTINCT_FRAMES = 3

/** The same for frames with the same bytes. */
export const printOf = (frame: Uint8Array): string => createHash('md5').update(frame).digest('base64')

/** Holds what is heard from `first` on against the broadcast, number by number. */
export function createComparison(broadcast: BroadcastFrames, first: number): Comparison {
  let next = first
  const waiting: Numbered[] = []
  let differing = 0
  let same = 0
  let hasBeenSame = false
  /** The last of the differing frames, and the number before all of them. */
  let astray: Numbered[] = []
  let sameUntil = first
  let leftOut: LeftOut | null = null

  const compare = (heard: Numbered) => {
    const sent = broadcast.printOf(heard.number)
    if (sent === undefined) return
    if (sent === heard.print) {
      sameUntil = heard.number
      hasBeenSame = true
      differing = 0
      same++
      astray = []
    } else {
      differing++
      same = 0
      astray = [...astray.slice(1 - REJOINED_FRAMES), heard]
      const frames = hasBeenSame ? leadOf(astray, broadcast) : null
      if (frames !== null) countOn(frames)
    }
  }
  const countOn = (frames: number) => {
    leftOut = { after: leftOut?.after ?? sameUntil, frames: (leftOut?.frames ?? 0) + frames }
    next += frames
    for (const one of waiting) one.number += frames
    differing = 0
    same = astray.length
    astray = []
  }
  return {
    add(frame) {
      waiting.push({ number: next, print: printOf(frame) })
      next = broadcast.following(next)
      if (waiting.length > MAX_WAITING) waiting.shift()
    },
    get newest() {
      return next - 1
    },
    look() {
      const { newest, frameMs } = broadcast
      while (waiting[0] && newest !== null && waiting[0].number <= newest) {
        compare(waiting.shift()!)
      }
      const found = leftOut
      leftOut = null
      return {
        leftOut: found,
        differingMs: differing * frameMs,
        sameMs: same * frameMs,
        behindMs: newest === null ? 0 : (newest - next + 1) * frameMs,
      }
    },
  }
}

interface Numbered {
  number: number
  print: string
}

/** How many numbers further on these were broadcast, one after another; null when they were not. */
function leadOf(heard: readonly Numbered[], broadcast: BroadcastFrames): number | null {
  const last = heard.at(-1)!.number
  if (heard.length < REJOINED_FRAMES) return null
  if (new Set(heard.map(({ print }) => print)).size < MIN_DISTINCT_FRAMES) return null
  for (let frames = 1; broadcast.printOf(last + frames) !== undefined; frames++)
    if (heard.every(({ number, print }) => broadcast.printOf(number + frames) === print)) return frames
  return null
}
