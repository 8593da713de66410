import {
  type FrameHeader,
  findFrame,
  headerAt,
  isLike,
  type Mp3Head,
  meanLength,
  readHead,
  tagLength,
} from './mp3-frames.ts'

/** Fetches the bytes of a file from `start` to before `end`, or to its end; `size` is that of the whole file. */
export type FetchRange = (start: number, end: number) => Promise<{ bytes: Uint8Array; size: number }>

/** Bytes of the frames 0, `every`, 2 × `every` and so on, as far as frames follow each other without a gap. */
export interface FramePlaces {
  every: number
  at: readonly number[]
}

/** The frames of an MP3 by their number, read from ranges of its file. */
export interface FrameReader {
  /** @throws NotMp3 */
  head(): Promise<Mp3Head>
  /**
   * Frames `from` to before `to`, fewer at the end of the file. Calls go forwards, apart from a few frames, and never overlap.
   *
   * @throws what `fetchRange` throws; the same call may then be repeated.
   */
  read(from: number, to: number): Promise<Uint8Array[]>
}

/** The file can't be played by frames. */
export class NotMp3 extends Error {}

const HEAD_BYTES = 32 * 1024
const FIRST_RANGE_BYTES = 192 * 1024
const RANGE_BYTES = 512 * 1024
/** More bytes that are no frames, in one place, are not skipped. */
const MAX_JUNK_BYTES = 1024 * 1024
/** The largest frame of layer III. */
const MAX_FRAME_BYTES = 2881
/** Reading these on the way costs less than another request. */
const SKIPPED_FRAMES = 64
/** And these less than asking where frames lie, too. */
const COUNTED_FRAMES = 500

/** @param fetchPlaces tells where frames lie whose place can't be calculated; null when that isn't known. */
export function createFrameReader(
  fetchRange: FetchRange,
  fetchPlaces: () => Promise<FramePlaces | null> = async () => null,
): FrameReader {
  const bytes = createByteWindow(fetchRange)
  let head: Mp3Head | null = null
  let isConstant = false
  /** Frames in memory, the first of which has this number; the next one begins at this byte. */
  let kept: Uint8Array[] = []
  let firstKept = 0
  let nextAt = 0
  /** Undefined until it is asked for. */
  let places: FramePlaces | null | undefined

  async function open(): Promise<Mp3Head> {
    head = await findHead(bytes)
    isConstant = head.isConstant
    nextAt = head.soundAt
    return head
  }

  /** Goes to a frame shortly before `frame`: by calculation, by the station's word, or from the beginning. */
  async function seek({ header, soundAt }: Mp3Head, frame: number): Promise<void> {
    kept = []
    firstKept = 0
    nextAt = soundAt
    if (!isConstant) return leap(soundAt, frame)
    const mean = meanLength(header)
    const near = soundAt + Math.max(0, Math.floor((frame - 1) * mean) - 2)
    const found = findFrame(await bytes.from(near, 4 * MAX_FRAME_BYTES, FIRST_RANGE_BYTES), 0, header)
    if (found < 0) return
    nextAt = near + found
    firstKept = Math.round((nextAt - soundAt) / mean)
  }

  /** Goes forwards to shortly before `frame`, as far as the station knows the way. */
  async function leap(soundAt: number, frame: number): Promise<void> {
    if (frame <= firstKept + kept.length + COUNTED_FRAMES) return
    if (places === undefined) places = await fetchPlaces()
    // Frames that are counted from another one are of no use.
    if (places?.at[0] !== soundAt) return
    const entry = Math.min(places.at.length - 1, Math.floor(frame / places.every))
    if (entry * places.every <= firstKept + kept.length) return
    kept = []
    firstKept = entry * places.every
    nextAt = places.at[entry]!
  }

  const rangeBytes = () => (kept.length < SKIPPED_FRAMES ? FIRST_RANGE_BYTES : RANGE_BYTES)

  return {
    head: async () => head ?? open(),
    async read(from, to) {
      const of = head ?? (await open())
      const isAhead = from > firstKept + kept.length + SKIPPED_FRAMES
      if (from < firstKept || (isConstant && isAhead)) await seek(of, from)
      else if (isAhead) await leap(of.soundAt, from)
      while (firstKept + kept.length < to) {
        if (firstKept < from) {
          const passed = Math.min(kept.length, from - firstKept)
          kept.splice(0, passed)
          firstKept += passed
        }
        const next = await readFrame(bytes, nextAt, of.header, rangeBytes())
        if (!next) break
        nextAt = next.end
        if (isConstant && next.header.kbits !== of.header.kbits) {
          // The bitrate varies after all: the number of this frame may be wrong.
          isConstant = false
          await seek(of, from)
        } else kept.push(next.frame)
      }
      return kept.slice(Math.max(0, from - firstKept), Math.max(0, to - firstKept))
    },
  }
}

type ByteWindow = ReturnType<typeof createByteWindow>

/** The head of the first frame, behind all tags. @throws NotMp3 */
async function findHead(bytes: ByteWindow): Promise<Mp3Head> {
  let at = 0
  let tag = tagLength(await bytes.from(at, HEAD_BYTES, HEAD_BYTES), 0)
  while (tag > 0) {
    at += tag
    tag = tagLength(await bytes.from(at, HEAD_BYTES, HEAD_BYTES), 0)
  }
  const found = readHead(await bytes.from(at, HEAD_BYTES, HEAD_BYTES), at)
  if (!found) throw new NotMp3('no layer III frames')
  return found
}

/** Reads the first frame from a byte on, and where it ends; null at the end of the file. */
async function readFrame(
  bytes: ByteWindow,
  from: number,
  like: FrameHeader,
  rangeBytes: number,
): Promise<{ frame: Uint8Array; header: FrameHeader; end: number } | null> {
  for (let at = from; at < from + MAX_JUNK_BYTES; ) {
    const here = await bytes.from(at, 2 * MAX_FRAME_BYTES, rangeBytes)
    const header = headerAt(here, 0)
    if (header && isLike(header, like)) {
      if (header.length > here.length) return null
      return { frame: here.slice(0, header.length), header, end: at + header.length }
    }
    const found = findFrame(here, 1, like)
    const skipped = found > 0 ? found : here.length - MAX_FRAME_BYTES
    if (skipped <= 0) return null
    at += skipped
  }
  return null
}

/** A part of the file in memory, which only moves forwards without another request. */
function createByteWindow(fetchRange: FetchRange) {
  let startsAt = 0
  let held = new Uint8Array(0)
  let size = Number.POSITIVE_INFINITY
  return {
    /** At least `count` bytes from `at` on, fewer at the end of the file. */
    async from(at: number, count: number, rangeBytes: number): Promise<Uint8Array> {
      const isInside = at >= startsAt && at <= startsAt + held.length
      held = isInside ? held.subarray(at - startsAt) : new Uint8Array(0)
      startsAt = at
      while (held.length < count && startsAt + held.length < size) {
        const end = startsAt + held.length
        const got = await fetchRange(end, Math.min(size, end + Math.max(count, rangeBytes)))
        size = got.size
        if (got.bytes.length === 0) break
        const joined = new Uint8Array(held.length + got.bytes.length)
        joined.set(held)
        joined.set(got.bytes, held.length)
        held = joined
      }
      return held
    },
  }
}
