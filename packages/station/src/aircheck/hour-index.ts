import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import { HOUR_MS, hourStartMs, type StoredHour, type StoredPart } from './names.ts'
import { endMsOf, endOf, type FrameRange, type Heard, SLACK_MS, sameSound } from './part.ts'
import { bufferOf, heardIn } from './record.ts'

/** Frames that follow each other in a file. */
export interface Piece extends FrameRange {
  key: MediaKey
  /** Where they begin in the file, and their length. */
  byte: number
  bytes: number
}

/** A time without a recording; differences of less than a second are corrections of the clock. */
export interface Hole {
  atMs: number
  untilMs: number
  /** `off-air`: the broadcast itself went on later, with the next frame. */
  cause: 'not-recorded' | 'off-air'
}

/** A part is written when its 20 s are over; a slow storage, or a recorder that takes over, adds to that. */
const STORING_MS = 60_000

/** What was recorded: the frames in order of time, and what is heard in them. */
export interface Recorded {
  pieces: Piece[]
  heard: Heard[]
}

type IndexLine =
  | ({ type: 'frames' } & FrameRange & Pick<Piece, 'byte' | 'bytes'>)
  | ({ type: 'heard' } & Heard)
  | ({ type: 'hole' } & Hole)

/** What a few stored parts hold. */
export async function recordedIn(
  media: Pick<MediaStorage, 'open'>,
  parts: readonly StoredPart[],
): Promise<Recorded> {
  const recorded: Recorded = { pieces: [], heard: [] }
  for (const part of parts) {
    const { key, frame, frames, atMs, bytes } = part
    recorded.pieces.push({ key, frame, frames, atMs, byte: 0, bytes })
    for (const heard of await heardIn(media, part)) addHeard(recorded.heard, heard)
  }
  return recorded
}

/** The index of an hour, a line of JSON for each run of frames, each sound and each hole. */
export function indexLines(hour: string, { pieces, heard }: Recorded): string {
  let byte = 0
  const frames = pieces.map(({ key: _, ...piece }): IndexLine => {
    const line = { type: 'frames' as const, ...piece, byte }
    byte += piece.bytes
    return line
  })
  const holes = holesIn(pieces, hourStartMs(hour), hourStartMs(hour) + HOUR_MS)
  const lines: IndexLine[] = [
    ...frames,
    ...heard.map((one) => ({ type: 'heard' as const, ...one })),
    ...holes.map((hole) => ({ type: 'hole' as const, ...hole })),
  ]
  return lines
    .sort((a, b) => a.atMs - b.atMs)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}

/** Reads the index of a whole hour. @throws Failure NOT_FOUND */
export async function readIndex(
  media: Pick<MediaStorage, 'open'>,
  { key, index }: StoredHour,
): Promise<Recorded> {
  const text = (await bufferOf(await media.open(index))).toString()
  const recorded: Recorded = { pieces: [], heard: [] }
  for (const line of text.split('\n')) {
    if (line === '') continue
    const { type, ...rest } = JSON.parse(line) as IndexLine
    if (type === 'frames') recorded.pieces.push({ key, ...(rest as Omit<Piece, 'key'>) })
    if (type === 'heard') addHeard(recorded.heard, rest as Heard)
  }
  return recorded
}

/** Adds what is heard next, unless it is what was heard before. */
export function addHeard(all: Heard[], next: Heard): void {
  const before = all.at(-1)
  if (!before || !sameSound(before, next)) all.push(next)
}

/** The times between two dates (epoch ms) without a frame. */
export function holesIn(pieces: readonly FrameRange[], fromMs: number, untilMs: number): Hole[] {
  const holes: Hole[] = []
  let atMs = fromMs
  let next: number | null = null
  for (const piece of pieces) {
    if (piece.atMs - atMs > SLACK_MS) {
      const isOffAir = piece.frame === next
      holes.push({ atMs, untilMs: piece.atMs, cause: isOffAir ? 'off-air' : 'not-recorded' })
    }
    atMs = endMsOf(piece)
    next = endOf(piece)
  }
  if (untilMs - atMs > SLACK_MS) holes.push({ atMs, untilMs, cause: 'not-recorded' })
  return holes
}

/** The same up to now (epoch ms), without the last seconds, which are still to be stored. */
export function holesUntilNow(
  pieces: readonly FrameRange[],
  fromMs: number,
  untilMs: number,
  nowMs: number,
): Hole[] {
  const endMs = Math.max(fromMs, Math.min(untilMs, nowMs))
  const isUnstored = (hole: Hole) => hole.untilMs === endMs && hole.atMs > nowMs - STORING_MS
  return holesIn(pieces, fromMs, endMs).filter((hole) => !isUnstored(hole))
}
