import type { FileHandle } from 'node:fs/promises'

/** Bytes read at once, and how far ahead of a position they must reach: over a chain of frames. */
const WINDOW = 256 * 1024
const LOOKAHEAD = 8 * 1024
/** A header is four bytes that occur by chance; so many in a row, each where the one before ends, do not. */
const CHAIN = 3
/** What is no frame is passed over byte by byte, up to this many: longer junk means that it is no MP3. */
const MAX_JUNK = 1024 * 1024
const MOST_TAGS = 8

/** What the layer III frames of a file tell. */
export interface Mp3Facts {
  /** Seconds. */
  duration: number
  /** The frames make up the file; otherwise they stand in it by chance, or within something else. */
  isMpeg: boolean
  /** Bytes before the first frame that are neither tag nor frame. */
  junkBefore: number
}

/**
 * Measures an MP3 by its frames (headers of ISO/IEC 11172-3 and 13818-3, layer III), whatever is said in its tags: a
 * file that was cut short or says nothing of its variable bit rate still gets the length that is heard.
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

  if (await isContainer(file, start)) return null
  let at = start
  let junk = 0
  let junkBefore: number | null = null
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
      junkBefore ??= junk
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
    // What the encoder put before and after the sound is taken off, unless some of it is missing.
    duration: info?.frames === frames ? seconds - info.silentSeconds : seconds,
    isMpeg: others < (end - start - tags) / 2,
    junkBefore: junkBefore ?? junk,
  }
}

/** Where the sound of an MP3 lies between its tags, in bytes: `end` is the first byte behind it. */
export interface SoundBounds {
  start: number
  end: number
}

/** Leaves out ID3v2 tags at the start, and ID3v1, APE and Lyrics3 tags at the end, up to a few of each. */
export async function findSound(file: FileHandle): Promise<SoundBounds> {
  const { size } = await file.stat()
  const head = Buffer.alloc(10)
  let start = 0
  for (let i = 0; i < MOST_TAGS && start < size; i++) {
    const { bytesRead } = await file.read(head, 0, head.length, start)
    start = Math.min(size, start + id3Length(head.subarray(0, bytesRead), 0))
  }
  const tail = Buffer.alloc(128)
  let end = size
  for (let i = 0; i < MOST_TAGS && end > start; i++) {
    const at = Math.max(start, end - tail.length)
    const { bytesRead } = await file.read(tail, 0, end - at, at)
    end = Math.max(start, end - trailingTagLength(tail.subarray(0, bytesRead)))
  }
  return { start, end }
}

/** What else may hold sound, be it frames of layer III: a player goes by how the file begins. */
export async function isContainer(file: FileHandle, start: number): Promise<boolean> {
  const bytes = Buffer.alloc(8)
  await file.read(bytes, 0, bytes.length, start)
  const begins = ['RIFF', 'RIFX', 'FORM', 'OggS', 'fLaC', 'FLV', '\x1aE\xdf\xa3']
  const isNamed = begins.some((magic) => bytes.toString('latin1', 0, magic.length) === magic)
  return isNamed || bytes.toString('latin1', 4, 8) === 'ftyp'
}

interface Frame {
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

function frameAt(bytes: Buffer, at: number): Frame | null {
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

function isLike(frame: Frame, other: Frame | null): boolean {
  return other?.version === frame.version && other.sampleRate === frame.sampleRate
}

function isChain(bytes: Buffer, at: number, first: Frame): boolean {
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

/** Length of an ID3v2 tag that begins here, 0 when none does. Tags stand at the start, at times more than one. */
export function id3Length(bytes: Buffer, at: number): number {
  if (at + 10 > bytes.length || bytes[at] !== 0x49 || bytes[at + 1] !== 0x44 || bytes[at + 2] !== 0x33)
    return 0
  const sizes = bytes.subarray(at + 6, at + 10)
  if (sizes.some((byte) => byte > 127)) return 0
  const hasFooter = (bytes[at + 5]! & 0x10) !== 0
  return 10 + sizes.reduce((sum, byte) => sum * 128 + byte, 0) + (hasFooter ? 10 : 0)
}

/** Length of the tag that ends where `tail` ends, 0 when none does. */
function trailingTagLength(tail: Buffer): number {
  const text = (fromEnd: number, length: number) =>
    tail.toString('latin1', tail.length - fromEnd, tail.length - fromEnd + length)
  if (tail.length === 128 && text(128, 3) === 'TAG') return 128
  if (tail.length >= 32 && text(32, 8) === 'APETAGEX') {
    const [size, flags] = [tail.readUInt32LE(tail.length - 20), tail.readUInt32LE(tail.length - 12)]
    return size + (flags >>> 31 ? 32 : 0)
  }
  const lyricsSize = /^(\d{6})LYRICS200$/.exec(tail.length >= 15 ? text(15, 15) : '')?.[1]
  return lyricsSize ? Number(lyricsSize) + 15 : 0
}

/** What an encoder says in a first frame that holds no sound. */
interface Info {
  frames: number | null
  /** Silence that the encoder added at both ends. */
  silentSeconds: number
}

function infoIn(bytes: Buffer, at: number, frame: Frame): Info | null {
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
