import { frameBytes } from '@solstice/station'

/** A header with the byte before which no length is known. */
const HEADER_BYTES = 4

/** What bytes of a stream hold: whole frames, and how many bytes between them belong to none. */
export interface Followed {
  frames: Buffer[]
  strayBytes: number
}

/** Follows the MP3 frames of a stream whose bytes come cut anywhere. */
export function createFrameFollower(): (piece: Buffer) => Followed {
  let rest: Buffer = Buffer.alloc(0)
  return (piece) => {
    const bytes = Buffer.concat([rest, piece])
    const followed: Followed = { frames: [], strayBytes: 0 }
    let at = 0
    while (at + HEADER_BYTES <= bytes.length) {
      const length = frameBytes(bytes, at)
      if (length === null) {
        followed.strayBytes++
        at++
      } else if (at + length > bytes.length) break
      else {
        followed.frames.push(bytes.subarray(at, at + length))
        at += length
      }
    }
    rest = Buffer.from(bytes.subarray(at))
    return followed
  }
}
