import {
  codecs,
  frameBytes,
  isHeaderPage,
  type Mount,
  oggPages,
  type PlacedPage,
  readOggPage,
  readOpusTags,
} from '@solstice/station'

/** The longest header of a frame. */
const HEADER_BYTES = 7

/** The whole frames in bytes of a stream, and the number of bytes other than zeros that belong to none. */
export interface Followed {
  frames: Buffer[]
  strayBytes: number
  /** The title that the sound itself names from here on; absent where it names none. */
  title?: string
}

/** Follows the frames of a stream whose bytes come cut anywhere; it may begin within a frame. */
export function createFrameFollower(codec: Mount['codec']): (piece: Buffer) => Followed {
  return codec === 'opus' ? followPages() : followHeaders(codecs[codec].frameBytes ?? frameBytes)
}

/** The frames of a chunk of the broadcast. */
export function framesIn(codec: Mount['codec'], audio: Buffer): Buffer[] {
  if (codec === 'opus') return oggPages(audio).flatMap(soundOf)
  const frames: Buffer[] = []
  const { frameBytes } = codecs[codec]
  for (let at = 0, length = frameBytes(audio, at); length !== null; length = frameBytes(audio, at)) {
    frames.push(audio.subarray(at, at + length))
    at += length
  }
  return frames
}

function followHeaders(lengthAt: (bytes: Uint8Array, at: number) => number | null) {
  let rest: Buffer = Buffer.alloc(0)
  let hasBegun = false
  return (piece: Buffer): Followed => {
    const bytes = Buffer.concat([rest, piece])
    const followed: Followed = { frames: [], strayBytes: 0 }
    let at = 0
    while (at + HEADER_BYTES <= bytes.length) {
      const length = lengthAt(bytes, at)
      const needed = (length ?? 0) + (hasBegun ? 0 : HEADER_BYTES)
      if (length !== null && at + needed > bytes.length) break
      if (!hasBegun) hasBegun = length !== null && lengthAt(bytes, at + length) !== null
      if (!hasBegun) at++
      else if (length === null) {
        // The stream fills up with zeros where a listener joins or jumps, for its titles to come in time.
        if (bytes[at] !== 0) followed.strayBytes++
        at++
      } else {
        followed.frames.push(bytes.subarray(at, at + length))
        at += length
      }
    }
    rest = Buffer.from(bytes.subarray(at))
    return followed
  }
}

function followPages() {
  let rest: Buffer = Buffer.alloc(0)
  return (piece: Buffer): Followed => {
    const bytes = Buffer.concat([rest, piece])
    const followed: Followed = { frames: [], strayBytes: 0 }
    let at = 0
    while (at < bytes.length) {
      const page = readOggPage(bytes, at)
      if (page === 'more') break
      if (page === null) {
        followed.strayBytes++
        at++
        continue
      }
      const title = titleOf(page)
      if (title !== null) followed.title = title
      followed.frames.push(...soundOf(page))
      at = page.end
    }
    rest = Buffer.from(bytes.subarray(at))
    return followed
  }
}

const soundOf = (page: PlacedPage): Buffer[] => (isHeaderPage(page) ? [] : [...page.packets])

function titleOf({ packets }: PlacedPage): string | null {
  const tags = packets[0] ? readOpusTags(packets[0]) : null
  if (!tags) return null
  const tag = (name: string) => tags.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1)
  return [tag('ARTIST'), tag('TITLE')].filter(Boolean).join(' - ')
}
