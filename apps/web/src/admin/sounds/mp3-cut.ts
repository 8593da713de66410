/** Part of an MP3 file, cut between its frames: nothing is decoded or encoded again. */

/** kbit/s by version (1; 2 and 2.5) of layer III. */
const RATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const

interface Frame {
  at: number
  bytes: number
  seconds: number
}

/**
 * The frames of a sound from one moment to another, in seconds, as a file of its own.
 *
 * @returns null when the file has no such frames, as when it isn't MP3 of layer III.
 */
export function cutMp3(file: Uint8Array, fromS: number, toS: number): Uint8Array<ArrayBuffer> | null {
  const frames = framesOf(file)
  let atS = 0
  const kept = frames.filter(({ seconds }) => {
    const middle = atS + seconds / 2
    atS += seconds
    return middle >= fromS && middle < toS
  })
  const first = kept[0]
  const last = kept.at(-1)
  return first && last ? file.slice(first.at, last.at + last.bytes) : null
}

/** The frames of sound in order; the first frame of many files only describes the others. */
function framesOf(file: Uint8Array): Frame[] {
  const frames: Frame[] = []
  let at = endOfTag(file)
  while (at + 4 <= file.length) {
    const frame = frameAt(file, at)
    if (!frame) {
      at++
      continue
    }
    if (frames.length || !isDescription(file, frame)) frames.push(frame)
    at += frame.bytes
  }
  return frames
}

function endOfTag(file: Uint8Array): number {
  if (file[0] !== 0x49 || file[1] !== 0x44 || file[2] !== 0x33) return 0
  const size = [6, 7, 8, 9].reduce((sum, i) => (sum << 7) | (file[i]! & 0x7f), 0)
  return 10 + size
}

function frameAt(file: Uint8Array, at: number): Frame | null {
  const [first, second, third] = [file[at]!, file[at + 1]!, file[at + 2]!]
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || (second & 0x06) !== 0x02) return null
  const version = (second >> 3) & 3
  if (version === 1) return null
  const isFirstVersion = version === 3
  const rate = RATES[isFirstVersion ? 0 : 1][(third >> 4) - 1]
  const whole = SAMPLE_RATES[(third >> 2) & 3]
  if (!rate || !whole) return null
  const hz = whole / (isFirstVersion ? 1 : version === 2 ? 2 : 4)
  const samples = isFirstVersion ? 1152 : 576
  const bytes = Math.floor(((samples / 8) * rate * 1000) / hz) + ((third >> 1) & 1)
  return at + bytes <= file.length ? { at, bytes, seconds: samples / hz } : null
}

function isDescription(file: Uint8Array, { at, bytes }: Frame): boolean {
  const text = String.fromCharCode(...file.subarray(at + 4, at + Math.min(bytes, 48)))
  return /Xing|Info|VBRI/.test(text)
}
