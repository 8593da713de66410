import { SAMPLE_BYTES } from '../pcm/ring.ts'

/** The last seconds of stereo samples, by their number in the broadcast. */
export interface SampleHistory {
  /** Number of the first sample that is kept, and of the first one that has not come. */
  readonly from: number
  readonly end: number
  add(samples: Int16Array): void
  /** The samples from `from` up to, but not including, `to`, as bytes of their own. */
  bytes(from: number, to: number): Buffer[]
}

/** @param size number of samples kept. @param first number of the first one that will come. */
export function createSampleHistory(size: number, first: number): SampleHistory {
  const memory = Buffer.alloc(size * SAMPLE_BYTES)
  let end = first
  return {
    get from() {
      return Math.max(first, end - size)
    },
    get end() {
      return end
    },
    add(samples) {
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
      const at = (end % size) * SAMPLE_BYTES
      const fitting = bytes.copy(memory, at)
      bytes.copy(memory, 0, fitting)
      end += bytes.length / SAMPLE_BYTES
    },
    bytes(from, to) {
      if (from >= to) return []
      const [a, b] = [(from % size) * SAMPLE_BYTES, (to % size) * SAMPLE_BYTES]
      // Copies, because a slow process may take them when the memory holds later samples.
      if (a < b) return [Buffer.from(memory.subarray(a, b))]
      return [Buffer.from(memory.subarray(a)), Buffer.from(memory.subarray(0, b))]
    },
  }
}
