import { OpusDecoder } from 'opus-decoder'
import type { Logger } from 'pino'
import { createHighPass } from '../pcm/high-pass.ts'
import { createResampler } from '../pcm/resampler.ts'

const HIGH_PASS_HZ = 90

/** One person's Opus packets as samples at the rate of the broadcast; a decoder that fails is replaced. */
export interface OpusStream {
  readonly isReady: boolean
  /** Resolves when the decoder has started, or failed to. */
  readonly ready: Promise<void>
  /** The samples of a packet, none of one that breaks the decoder. To be called while ready. */
  decode(packet: Uint8Array): Float32Array
  /** Starts a decoder where there is none. */
  open(): void
  close(): void
}

/** Each microphone has a decoder of its own: what one person sends cannot reach anybody else's. */
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
