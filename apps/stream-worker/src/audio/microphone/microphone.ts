import { DEFAULT_GAIN } from '@solstice/playout'
import { type Loudness, tokenBucket } from '@solstice/station'
import type { Logger } from 'pino'
import { createWebmReader } from '../codec/webm-reader.ts'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'
import { createEnvelope } from './envelope.ts'
import { createJitterBuffer } from './jitter-buffer.ts'
import { createLoudnessMeter } from './loudness.ts'
import { createOpusStream } from './opus-stream.ts'
import { createPacketQueue } from './packet-queue.ts'

/** 64 kbit/s is 8 kB a second; anything that a client sends beyond this limit is ignored. */
const BYTES_PER_S = 96 * 1024
const MAX_BURST_BYTES = 512 * 1024

/** The audio of one microphone, from pieces of its recording to due samples. */
export interface Microphone {
  /** Takes bytes as they arrive. Survives any input; queue and rate are bounded. */
  receive(piece: Buffer, nowMs: number): void
  /** Adds its next samples to samples `from` to `from + count` of `into`, with the gain applied; false when it had none. */
  add(into: Float32Array, from: number, count: number, gain: number, nowMs: number): boolean
  /**
   * Returns how loud it was in the last `samples` samples, those since the last reading; at the default gain 1 is the full scale of
   * the recording, as its owner's own meter has it.
   */
  loudness(samples: number): Loudness
  /** Switches the microphone off: it fades out within 5 ms and receives nothing more. */
  end(): void
  /** True when it was switched off and has played out. */
  readonly isOver: boolean
  /** True when bytes arrive without the header needed to decode them. */
  readonly wantsHead: boolean
  /** Resolves when the decoder is ready; audio received before then waits. */
  readonly ready: Promise<void>
  close(): void
}

export function createMicrophone(log: Logger): Microphone {
  const reader = createWebmReader()
  const queue = createPacketQueue()
  const opus = createOpusStream(log)
  const buffer = createJitterBuffer()
  const envelope = createEnvelope()
  const meter = createLoudnessMeter()
  const takeBytes = tokenBucket({ burst: MAX_BURST_BYTES, perS: BYTES_PER_S })
  /** Decoded but not yet played. */
  let decoded = new Float32Array(0)
  let wantsHead = false
  let recordings = 0

  /** Decodes until `count` samples are ready or nothing is left. */
  function decode(count: number) {
    while (decoded.length < count && opus.isReady) {
      const packet = queue.take()
      if (!packet) return
      const samples = opus.decode(packet.bytes)
      if (samples.length === 0) continue
      decoded = joined(decoded, samples)
    }
  }

  return {
    get wantsHead() {
      return wantsHead
    },
    get ready() {
      return opus.ready
    },
    get isOver() {
      return envelope.remaining === 0
    },
    loudness: meter.read,
    end: () => envelope.end(buffer.isPlaying),

    receive(piece, nowMs) {
      if (envelope.remaining !== Infinity || !takeBytes(piece.length, nowMs)) return
      const packets = reader.read(piece)
      if (reader.recordings !== recordings) {
        recordings = reader.recordings
        queue.resetClock()
        opus.open()
      }
      wantsHead = !reader.hasHead
      for (const packet of packets) {
        const result = queue.add(packet)
        if (result !== 'repeated') buffer.arrive(nowMs)
        if (result === 'overflowed') envelope.fadeIn()
      }
    },

    add(into, from, most, gain, nowMs) {
      if (!opus.isReady && envelope.remaining !== Infinity) envelope.end(false)
      if (!opus.isReady || envelope.remaining === 0) return false
      if (!buffer.isPlaying) {
        if (!buffer.begin(nowMs)) return false
        envelope.fadeIn()
      }
      const count = Math.min(most, envelope.remaining)
      decode(count)
      const taken = Math.min(count, decoded.length)
      envelope.add(decoded, taken, taken < count, gain, into, from)
      meter.add(decoded, taken, gain / DEFAULT_GAIN)
      decoded = decoded.slice(taken)
      if (taken < count) {
        buffer.runOut(nowMs)
        return taken > 0
      }
      // After a stall, everything would otherwise stay late forever.
      const left = decoded.length + Math.floor(queue.durationMs * SAMPLES_PER_MS)
      if (queue.drop(buffer.spareMs(left, count))) envelope.fadeIn()
      return true
    },

    close() {
      queue.clear()
      opus.close()
    },
  }
}

function joined(first: Float32Array, second: Float32Array): Float32Array<ArrayBuffer> {
  const both = new Float32Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
