import { OpusDecoder } from 'opus-decoder'
import type { Logger } from 'pino'
import { createHighPass } from '../pcm/high-pass.ts'
import { createResampler } from '../pcm/resampler.ts'

const HIGH_PASS_HZ = 90

/** Decodes one person's Opus packets to the sample rate of the broadcast, replacing a decoder that fails. */
export interface OpusStream {
  readonly isReady: boolean
  /** Resolves when the decoder has started, or failed to. */
  readonly ready: Promise<void>
  /** Decodes a packet; no samples if it breaks the decoder. Call it only while ready. */
  decode(packet: Uint8Array): Float32Array
  /** Starts a decoder if there is none. */
  open(): void
  close(): void
}

/** Each microphone has its own decoder, so that one person's bytes cannot break another's. */
export function createOpusStream(log: Logger): OpusStream {
  const highPass = createHighPass(HIGH_PASS_HZ)
  let resample = createResampler()
  let decoder: OpusDecoder | null = null
  let isReady = false
  let ready = Promise.resolve()

  function open() {
    if (decoder) return
    const opened = new OpusDecoder({ channels: 1 })
    decoder = opened
    ready = opened.ready.then(
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

  function close() {
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

  open()
  return {
    get isReady() {
      return isReady
    },
    get ready() {
      return ready
    },
    decode(packet) {
      try {
        const { channelData } = decoder!.decodeFrame(packet)
        const samples = resample(channelData[0] ?? new Float32Array(0))
        highPass(samples)
        return samples
      } catch (err) {
        log.warn({ err }, 'microphone decoder replaced')
        close()
        open()
        resample = createResampler()
        return new Float32Array(0)
      }
    },
    open,
    close,
  }
}
