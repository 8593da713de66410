import { Failure } from '../core/failure.ts'
import { limitConcurrency } from '../core/turns/limit-concurrency.ts'
import { FRAME_MS } from '../ports/bus.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import { addHeard, type Hole, holesUntilNow, type Piece, type Recorded, readIndex } from './hour-index.ts'
import type { StoredHour, StoredPart } from './names.ts'
import { byteOfFrame, endMsOf, type Heard, overlap, SLACK_MS } from './part.ts'
import { bufferOf, heardIn, rangeOf, storedHours, storedParts } from './record.ts'

/** Bytes of a file, both ends included. */
export interface Slice {
  key: MediaKey
  start: number
  end: number
}

/** A piece of the recording, and where its bytes are. */
export interface Cut {
  slices: readonly Slice[]
  /** Dates, epoch ms. */
  fromMs: number
  toMs: number
}

const MAX_OPEN_FILES = 8

/** What was recorded between two dates (epoch ms): whole pieces, the first of which may begin earlier. */
export async function recordedBetween(
  ...wanted: [media: MediaStorage, fromMs: number, untilMs: number, options?: { heard: boolean }]
): Promise<Recorded> {
  try {
    return await readBetween(...wanted)
  } catch (error) {
    // Parts that were listed have been joined since.
    if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
    return readBetween(...wanted)
  }
}

async function readBetween(
  media: MediaStorage,
  fromMs: number,
  untilMs: number,
  wanted: { heard: boolean } = { heard: true },
): Promise<Recorded> {
  // Parts first: those of an hour that is joined meanwhile are found twice rather than not at all.
  const parts = await storedParts(media)
  const isWithin = (range: StoredPart | StoredHour) =>
    endMsOf('endFrame' in range ? rangeOf(range) : range) > fromMs && range.atMs < untilMs
  const hours = (await storedHours(media)).filter(isWithin)
  const left = parts.filter((part) => isWithin(part) && !hours.some((hour) => overlap(rangeOf(hour), part)))
  const limited = limitConcurrency(MAX_OPEN_FILES)
  const readPart = async (part: StoredPart): Promise<Recorded> => ({
    pieces: [{ ...part, byte: 0 }],
    heard: wanted.heard ? await heardIn(media, part) : [],
  })
  const read = await Promise.all(
    [...hours, ...left].map((one) =>
      limited(() => ('endFrame' in one ? readIndex(media, one) : readPart(one))),
    ),
  )
  const pieces = read
    .flatMap((one) => one.pieces)
    .filter((one) => endMsOf(one) > fromMs && one.atMs < untilMs)
  const heard: Heard[] = []
  for (const one of read.flatMap((one) => one.heard).sort((a, b) => a.atMs - b.atMs)) addHeard(heard, one)
  return { pieces: pieces.sort((a, b) => a.atMs - b.atMs), heard: heardWithin(heard, fromMs, untilMs) }
}

/** The entries heard between two dates, also one that began before. */
function heardWithin(heard: Heard[], fromMs: number, untilMs: number): Heard[] {
  const first = heard.findLastIndex(({ atMs }) => atMs <= fromMs)
  return heard.slice(Math.max(0, first)).filter(({ atMs }) => atMs < untilMs)
}

/** What was on at a date (epoch ms), or the hole that it falls into; neither for the last seconds, which aren't stored yet. */
export async function soundAt(
  media: MediaStorage,
  atMs: number,
  nowMs: number,
): Promise<{ heard: Heard | null; hole: Hole | null }> {
  const marginMs = 3_600_000
  const { pieces, heard } = await recordedBetween(media, atMs - marginMs, atMs + marginMs)
  const isRecorded = pieces.some((piece) => piece.atMs <= atMs && atMs < endMsOf(piece) + SLACK_MS)
  if (isRecorded) return { heard: heard.findLast((one) => one.atMs <= atMs) ?? null, hole: null }
  const holes = holesUntilNow(pieces, atMs - marginMs, atMs + marginMs, nowMs)
  return { heard: null, hole: holes.find((hole) => hole.atMs <= atMs && atMs < hole.untilMs) ?? null }
}

/** The bytes of the frames between two dates (epoch ms), the first of which contains `fromMs`. */
export async function cutSlices(
  media: Pick<MediaStorage, 'open'>,
  pieces: readonly Piece[],
  fromMs: number,
  toMs: number,
): Promise<Slice[]> {
  const slices: Slice[] = []
  for (const piece of pieces) {
    const frameAt = (ms: number) => Math.min(piece.frames, Math.max(0, (ms - piece.atMs) / FRAME_MS))
    const [from, to] = [Math.floor(frameAt(fromMs)), Math.ceil(frameAt(toMs))]
    if (from >= to) continue
    const whole = { key: piece.key, start: piece.byte, end: piece.byte + piece.bytes - 1 }
    if (from === 0 && to === piece.frames) {
      const before = slices.at(-1)
      // A file is opened once for all that follows each other in it.
      if (before?.key === whole.key && before.end + 1 === whole.start) before.end = whole.end
      else slices.push(whole)
      continue
    }
    const audio = await bufferOf(await media.open(piece.key, whole))
    const [start, end] = [byteOfFrame(audio, from), byteOfFrame(audio, to)]
    slices.push({ key: piece.key, start: piece.byte + start, end: piece.byte + end - 1 })
  }
  return slices
}

/** Number of bytes in these slices. */
export const lengthOf = (slices: readonly Slice[]) =>
  slices.reduce((sum, { start, end }) => sum + end - start + 1, 0)

/**
 * Yields the bytes of a cut from one position to another, both included. Files are opened one after another; parts that are joined
 * meanwhile are read on in their hour.
 *
 * @throws Failure NOT_FOUND when a file was deleted.
 */
export async function* readCut(
  media: MediaStorage,
  { slices, fromMs, toMs }: Cut,
  range: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  let at = range.start
  for (let current = slices; ; ) {
    try {
      for await (const bytes of readSlices(media, current, { start: at, end: range.end })) {
        yield bytes
        at += bytes.length
      }
      return
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
      const { pieces } = await recordedBetween(media, fromMs, toMs, { heard: false })
      const found = await cutSlices(media, pieces, fromMs, toMs)
      const keysOf = (some: readonly Slice[]) => some.map(({ key }) => key).join()
      if (lengthOf(found) !== lengthOf(slices) || keysOf(found) === keysOf(current)) throw error
      current = found
    }
  }
}

async function* readSlices(
  media: Pick<MediaStorage, 'open'>,
  slices: readonly Slice[],
  range: { start: number; end: number },
): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const { key, start, end } of slices) {
    const length = end - start + 1
    const from = Math.max(0, range.start - at)
    const to = Math.min(length - 1, range.end - at)
    if (from <= to) yield* await media.open(key, { start: start + from, end: start + to })
    at += length
  }
}
