import type { MediaKey } from '../ports/media/media-storage.ts'
import { endMsOf, endOf, type FrameRange } from './part.ts'

/** Folders of the aircheck in the media storage: what was recorded in the current hour, and whole hours. */
export const PARTS = 'aircheck/parts'
export const HOURS = 'aircheck/hours'
export const HOUR_MS = 3_600_000
const DIGITS = 12
const PART = /^aircheck\/parts\/(\d{4}-\d\d-\d\dT\d\d)\.(\d{12})\.(\d+)\.(\d+)\.(\d+)\.part$/
const HOUR = /^aircheck\/hours\/(\d{4}-\d\d-\d\dT\d\d)\.(\d{12})\.(\d{12})\.(\d+)\.(\d+)\.mp3$/

/** A stored part, known by its name. */
export interface StoredPart extends FrameRange {
  key: MediaKey
  hour: string
  /** Length of its sound; what is heard follows behind it. */
  bytes: number
}

/** A stored hour, known by its name. Frames may be missing between its first and last. */
export interface StoredHour {
  key: MediaKey
  index: MediaKey
  hour: string
  frame: number
  /** After the last one. */
  endFrame: number
  /** Dates at which they begin and end, epoch ms. */
  atMs: number
  endMs: number
}

/** The hour of a date (UTC), such as `2026-11-23T14`. */
export const hourOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13)
/** The date at which an hour begins, epoch ms. */
export const hourStartMs = (hour: string): number => Date.parse(`${hour}:00:00Z`)

/** A part is named by its first frame, so that no two recorders write it under different names. */
export function partKey(part: FrameRange & { audio: Uint8Array }): MediaKey {
  const date = Math.floor(part.atMs)
  return `${PARTS}/${hourOf(date)}.${padded(part.frame)}.${part.frames}.${date}.${part.audio.length}.part`
}

export function readPartKey(key: MediaKey): StoredPart | null {
  const [, hour, frame, frames, atMs, bytes] = PART.exec(key) ?? []
  if (!hour) return null
  return {
    key,
    hour,
    frame: Number(frame),
    frames: Number(frames),
    atMs: Number(atMs),
    bytes: Number(bytes),
  }
}

/** Keys of an hour made of these parts, in order of time. */
export function hourKeys(parts: readonly StoredPart[]): StoredHour {
  const [first] = parts
  if (!first) throw new Error('an hour without parts')
  const { hour, frame, atMs } = first
  const endFrame = endOf(parts.at(-1)!)
  const endMs = Math.ceil(endMsOf(parts.at(-1)!))
  const stem = `${HOURS}/${hour}.${padded(frame)}.${padded(endFrame)}.${atMs}.${endMs}`
  return { key: `${stem}.mp3`, index: `${stem}.jsonl`, hour, frame, endFrame, atMs, endMs }
}

export function readHourKey(key: MediaKey): StoredHour | null {
  const [, hour, frame, endFrame, atMs, endMs] = HOUR.exec(key) ?? []
  if (!hour) return null
  return {
    key,
    index: key.replace(/mp3$/, 'jsonl'),
    hour,
    frame: Number(frame),
    endFrame: Number(endFrame),
    atMs: Number(atMs),
    endMs: Number(endMs),
  }
}

const padded = (frame: number) => String(frame).padStart(DIGITS, '0')
