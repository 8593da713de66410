import { createHmac, randomBytes } from 'node:crypto'
import { type Input, markOf, type PlayoutState } from '@solstice/playout'
import { hourOf } from '../aircheck/names.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Told, WallClock } from '../ports/bus.ts'
import type { Log } from '../ports/log.ts'
import { type Known, knownAfter, type LargeFact, type Line, largeFactOf, nothingKnown } from './lines.ts'

/** A longer line is not saved with states. */
const MAX_LINE = 4 * 1024
/** A chapter is written anew at each filing: a longer one gives way to another. */
const MAX_CHAPTER = 2 * 1024 * 1024
/** Kept while the storage is away; the oldest are given up. */
const MAX_CHAPTERS = 24
const MASK_CHARACTERS = 12

export type Replacer = (name: string, value: unknown) => unknown

/** A line that is made when it is filed. */
export interface LateLine extends Line {
  fact: LargeFact
  known: Known
}

export interface Chapter {
  id: string
  hour: string
  /** Its snapshot, until that is filed. */
  begin: { state: PlayoutState; known: Known } | null
  /** Lines noted, and those of them that were taken. */
  noted: number
  lines: (string | LateLine)[]
  characters: number
  isFiled: boolean
  mark: string
}

/** The chapters that are not filed yet, the last of which goes on. */
export interface Chapters {
  /** As of `Logbook`. */
  note(before: PlayoutState, input: Input, atMs: number, after: PlayoutState): Told
  /**
   * Takes a line of a saved state.
   * @returns `lost` for one that is lost unless it is filed, `saved` for one that is saved with states, `foreign` for one of another worker,
   * which isn't taken.
   */
  take(told: Told): 'lost' | 'saved' | 'foreign'
  readonly unfiled: readonly Chapter[]
  /** Drops the chapters that are over and filed whole. */
  dropFiled(): void
}

export function createChapters(
  { clock, log }: { clock: WallClock; log: Log },
  masked: Replacer,
  { version, maxChapter = MAX_CHAPTER }: { version: string; maxChapter?: number },
): Chapters {
  const late = new Map<string, LateLine | string>()
  let chapters: Chapter[] = []
  let known = nothingKnown
  let aheadMs: number | null = null

  const begin = (state: PlayoutState, dateMs: number): Chapter => {
    const id = `${hourOf(dateMs)}.${dateMs}.${randomBytes(4).toString('hex')}`
    const fresh = { id, hour: hourOf(dateMs), begin: { state, known }, noted: 0, characters: 0, mark: '' }
    const chapter: Chapter = { ...fresh, lines: [], isFiled: true }
    chapters.push(chapter)
    if (chapters.length > MAX_CHAPTERS) {
      chapters.shift()
      log.warn({}, 'logbook: storage away for too long, lines given up')
    }
    aheadMs = null
    return chapter
  }

  /** The line without its input, which says that it was lost. */
  const bareLine = (chapter: Chapter, atMs: number, after: PlayoutState, follows?: string): Line => {
    const mark = markOf(after)
    const text = JSON.stringify(mark)
    const isMarked = text !== chapter.mark
    const isAhead = clock.aheadMs() !== aheadMs
    chapter.mark = text
    aheadMs = clock.aheadMs()
    return {
      ...(chapter.noted === 0 && { version }),
      ...{ n: chapter.noted++, atMs },
      ...(isMarked && { mark }),
      ...(isAhead && { aheadMs }),
      ...(follows !== undefined && { follows }),
    }
  }

  return {
    note(before, input, atMs, after) {
      const dateMs = dateNow(clock)
      const last = chapters.at(-1)
      const isOver = !last || last.hour < hourOf(dateMs) || last.characters > maxChapter
      const chapter = isOver ? begin(before, dateMs) : last
      const line = bareLine(chapter, atMs, after, isOver ? last?.id : undefined)
      const told = (text: string): Told => ({ type: 'told', chapter: chapter.id, n: line.n, line: text })
      const fact = largeFactOf(input)
      const whole = fact ? null : JSON.stringify({ ...line, input }, masked)
      if (whole !== null && whole.length <= MAX_LINE) return told(whole)
      late.set(`${chapter.id} ${line.n}`, whole ?? { ...line, fact: fact!, known })
      if (fact) known = knownAfter(known, fact)
      return told(JSON.stringify(line))
    },
    take({ chapter: id, n, line }) {
      const chapter = chapters.find((one) => one.id === id)
      if (!chapter) return 'foreign'
      const whole = late.get(`${id} ${n}`)
      late.delete(`${id} ${n}`)
      chapter.lines.push(whole ?? line)
      chapter.characters += line.length
      chapter.isFiled = false
      return whole === undefined ? 'saved' : 'lost'
    },
    get unfiled() {
      return chapters
    },
    dropFiled() {
      const isWhole = ({ begin, lines, noted, isFiled }: Chapter) =>
        !begin && isFiled && lines.length >= noted
      chapters = chapters.filter((chapter, i) => i === chapters.length - 1 || !isWhole(chapter))
    },
  }
}

/** A replacer for `JSON.stringify`: access codes and addresses become marks that tell whether two are equal, as long as this worker lives. */
export function createMask(): Replacer {
  const secret = randomBytes(16)
  return (name, value) => {
    if (typeof value !== 'string' || (name !== 'code' && name !== 'address')) return value
    return createHmac('sha256', secret).update(value).digest('base64url').slice(0, MASK_CHARACTERS)
  }
}
