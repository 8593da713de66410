import { type FileHandle, open } from 'node:fs/promises'
import { layOut } from './layout.ts'
import { type Frame, frameAt, infoIn, isChain, isLike } from './length.ts'

const WINDOW_BYTES = 256 * 1024
/** Rows of frames that begin later than this after the tags are not looked for. */
const FIRST_WITHIN_BYTES = 32 * 1024
/** A chain of the largest frames. */
const MARGIN_BYTES = 12 * 1024

/**
 * Finds the bytes at which frames 0, `every`, 2 × `every` and so on of an MP3 begin, counted from the first one with sound, as far
 * as frames of one kind follow each other without a gap.
 *
 * @returns an empty list when there is no row of layer III frames.
 */
export async function placeFrames(path: string, every: number): Promise<number[]> {
  const file = await open(path)
  try {
    const { sound } = await layOut(file)
    const { size } = await file.stat()
    return await walk(windowOf(file, size), size, sound.start, every)
  } finally {
    await file.close()
  }
}

type Window = (at: number) => Promise<{ bytes: Buffer; here: number }>

async function walk(window: Window, size: number, start: number, every: number): Promise<number[]> {
  const first = await firstFrame(window, start)
  if (!first) return []
  const places: number[] = []
  let { at } = first
  for (let number = 0; ; number++) {
    const { bytes, here } = await window(at)
    const frame = frameAt(bytes, here)
    if (!frame || !isLike(frame, first.frame) || at + frame.length > size) return places
    if (number % every === 0) places.push(at)
    at += frame.length
  }
}

/** The first frame with sound, after the encoder's note if there is one. */
async function firstFrame(window: Window, start: number): Promise<{ at: number; frame: Frame } | null> {
  for (let at = start; at < start + FIRST_WITHIN_BYTES; at++) {
    const { bytes, here } = await window(at)
    const frame = frameAt(bytes, here)
    if (!frame || !isChain(bytes, here, frame)) continue
    return { at: infoIn(bytes, here, frame) ? at + frame.length : at, frame }
  }
  return null
}

/** Reads a file in large parts; `here` is the place of a byte in the part that holds it and what follows. */
function windowOf(file: FileHandle, size: number): Window {
  const buffer = Buffer.allocUnsafe(WINDOW_BYTES)
  let startsAt = 0
  let filled = 0
  return async (at) => {
    if (at < startsAt || Math.min(at + MARGIN_BYTES, size) > startsAt + filled) {
      startsAt = at
      filled = (await file.read(buffer, 0, WINDOW_BYTES, at)).bytesRead
    }
    return { bytes: buffer.subarray(0, filled), here: at - startsAt }
  }
}
