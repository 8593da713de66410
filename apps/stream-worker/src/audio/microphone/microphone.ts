import { SAMPLE_RATE, tokenBucket } from '@solstice/station'
import { OpusDecoder } from 'opus-decoder'
import type { Logger } from 'pino'
import { createWebmReader, type Packet } from '../codec/webm-reader.ts'
import { createHighPass } from '../pcm/high-pass.ts'
import { createResampler } from '../pcm/resampler.ts'
import { SAMPLES_PER_MS } from '../pcm/ring.ts'

const HIGH_PASS_HZ = 90
/** What waits to be heard; the oldest goes first. */
const MAX_QUEUED_MS = 2_000
const MAX_QUEUED_BYTES = 512 * 1024
/** Bytes of one recording: a browser's 64 kbit/s are 8 KiB a second. */
const MAX_BYTES = { burst: 512 * 1024, perS: 96 * 1024 }
/**
 * Speech is heard so long after it began to come. Sound is taken out 100 ms at a time, so with this nothing is missing as
 * long as no piece is more than about 40 ms late, however long pieces are. A line that is worse than that gets more.
 */
const FIRST_CUSHION_MS = 150
const MORE_CUSHION_MS = 50
const MAX_CUSHION_MS = 350
/** Sound that comes so soon after it had run out was late. */
const LATE_MS = 1_000
/** When so much more than the cushion was never needed for so long, it is left out: what is said stays near. */
const SPARE_MS = 100
const SPARE_FOR_SAMPLES = 2 * SAMPLE_RATE
/** A time that goes back is that of something heard before; for so long in a row, then it is another clock. */
const MAX_REPEATED_MS = 500
/** No clicks where sound begins, ends or leaves something out. */
const EDGE_SAMPLES = 132
const END_SAMPLES = 220
const FULL_SCALE = 32_767

/** The sound of one microphone, from the pieces of its recording to samples that are due. */
export interface Microphone {
  /** Bytes as they come. Nothing in them stops it, or is believed beyond what is bounded here. */
  receive(piece: Buffer, nowMs: number): void
  /** Adds its next samples to `from` to `from + count` of `into`, times the gain; false = there was no sound. */
  add(into: Float32Array, from: number, count: number, gain: number, nowMs: number): boolean
  /**
   * It was switched off: of what it still has, 5 ms are heard while it falls silent, so that a word that is cut does not
   * click. Nothing else is heard of it, and nothing received, from now on.
   */
  end(): void
  /** It has ended, and all of it was heard. */
  readonly isOver: boolean
  /** Bytes come, but the header without which they cannot be understood never did. */
  readonly wantsHead: boolean
  /** Resolves when it can be heard; what comes before waits. */
  readonly ready: Promise<void>
  close(): void
}

export function createMicrophone(log: Logger): Microphone {
  const reader = createWebmReader()
  let decoder: OpusDecoder | null = null
  let isReady = false
  let opening = Promise.resolve()
  let isClosed = false
  /** Samples that are still heard; null = it is on. */
  let endsIn: number | null = null
  let resample = createResampler()
  const highPass = createHighPass(HIGH_PASS_HZ)

  let waiting: Packet[] = []
  let waitingMs = 0
  let waitingBytes = 0
  /** Decoded and not heard yet. */
  let decoded = new Float32Array(0)
  let wantsHead = false
  let recordings = 0
  let lastAtMs: number | null = null
  let repeatedMs = 0
  const takeBytes = tokenBucket(MAX_BYTES)

  let isHeard = false
  let cushionMs = FIRST_CUSHION_MS
  let beganAtMs: number | null = null
  let ranOutAtMs = -Infinity
  /** The least that was left after taking sound out, within the last samples. */
  let least = Infinity
  let leastFor = 0
  let fadeIn = 0
  let level: number | null = null

  /** A decoder of its own: what one person sends reaches nobody else's. */
  function open() {
    const opened = new OpusDecoder({ channels: 1 })
    decoder = opened
    isReady = false
    opening = opened.ready.then(
      () => {
        if (decoder === opened) isReady = true
        else opened.free()
      },
      (err) => {
        log.error({ err }, 'microphone decoder failed to start')
        if (decoder === opened) decoder = null
      },
    )
  }

  function letGo() {
    if (isReady) {
      try {
        decoder?.free()
      } catch (err) {
        log.warn({ err }, 'microphone decoder could not be freed')
      }
    }
    decoder = null
    isReady = false
  }

  function isRepeated({ atMs, durationMs }: Packet): boolean {
    const isBack = atMs !== null && lastAtMs !== null && atMs <= lastAtMs
    repeatedMs = isBack ? repeatedMs + durationMs : 0
    if (isBack && repeatedMs <= MAX_REPEATED_MS) return true
    repeatedMs = 0
    lastAtMs = atMs
    return false
  }

  function dropOldest() {
    const oldest = waiting.shift()!
    waitingMs -= oldest.durationMs
    waitingBytes -= oldest.bytes.length
    fadeIn = EDGE_SAMPLES
  }

  const left = () => decoded.length + Math.floor(waitingMs * SAMPLES_PER_MS)

  /** Decodes until `count` samples are there, or nothing is left. */
  function decode(count: number) {
    while (decoded.length < count && waiting.length > 0 && isReady) {
      const packet = waiting.shift()!
      waitingMs -= packet.durationMs
      waitingBytes -= packet.bytes.length
      const samples = decodePacket(packet)
      if (samples.length === 0) continue
      highPass(samples)
      const more = new Float32Array(decoded.length + samples.length)
      more.set(decoded)
      more.set(samples, decoded.length)
      decoded = more
    }
    if (waiting.length === 0) {
      waitingMs = 0
      waitingBytes = 0
    }
  }

  function decodePacket(packet: Packet): Float32Array {
    try {
      const { channelData } = decoder!.decodeFrame(packet.bytes)
      return resample(channelData[0] ?? new Float32Array(0))
    } catch (err) {
      log.warn({ err }, 'microphone decoder replaced')
      letGo()
      open()
      resample = createResampler()
      return new Float32Array(0)
    }
  }

  /** After a hold-up all that came late would be heard late for ever: what is never needed is left out. */
  function leaveOutSpare(count: number) {
    least = Math.min(least, left())
    leastFor += count
    if (leastFor < SPARE_FOR_SAMPLES) return
    let spareMs = least / SAMPLES_PER_MS - cushionMs
    least = Infinity
    leastFor = 0
    if (spareMs < SPARE_MS) return
    while (waiting.length > 0 && waiting[0]!.durationMs <= spareMs) {
      spareMs -= waiting[0]!.durationMs
      dropOldest()
    }
  }

  open()
  return {
    get wantsHead() {
      return wantsHead
    },
    get ready() {
      return opening
    },

    end() {
      endsIn ??= isHeard ? END_SAMPLES : 0
    },
    get isOver() {
      return endsIn === 0
    },

    receive(piece, nowMs) {
      if (endsIn !== null || !takeBytes(piece.length, nowMs)) return
      const packets = reader.read(piece)
      if (reader.recordings !== recordings) {
        lastAtMs = null
        if (!decoder && !isClosed) open()
      }
      recordings = reader.recordings
      wantsHead = !reader.hasHead
      for (const packet of packets) {
        if (isRepeated(packet)) continue
        if (!isHeard && beganAtMs === null) {
          if (nowMs - ranOutAtMs < LATE_MS) cushionMs = Math.min(MAX_CUSHION_MS, cushionMs + MORE_CUSHION_MS)
          beganAtMs = nowMs
        }
        waiting.push(packet)
        waitingMs += packet.durationMs
        waitingBytes += packet.bytes.length
        while (waitingMs > MAX_QUEUED_MS || waitingBytes > MAX_QUEUED_BYTES) dropOldest()
      }
    },

    add(into, from, most, gain, nowMs) {
      if (!isReady || endsIn === 0) {
        if (endsIn !== null) endsIn = 0
        return false
      }
      const count = endsIn === null ? most : Math.min(most, endsIn)
      if (!isHeard) {
        if (beganAtMs === null || nowMs - beganAtMs < cushionMs) return false
        isHeard = true
        beganAtMs = null
        fadeIn = EDGE_SAMPLES
        least = Infinity
        leastFor = 0
      }
      decode(count)
      const taken = Math.min(count, decoded.length)
      const isRunOut = taken < count
      const fadeOut = isRunOut ? Math.min(EDGE_SAMPLES, taken) : 0
      level ??= gain
      for (let i = 0; i < taken; i++) {
        level += (gain - level) / EDGE_SAMPLES
        let factor = level * FULL_SCALE
        if (fadeIn > 0) factor *= 1 - fadeIn-- / EDGE_SAMPLES
        if (taken - i <= fadeOut) factor *= (taken - i - 1) / EDGE_SAMPLES
        if (endsIn !== null) factor *= (endsIn - i - 1) / END_SAMPLES
        into[from + i]! += decoded[i]! * factor
      }
      decoded = decoded.slice(taken)
      if (endsIn !== null) endsIn = isRunOut ? 0 : endsIn - taken
      if (isRunOut) {
        isHeard = false
        ranOutAtMs = nowMs
      } else leaveOutSpare(count)
      return taken > 0
    },

    close() {
      if (isClosed) return
      isClosed = true
      waiting = []
      letGo()
    },
  }
}
