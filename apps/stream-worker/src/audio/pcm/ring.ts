import { SAMPLE_RATE } from '@solstice/station'

/** One sample of both channels, s16le. */
export const SAMPLE_BYTES = 4
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000

/**
 * The decoded but unused samples of one sound. Samples are addressed by their position in that
 * sound, so callers need not count what they have read.
 */
export class PcmRing {
  readonly capacity: number
  readonly #bytes: Buffer
  readonly #samples: Int16Array
  readonly #origin: number
  #writtenBytes = 0
  #start: number

  /** @param capacity number of samples held at most. @param from position of the first sample written. */
  constructor(capacity: number, from: number) {
    this.capacity = capacity
    const memory = new ArrayBuffer(capacity * SAMPLE_BYTES)
    this.#bytes = Buffer.from(memory)
    this.#samples = new Int16Array(memory)
    this.#origin = from
    this.#start = from
  }

  /** Position of the oldest sample held. */
  get start(): number {
    return this.#start
  }

  /** Position just past the newest whole sample. */
  get end(): number {
    return this.#origin + Math.floor(this.#writtenBytes / SAMPLE_BYTES)
  }

  /** Number of bytes that can be written now. */
  get roomBytes(): number {
    return (this.#start - this.#origin + this.capacity) * SAMPLE_BYTES - this.#writtenBytes
  }

  /** Appends bytes, which may be cut anywhere, even within a sample. @throws RangeError when there is no room. */
  write(chunk: Uint8Array): void {
    if (chunk.length > this.roomBytes) throw new RangeError('more samples than the ring can hold')
    const at = this.#writtenBytes % this.#bytes.length
    const first = Math.min(chunk.length, this.#bytes.length - at)
    this.#bytes.set(first === chunk.length ? chunk : chunk.subarray(0, first), at)
    if (first < chunk.length) this.#bytes.set(chunk.subarray(first), 0)
    this.#writtenBytes += chunk.length
  }

  /** Forgets a trailing partial sample, so that another writer can continue at `end`. */
  dropPartial(): void {
    this.#writtenBytes -= this.#writtenBytes % SAMPLE_BYTES
  }

  /** Forgets everything before a position. */
  release(before: number): void {
    this.#start = Math.max(this.#start, Math.min(before, this.end))
  }

  /** Copies `count` samples from `position` to sample `to` of `into`; samples not in the ring become silence. */
  read(position: number, count: number, into: Int16Array, to: number): void {
    const { end } = this
    const length = this.#samples.length
    let from = ((position - this.#origin) * 2) % length
    if (position < this.#start || position + count > end) {
      for (let i = 0; i < count; i++) {
        const isHeld = position + i >= this.#start && position + i < end
        const at = isHeld ? ((position + i - this.#origin) * 2) % length : -1
        into[(to + i) * 2] = at < 0 ? 0 : this.#samples[at]!
        into[(to + i) * 2 + 1] = at < 0 ? 0 : this.#samples[at + 1]!
      }
      return
    }
    for (let i = to * 2, stop = (to + count) * 2; i < stop; i++) {
      into[i] = this.#samples[from]!
      if (++from === length) from = 0
    }
  }
}
