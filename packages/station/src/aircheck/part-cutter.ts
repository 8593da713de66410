import { FRAME_MS, type FrameChunk, type StreamMarker } from '../ports/bus.ts'
import { HOUR_MS, hourOf } from './names.ts'
import {
  byteOfFrame,
  endMsOf,
  endOf,
  type FrameRange,
  type Heard,
  type Part,
  SLACK_MS,
  sameSound,
} from './part.ts'

/** About 20 s: well below the two minutes that Redis keeps, so that a recorder may die and another go on. */
export const PART_FRAMES = 760

/** What is known of a sound beside its place. */
export type Sound = Omit<Heard, 'frame' | 'atMs'>

/** Names a sound. `speakers`: whose microphones were open; null for a chunk of an earlier version. */
type Describe = (marker: StreamMarker | null, speakers: string[] | null) => Sound

interface OpenPart extends FrameRange {
  audio: Buffer[]
  heard: Heard[]
}

/**
 * Cuts the broadcast at multiples of `partFrames`, at full hours and where frames are missing, so that every recorder comes to the
 * same parts.
 *
 * @param options.last the last frames that were recorded; null = none. They aren't returned again.
 * @param options.dateOf the date of a moment of the station's clock, epoch ms.
 * @returns a function that takes the next chunk and returns the parts that it completes.
 */
export function createPartCutter({
  last,
  dateOf,
  describe,
  partFrames = PART_FRAMES,
}: {
  last: FrameRange | null
  dateOf(atMs: number): number
  describe: Describe
  partFrames?: number
}): (chunk: FrameChunk) => Part[] {
  let open: OpenPart | null = null

  const close = (): Part[] => {
    if (!open) return []
    const part = { ...open, audio: Buffer.concat(open.audio) }
    open = null
    last = part
    return [part]
  }

  const add = (piece: FrameRange & { audio: Buffer; heard: Heard[] }) => {
    open ??= { frame: piece.frame, frames: 0, atMs: piece.atMs, audio: [], heard: [] }
    open.audio.push(piece.audio)
    open.frames += piece.frames
    for (const heard of piece.heard) {
      const before = open.heard.at(-1)
      if (!before || !sameSound(before, heard)) open.heard.push(heard)
    }
  }

  return (chunk) => {
    const whole: Part[] = []
    const atMs = dateOf(chunk.atMs)
    const dateAt = (frame: number) => atMs + (frame - chunk.frame) * FRAME_MS
    const end = endOf(chunk)
    const known = open ?? last
    let from = chunk.frame
    if (known && isRepeated(known, { frame: from, frames: chunk.frames, atMs })) from = endOf(known)
    if (open && from < end && !goesOn(open, from, dateAt(from))) whole.push(...close())
    while (from < end) {
      if (open && hourOf(open.atMs) !== hourOf(dateAt(from))) whole.push(...close())
      const to = Math.min(end, nextCut(from, dateAt(from), partFrames))
      const bytes = [from, to].map((frame) => byteOfFrame(chunk.audio, frame - chunk.frame))
      const heard = soundsOf(chunk, from, to, describe).map((heard) => ({
        ...heard,
        atMs: dateAt(heard.frame),
      }))
      const audio = chunk.audio.subarray(bytes[0], bytes[1])
      add({ frame: from, frames: to - from, atMs: dateAt(from), audio, heard })
      from = to
      if (to < end || to % partFrames === 0) whole.push(...close())
    }
    return whole
  }
}

/** True when a chunk begins with frames that are known. Lower numbers at a later time are a new count. */
function isRepeated(known: FrameRange, chunk: FrameRange): boolean {
  return chunk.frame < endOf(known) && chunk.atMs < endMsOf(known)
}

/** True when frames and time go on where a part ends; after a time off the air only the frames do. */
function goesOn(open: FrameRange, frame: number, atMs: number): boolean {
  return endOf(open) === frame && Math.abs(atMs - endMsOf(open)) < SLACK_MS
}

/** The frame before which a part that has `frame` ends: a multiple of `partFrames`, or the first one of the next hour. */
function nextCut(frame: number, atMs: number, partFrames: number): number {
  const leftMs = HOUR_MS - (atMs % HOUR_MS)
  return Math.min((Math.floor(frame / partFrames) + 1) * partFrames, frame + Math.ceil(leftMs / FRAME_MS))
}

/** The sounds from one frame to another, the first at `from`. */
function soundsOf(
  { markers, speakers }: FrameChunk,
  from: number,
  to: number,
  describe: Describe,
): Omit<Heard, 'atMs'>[] {
  const changes = [...markers, ...(speakers ?? [])].map(({ frame }) => frame)
  const later = changes.filter((frame) => frame > from && frame < to).sort((a, b) => a - b)
  return [from, ...new Set(later)].map((frame) => {
    const isBegun = (one: { frame: number }) => one.frame <= frame
    const names = speakers ? (speakers.findLast(isBegun)?.names ?? []) : null
    return { frame, ...describe(markers.findLast(isBegun) ?? null, names) }
  })
}
