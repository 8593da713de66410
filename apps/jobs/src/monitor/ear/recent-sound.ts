import { PCM_BYTES_PER_MS } from './decoder.ts'

/** The last seconds of decoded sound. */
export interface RecentSound {
  add(pcm: Buffer): void
  /** The last `ms`, or what there is of them: whole samples. */
  last(ms: number): Buffer
}

const SAMPLE_BYTES = 4

export function createRecentSound(keepMs: number): RecentSound {
  const kept = Buffer.alloc(bytesOf(keepMs))
  /** Bytes written since the beginning; the place of the next is the rest by the length. */
  let written = 0
  return {
    add(pcm) {
      const part = pcm.subarray(Math.max(0, pcm.length - kept.length))
      written += pcm.length - part.length
      const at = written % kept.length
      const first = Math.min(part.length, kept.length - at)
      part.copy(kept, at, 0, first)
      part.copy(kept, 0, first)
      written += part.length
    },
    last(ms) {
      const whole = written - (written % SAMPLE_BYTES)
      const length = Math.min(bytesOf(ms), whole, kept.length - SAMPLE_BYTES)
      const at = (whole - length) % kept.length
      return at + length <= kept.length
        ? Buffer.from(kept.subarray(at, at + length))
        : Buffer.concat([kept.subarray(at), kept.subarray(0, at + length - kept.length)])
    },
  }
}

const bytesOf = (ms: number) => Math.floor((ms * PCM_BYTES_PER_MS) / SAMPLE_BYTES) * SAMPLE_BYTES
