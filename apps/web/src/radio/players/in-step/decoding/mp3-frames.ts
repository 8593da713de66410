/** The header of a layer III frame. */
export interface FrameHeader {
  version: number
  kbits: number
  sampleRate: number
  /** Per channel. */
  samples: number
  /** Bytes, header included. */
  length: number
  isMono: boolean
}

/** Facts about a whole MP3, read from its beginning. */
export interface Mp3Head {
  header: FrameHeader
  /** Byte of the first frame with sound. */
  soundAt: number
  /** Samples that encoder and decoder put before the first one of the track. */
  delay: number
  /** True when all frames are of one bitrate, so that a frame can be found without reading those before it. */
  isConstant: boolean
}

/** Four bytes may look like a header by chance; three headers in a row, each where a frame ends, do not. */
const CHAIN = 3
/** Frames of a file without the encoder's note that have to agree before its bitrate counts as constant. */
const CONSTANT_AFTER = 16
const MPEG1 = 3
/** Every layer III decoder is behind by this many samples. */
const DECODER_DELAY = 529

const kbits1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const kbits2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** By version: 2.5, (reserved), 2, 1. */
const sampleRates = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]]

export function headerAt(bytes: Uint8Array, at: number): FrameHeader | null {
  if (at + 4 > bytes.length) return null
  const [b0, b1, b2, b3] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!]
  if (b0 !== 0xff || (b1 & 0xe6) !== 0xe2) return null
  const version = (b1 >> 3) & 3
  const kbits = (version === MPEG1 ? kbits1 : kbits2)[b2 >> 4]
  const sampleRate = sampleRates[version]![(b2 >> 2) & 3]
  if (!kbits || !sampleRate) return null
  const samples = version === MPEG1 ? 1152 : 576
  const length = Math.floor(meanLength({ samples, kbits, sampleRate })) + ((b2 >> 1) & 1)
  return { version, kbits, length, samples, sampleRate, isMono: b3 >> 6 === 3 }
}

/** Bytes per frame at a constant bitrate, of which each frame has the whole part or one more. */
export const meanLength = (header: Pick<FrameHeader, 'samples' | 'kbits' | 'sampleRate'>): number =>
  ((header.samples / 8) * header.kbits * 1000) / header.sampleRate

export const isLike = (a: FrameHeader, b: FrameHeader): boolean =>
  a.version === b.version && a.sampleRate === b.sampleRate

/** Length of the ID3v2 tag that begins here; 0 when there is none. */
export function tagLength(bytes: Uint8Array, at: number): number {
  if (at + 10 > bytes.length || latin1(bytes, at, 3) !== 'ID3') return 0
  const size = bytes.subarray(at + 6, at + 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return 10 + size + ((bytes[at + 5]! & 0x10) !== 0 ? 10 : 0)
}

/** The first byte from `at` on where a chain of frames begins, like `like` if given; -1 when there is none. */
export function findFrame(bytes: Uint8Array, at: number, like?: FrameHeader): number {
  for (let here = at; here + 4 <= bytes.length; here++) {
    const first = headerAt(bytes, here)
    if (first && (!like || isLike(first, like)) && isChain(bytes, here, first)) return here
  }
  return -1
}

/**
 * Reads the head of an MP3.
 *
 * @param bytes from after the tags on, with the first frames; `at` is their place in the file.
 * @returns null when no layer III frames begin there.
 */
export function readHead(bytes: Uint8Array, at: number): Mp3Head | null {
  const here = findFrame(bytes, 0)
  if (here < 0) return null
  const header = headerAt(bytes, here)!
  const note = noteIn(bytes, here, header)
  if (!note) {
    const isConstant = firstBitrates(bytes, here).every((kbits) => kbits === header.kbits)
    return { header, soundAt: at + here, delay: 0, isConstant }
  }
  const soundAt = here + header.length
  const sound = headerAt(bytes, soundAt)
  if (!sound || !isLike(sound, header)) return null
  return { header: sound, soundAt: at + soundAt, delay: note.delay, isConstant: note.isConstant }
}

function isChain(bytes: Uint8Array, at: number, first: FrameHeader): boolean {
  let header = first
  let next = at
  for (let i = 1; i < CHAIN; i++) {
    next += header.length
    const following = headerAt(bytes, next)
    if (!following || !isLike(following, first)) return false
    header = following
  }
  return true
}

function firstBitrates(bytes: Uint8Array, at: number): number[] {
  const found: number[] = []
  let next = at
  for (let header = headerAt(bytes, next); header && found.length < CONSTANT_AFTER; ) {
    found.push(header.kbits)
    next += header.length
    header = headerAt(bytes, next)
  }
  return found
}

/** The encoder's note in a first frame without sound (Xing, Info, VBRI). */
function noteIn(bytes: Uint8Array, at: number, { version, isMono }: FrameHeader) {
  if (latin1(bytes, at + 36, 4) === 'VBRI') return { isConstant: false, delay: 0 }
  const sideInfo = version === MPEG1 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const note = at + 4 + sideInfo
  const name = latin1(bytes, note, 4)
  if (name !== 'Xing' && name !== 'Info') return null
  const flags = bytes[note + 7] ?? 0
  const encoder =
    note + 8 + (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0)
  const isGapless = ['LAME', 'Lavf', 'Lavc'].includes(latin1(bytes, encoder, 4))
  const delay = isGapless ? ((bytes[encoder + 21] ?? 0) << 4) | ((bytes[encoder + 22] ?? 0) >> 4) : 0
  return { isConstant: name === 'Info', delay: isGapless ? delay + DECODER_DELAY : 0 }
}

const latin1 = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))
