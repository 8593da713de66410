import { frameBytes } from '../core/mp3-frame.ts'
import { FRAME_MS } from '../ports/bus.ts'

/** Frames of the broadcast that were recorded together. */
export interface FrameRange {
  /** Number of the first frame. */
  frame: number
  frames: number
  /** Date of the first frame, epoch ms. */
  atMs: number
  /** Date after the last frame; absent = time and frames go on together. */
  endMs?: number
}

/** The order of a track: its kind, and the amount paid, in units of the currency; absent while it is unknown. */
interface Order {
  type: 'donated' | 'requested'
  id: string | null
  amount?: number
  currency?: string
}

/** What is heard from a frame on. */
export interface Heard {
  frame: number
  /** epoch ms */
  atMs: number
  kind: 'track' | 'jingle' | 'live' | 'silence'
  title: string
  artist: string
  /** Names of the hosts and guests whose microphones were open. */
  speakers: string[]
  /** null for sound that nobody asked for. */
  order: Order | null
}

/** About 20 s of the first mount: what is written at once. It never reaches over a full hour (UTC). */
export interface Part extends FrameRange {
  /** The frames, in MP3. */
  audio: Buffer
  /** In order of their frames; the first one at the first frame. */
  heard: Heard[]
}

/** Tolerance between two counts of the same time. */
export const SLACK_MS = 1_000

export const endOf = ({ frame, frames }: FrameRange) => frame + frames
export const endMsOf = ({ atMs, frames, endMs }: FrameRange) => endMs ?? atMs + frames * FRAME_MS

/** True when two ranges hold a frame in common. After Redis was emptied the count starts over: equal numbers of other times don't count. */
export function overlap(a: FrameRange, b: FrameRange): boolean {
  const inFrames = a.frame < endOf(b) && b.frame < endOf(a)
  return inFrames && a.atMs < endMsOf(b) + SLACK_MS && b.atMs < endMsOf(a) + SLACK_MS
}

/** The frames of a part from `from` to `to`, exclusive; null when it has none of them. */
export function slice(part: Part, from: number, to: number): Part | null {
  const first = Math.max(from, part.frame)
  const end = Math.min(to, endOf(part))
  if (first >= end) return null
  const at = byteOfFrame(part.audio, first - part.frame)
  const until = byteOfFrame(part.audio, end - part.frame)
  const dateOf = (frame: number) => part.atMs + (frame - part.frame) * FRAME_MS
  const current = part.heard.findLast(({ frame }) => frame <= first)
  const later = part.heard.filter(({ frame }) => frame > first && frame < end)
  return {
    frame: first,
    frames: end - first,
    atMs: dateOf(first),
    audio: part.audio.subarray(at, until),
    heard: [...(current ? [{ ...current, frame: first, atMs: dateOf(first) }] : []), ...later],
  }
}

/** The parts of `part` that none of `recorded` has. */
export function withoutRecorded(part: Part, recorded: readonly FrameRange[]): Part[] {
  let left: Part[] = [part]
  for (const range of recorded) {
    left = left.flatMap((piece) => {
      if (!overlap(piece, range)) return [piece]
      return [slice(piece, piece.frame, range.frame), slice(piece, endOf(range), endOf(piece))].filter(
        (rest) => rest !== null,
      )
    })
  }
  return left
}

/** Position at which a frame begins, by its number within these bytes; their end for the frame after the last. */
export function byteOfFrame(audio: Buffer, wanted: number): number {
  let at = 0
  for (let frame = 0; frame < wanted; frame++) at += frameBytes(audio, at) ?? audio.length - at
  return Math.min(at, audio.length)
}

/** True when two entries name the same sound; of one of them it may not be known yet what was paid. */
export function sameSound(a: Heard, b: Heard): boolean {
  const about = ({ frame: _, atMs: __, order, ...rest }: Heard) =>
    JSON.stringify([rest, order && [order.type, order.id]])
  return about(a) === about(b)
}
