import type { Microphones, Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import type { Visitor } from '../dispatch.ts'

const MAX_PIECE_BYTES = 256 * 1024
const MAX_HEAD_BYTES = 64 * 1024
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3])
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75])
/** Minimum time between requests for a new recording. */
const RESTART_EVERY_MS = 1_000

/** The microphones of the sockets of this replica, on their way to the worker. */
export interface MicrophoneRelay {
  /** Takes the next piece of a recording; anything else is dropped. */
  take(who: Visitor, piece: unknown): void
  forget(who: Visitor): void
  close(): void
}

/** @param deps.isMicOn whether a socket is on the air with its microphone on. */
export function openMicrophoneRelay(deps: {
  microphones: Microphones
  isMicOn: (socketId: string) => boolean
  log: Logger
}): MicrophoneRelay {
  const { microphones, isMicOn, log } = deps
  const speakers = new Map<string, { who: Visitor; head: RecordingHead; askedAtMs: number }>()

  const restart = (socketId: string) => {
    const speaker = speakers.get(socketId)
    if (!speaker || !isMicOn(socketId)) return
    const bytes = speaker.head.bytes()
    if (bytes.length > 0) microphones.send({ socketId, bytes })
    if (performance.now() - speaker.askedAtMs < RESTART_EVERY_MS) return
    speaker.askedAtMs = performance.now()
    speaker.who.send('host_mic_restart', undefined)
  }
  let isClosed = false
  let stopListening: Unsubscribe | null = null
  let isListening = false
  const listen = () => {
    if (isListening) return
    isListening = true
    microphones.onHeadWanted(restart).then(
      (unsubscribe) => {
        stopListening = unsubscribe
        if (isClosed) unsubscribe()
      },
      (error) => {
        isListening = false
        if (!isClosed) log.warn({ err: error }, 'requests for recording heads could not be subscribed to')
      },
    )
  }

  return {
    take(who, piece) {
      if (!Buffer.isBuffer(piece) || piece.length > MAX_PIECE_BYTES) return
      listen()
      const { socketId } = who
      let speaker = speakers.get(socketId)
      if (!speaker) {
        speaker = { who, head: new RecordingHead(), askedAtMs: Number.NEGATIVE_INFINITY }
        speakers.set(socketId, speaker)
      }
      // The recording may begin before the worker knows of the microphone.
      speaker.head.follow(piece)
      if (isMicOn(socketId)) microphones.send({ socketId, bytes: piece })
    },
    forget: ({ socketId }) => void speakers.delete(socketId),
    close() {
      isClosed = true
      stopListening?.()
    },
  }
}

/** The bytes of a WebM recording before its first cluster, without which nothing that follows can be decoded. */
export class RecordingHead {
  #bytes: Buffer = Buffer.alloc(0)
  #isWhole = true

  /** Takes the next piece; one with an EBML header starts a new recording. */
  follow(piece: Buffer): void {
    const isNew = piece.subarray(0, EBML.length).equals(EBML)
    if (isNew) this.#bytes = Buffer.alloc(0)
    else if (this.#isWhole) return
    const all = Buffer.concat([this.#bytes, piece])
    const end = all.indexOf(CLUSTER)
    const isFound = end >= 0 && end <= MAX_HEAD_BYTES
    const isTooLong = !isFound && all.length > MAX_HEAD_BYTES
    this.#isWhole = isFound || isTooLong
    // A copy, so that it does not keep a large piece in memory.
    this.#bytes = isTooLong ? Buffer.alloc(0) : Buffer.from(isFound ? all.subarray(0, end) : all)
  }

  bytes(): Buffer {
    return this.#bytes
  }
}
