import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Input, PlayoutState } from '@solstice/playout'
import { Failure } from '../core/failure.ts'
import { withBreaks } from '../core/turns/breaks.ts'
import { serialise } from '../core/turns/serialise.ts'
import type { Told, WallClock } from '../ports/bus.ts'
import type { Log } from '../ports/log.ts'
import type { MediaStorage } from '../ports/media/media-storage.ts'
import { type Chapter, createChapters, createMask, type Replacer } from './chapters.ts'
import { type Line, lineWithFact } from './lines.ts'
import { linesKey, snapshotKey } from './names.ts'
import { linesOf } from './read.ts'
import { snapshotLines } from './snapshot.ts'

/** The log of what the engine was told. */
export interface Logbook {
  /** Notes an input at its moment (station time), with the states before and after it. The line is to be saved with the state. */
  note(before: PlayoutState, input: Input, atMs: number, after: PlayoutState): Told
  /**
   * Takes a line of a saved state, in order. Resolves when the line is filed, or need not be saved with states any longer.
   */
  file(told: Told): Promise<void>
  /** Files all that was taken; resolves when that has been tried. */
  flush(): Promise<void>
  /** Files nothing any more. */
  close(): void
}

const FILE_AFTER_MS = 10_000
const HURRY_MS = 500
const RETRY_MS = 5_000
/** With so many characters to file it hurries: until then they are saved with every state. */
const MAX_WAITING = 16 * 1024
const MAX_PIECE = 64 * 1024
/** A character of two must not be compressed in halves. */
const HIGH_SURROGATE = /[\ud800-\udbff]/

/** @param options.version of Solstice: a replay tells when it runs another one. */
export function createLogbook(
  { media, clock, log }: { media: Pick<MediaStorage, 'put' | 'open'>; clock: WallClock; log: Log },
  options: { version: string; maxChapter?: number },
): Logbook {
  const masked = createMask()
  const chapters = createChapters({ clock, log }, masked, options)
  const inTurn = serialise()
  const leftOver = new Map<string, string[]>()
  let waiting: (() => void)[] = []
  let waitingCharacters = 0
  let timer: NodeJS.Timeout | undefined
  let timerDueMs = 0
  let isClosed = false
  let isFailing = false

  const release = (over: readonly (() => void)[]) => {
    const done = new Set(over)
    waiting = waiting.filter((resolve) => !done.has(resolve))
    if (waiting.length === 0) waitingCharacters = 0
    for (const resolve of over) resolve()
  }
  const fileIn = (ms: number) => {
    if (timer && timerDueMs <= performance.now() + ms) return
    clearTimeout(timer)
    timerDueMs = performance.now() + ms
    timer = setTimeout(() => void flush(), ms).unref()
  }
  const fileAll = async () => {
    for (const [id, lines] of leftOver) {
      await complete(media, id, lines)
      const since = leftOver.get(id)!.slice(lines.length)
      if (since.length > 0) leftOver.set(id, since)
      else leftOver.delete(id)
    }
    for (const chapter of [...chapters.unfiled]) await fileChapter(media, chapter, masked, () => isClosed)
  }
  const flush = () =>
    inTurn(async () => {
      if (isClosed) return
      clearTimeout(timer)
      timer = undefined
      const over = [...waiting]
      try {
        await fileAll()
        isFailing = false
      } catch (error) {
        if (!isFailing) log.warn({ err: error }, 'logbook not filed; retrying')
        isFailing = true
        return fileIn(RETRY_MS)
      }
      chapters.dropFiled()
      release(over)
      if (waiting.length > 0) fileIn(FILE_AFTER_MS)
    })

  return {
    note: chapters.note,
    file(told) {
      if (isClosed) return Promise.resolve()
      const { chapter, line } = told
      const kind = chapters.take(told)
      if (kind === 'foreign') leftOver.set(chapter, [...(leftOver.get(chapter) ?? []), line])
      waitingCharacters += line.length
      // Longer than that they are no longer saved: a storage that is away must not make every state large.
      if (waitingCharacters > 4 * MAX_WAITING) release(waiting)
      const filed = new Promise<void>((resolve) => waiting.push(resolve))
      const isUrgent = kind === 'lost' || waitingCharacters > MAX_WAITING
      if (!isFailing) fileIn(isUrgent ? HURRY_MS : FILE_AFTER_MS)
      return filed
    },
    flush,
    close() {
      isClosed = true
      clearTimeout(timer)
      release(waiting)
    },
  }
}

/** Writes what is new of a chapter: its snapshot once, its lines each time. */
async function fileChapter(
  media: Pick<MediaStorage, 'put'>,
  chapter: Chapter,
  masked: Replacer,
  isClosed: () => boolean,
): Promise<void> {
  if (chapter.begin && !isClosed()) {
    await media.put(snapshotKey(chapter.id), zipped(snapshotLines(chapter.begin, masked)))
    chapter.begin = null
  }
  if (chapter.isFiled || isClosed()) return
  for (const [i, line] of chapter.lines.entries()) {
    if (typeof line === 'string') continue
    const { fact, known, ...about } = line
    const text = await withBreaks(lineWithFact(about, fact, known))
    chapter.lines[i] = text
    chapter.characters += text.length
  }
  chapter.isFiled = true
  try {
    await media.put(linesKey(chapter.id), zipped(piecesOf([...(chapter.lines as string[])])))
  } catch (error) {
    chapter.isFiled = false
    throw error
  }
}

/** Adds the lines that a worker left to its chapter. */
async function complete(
  media: Pick<MediaStorage, 'put' | 'open'>,
  id: string,
  lines: readonly string[],
): Promise<void> {
  const there = await linesOf(media, linesKey(id)).catch((error) => {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return []
    throw error
  })
  const numberOf = (line: string) => (JSON.parse(line) as Line).n
  const filed = new Set(there.map(numberOf))
  const missing = lines.filter((line) => !filed.has(numberOf(line)))
  if (missing.length > 0) await media.put(linesKey(id), zipped(piecesOf([...there, ...missing])))
}

/** Compresses texts one by one, so that a long one keeps nobody waiting. */
function zipped(texts: Iterable<string> | AsyncIterable<string>): Readable {
  const source = Readable.from(texts)
  const zipping = createGzip()
  source.once('error', (error) => zipping.destroy(error))
  return source.pipe(zipping)
}

/** Lines as texts of a bounded length. */
function* piecesOf(lines: readonly string[]): Generator<string> {
  for (const line of lines) {
    for (let at = 0; at < line.length; ) {
      const end = at + MAX_PIECE
      const isCut = HIGH_SURROGATE.test(line.charAt(end - 1))
      const piece = line.slice(at, isCut ? end + 1 : end)
      at += piece.length
      yield piece
    }
    yield '\n'
  }
}
