import { frameBytes } from '@solstice/station'

const HEADER_BYTES = 4

/** The whole frames in bytes of a stream, and the number of bytes other than zeros that belong to none. */
export interface Followed {
  frames: Buffer[]
  strayBytes: number
}

/** Follows the MP3 frames of a stream whose bytes come cut anywhere; it may begin within a frame. */
export function createFrameFollower(): (piece: Buffer) => Followed {
  let rest: Buffer = Buffer.alloc(0)
  let hasBegun = false
  return (piece) => {
    const bytes = Buffer.concat([rest, piece])
    const followed: Followed = { frames: [], strayBytes: 0 }
    let at = 0
    while (at + HEADER_BYTES <= bytes.length) {
      const length = frameBytes(bytes, at)
      const needed = (length ?? 0) + (hasBegun ? 0 : HEADER_BYTES)
      if (length !== null && at + needed > bytes.length) break
      if (!hasBegun) hasBegun = length !== null && frameBytes(bytes, at + length) !== null
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
