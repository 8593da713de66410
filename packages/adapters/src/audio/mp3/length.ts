import type { FileHandle } from 'node:fs/promises'
import { id3Length, type SoundBounds } from './layout.ts'

/** Bytes read at once, and the part of them that a chain of frames may take up. */
const WINDOW = 256 * 1024
const LOOKAHEAD = 8 * 1024
/** Four bytes may look like a header by chance; three headers in a row, each where a frame ends, do not. */
const CHAIN = 3
/** Bytes that are no frame are skipped one by one; with more of them the file is no MP3. */
const MAX_JUNK = 1024 * 1024

/** The result of reading the layer III frames of a file. */
export interface Mp3Facts {
  /** Seconds. */
  duration: number
  /** True when the frames make up most of the file, instead of occurring in it by chance or within another format. */
  isMpeg: boolean
}

/**
 * Measures an MP3 by its frames (headers of ISO/IEC 11172-3 and 13818-3, layer III) and not by its tags, so that a file
 * that was cut short, or has an undeclared variable bit rate, gets the length that is heard.
 *
 * @returns null when there is no row of layer III frames.
 */
export async function measureMp3(file: FileHandle, { start, end }: SoundBounds): Promise<Mp3Facts | null> {
  const window = Buffer.allocUnsafe(WINDOW)
  let windowAt = 0
  let filled = 0
  const load = async (at: number) => {
    if (at >= windowAt && Math.min(at + LOOKAHEAD, end) <= windowAt + filled) return
    windowAt = at
    filled = (await file.read(window, 0, Math.min(WINDOW, end - at), at)).bytesRead
  }

  let at = start
  let junk = 0
  let tags = 0
  let frames = 0
  let seconds = 0
  let last: Frame | null = null
  let info: Info | null = null
  while (at + 4 <= end && junk < MAX_JUNK) {
    await load(at)
    const bytes = window.subarray(0, filled)
    const here = at - windowAt
    const tagLength = id3Length(bytes, here)
    const frame = tagLength > 0 ? null : frameAt(bytes, here)
    const isFrame = frame && (isLike(frame, last) || isChain(bytes, here, frame))
    if (frame && isFrame && at + frame.length <= end) {
      const described: Info | null = last || info ? null : infoIn(bytes, here, frame)
      if (described) info = described
      else {
        frames++
        seconds += frame.samples / frame.sampleRate
      }
      last = frame
      at += frame.length
    } else {
      last = null
      at += tagLength || 1
      if (tagLength === 0) junk++
      else tags += tagLength
    }
  }
  if (frames === 0) return null
  const others = junk + Math.max(0, end - at)
  return {
    // The encoder's padding is taken off, unless some of the file is missing.
    duration: info?.frames === frames ? seconds - info.silentSeconds : seconds,
    isMpeg: others < (end - start - tags) / 2,
  }
}

export interface Frame {
  version: number
  /** Bytes. */
  length: number
  samples: number
  sampleRate: number
  isMono: boolean
}

const MPEG1 = 3
const kbits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kbits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** By version: 2.5, (reserved), 2, 1. */
const sampleRates = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]]

export function frameAt(bytes: Buffer, at: number): Frame | null {
  if (at + 4 > bytes.length) return null
  const [b0, b1, b2, b3] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!]
  const isLayer3 = b0 === 0xff && (b1 & 0xe6) === 0xe2
  if (!isLayer3) return null
  const version = (b1 >> 3) & 3
  const kbits = (version === MPEG1 ? kbits1 : kbits2)[b2 >> 4]
  const sampleRate = sampleRates[version]![(b2 >> 2) & 3]
  if (!kbits || !sampleRate) return null
  const samples = version === MPEG1 ? 1152 : 576
  const length = Math.floor((samples / 8) * ((kbits * 1000) / sampleRate)) + ((b2 >> 1) & 1)
  return { version, length, samples, sampleRate, isMono: b3 >> 6 === 3 }
}

export function isLike(frame: Frame, other: Frame | null): boolean {
  return other?.version === frame.version && other.sampleRate === frame.sampleRate
}

export function isChain(bytes: Buffer, at: number, first: Frame): boolean {
  let frame = first
  let next = at
  for (let i = 1; i < CHAIN; i++) {
    next += frame.length
    const following = frameAt(bytes, next)
    if (!following || !isLike(following, first)) return false
    frame = following
  }
  return true
}

/** The encoder's note in a first frame without sound (Xing, Info, VBRI). */
interface Info {
  frames: number | null
  /** Silence that the encoder added at both ends. */
  silentSeconds: number
}

export function infoIn(bytes: Buffer, at: number, frame: Frame): Info | null {
  if (bytes.toString('latin1', at + 36, at + 40) === 'VBRI') return { frames: null, silentSeconds: 0 }
  const sideInfo = frame.version === MPEG1 ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17
  const xing = at + 4 + sideInfo
  if (!['Xing', 'Info'].includes(bytes.toString('latin1', xing, xing + 4))) return null
  const flags = bytes[xing + 7] ?? 0
  const tag =
    xing + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  const isGapless = ['LAME', 'Lavf', 'Lavc'].includes(bytes.toString('latin1', tag, tag + 4))
  const trim = isGapless && tag + 24 <= bytes.length ? bytes.readUIntBE(tag + 21, 3) : 0
  return {
    frames: flags & 1 && xing + 12 <= bytes.length ? bytes.readUInt32BE(xing + 8) : null,
    silentSeconds: ((trim >> 12) + (trim & 0xfff)) / frame.sampleRate,
  }
}
