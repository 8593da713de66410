import type { PlayoutState } from '@solstice/playout'
import type { Bus, FrameChunk, StreamMarker } from '@solstice/station'

/** A broadcast without a worker: states and chunks are made by hand and delivered to every follower. */
export interface HandMadeAir {
  readonly bus: Pick<Bus, 'follow' | 'frames'>
  readonly clock: { nowMs(): number; aheadMs(): number }
  /** The next chunk of the broadcast. */
  chunk(frames?: number, markers?: StreamMarker[]): FrameChunk
  /** Sends a chunk, the next one unless given. */
  send(chunk?: FrameChunk): FrameChunk
  say(state: PlayoutState): void
  /** Continues the broadcast at another frame, byte or moment, as if something had been lost. */
  jump(to: { frame?: number; byte?: number; atMs?: number }): void
  /** All bytes sent so far that are still available from `frame` on. */
  audioFrom(frame: number): Buffer
}

const FRAME_MS = 1152 / 44.1
const BITRATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** MP3 frames of the right lengths, each filled with bytes that encode its number. */
export function handMadeAir(kbits = 128, startMs = 1_000_000): HandMadeAir {
  const sent: FrameChunk[] = []
  const waiting = new Set<() => void>()
  const followers = new Set<(state: PlayoutState) => void>()
  let latest: PlayoutState | null = null
  let next = { frame: 0, byte: 0, atMs: startMs }

  const air: HandMadeAir = {
    bus: {
      async follow(onState) {
        followers.add(onState)
        if (latest) onState(latest)
        return () => followers.delete(onState)
      },
      async *frames(signal) {
        signal.addEventListener('abort', () => {
          for (const wake of waiting) wake()
        })
        for (let i = 0; !signal.aborted; ) {
          if (i < sent.length) yield sent[i++]!
          else await new Promise<void>((resolve) => waiting.add(resolve))
        }
      },
    },
    clock: { nowMs: () => next.atMs, aheadMs: () => 0 },
    chunk(frames = 19, markers = []) {
      const audio = Buffer.concat(Array.from({ length: frames }, (_, i) => mp3Frame(next.frame + i, kbits)))
      const chunk: FrameChunk = { ...next, frames, audio, markers }
      next = {
        frame: next.frame + frames,
        byte: next.byte + audio.length,
        atMs: next.atMs + frames * FRAME_MS,
      }
      return chunk
    },
    send(chunk = air.chunk()) {
      sent.push(chunk)
      for (const wake of waiting) wake()
      waiting.clear()
      return chunk
    },
    say(state) {
      latest = state
      for (const follower of followers) follower(state)
    },
    jump(to) {
      next = { ...next, ...to }
    },
    audioFrom(frame) {
      const all = sent.filter((chunk) => chunk.frame + chunk.frames > frame)
      const first = all[0]
      if (!first) return Buffer.alloc(0)
      let skip = 0
      for (let i = first.frame; i < frame; i++) skip += mp3Frame(i, kbits).length
      return Buffer.concat(all.map((chunk) => chunk.audio)).subarray(skip)
    },
  }
  return air
}

/** An MPEG-1 layer III frame at 44.1 kHz; every other one is padded, and its number fills the rest. */
export function mp3Frame(number: number, kbits: number): Buffer {
  const padding = number % 2
  const frame = Buffer.alloc(Math.floor((144_000 * kbits) / 44_100) + padding)
  frame.set([0xff, 0xfb, (BITRATES.indexOf(kbits) << 4) | (padding << 1), 0x00])
  for (let at = 4; at + 4 <= frame.length; at += 4) frame.writeUInt32BE(number, at)
  return frame
}

/** The numbers of the frames that `mp3Frame` made; skips zeros between frames as decoders do. @throws at anything else. */
export function frameNumbers(bytes: Buffer, kbits = 128): number[] {
  const numbers: number[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    if (bytes[at] === 0) {
      at++
      continue
    }
    if (bytes[at] !== 0xff || bytes[at + 1] !== 0xfb) throw new Error(`no frame at byte ${at}`)
    const number = bytes.readUInt32BE(at + 4)
    const frame = mp3Frame(number, kbits)
    const rest = bytes.subarray(at, at + frame.length)
    if (!rest.equals(frame.subarray(0, rest.length)))
      throw new Error(`frame ${number} at byte ${at} is broken`)
    if (rest.length === frame.length) numbers.push(number)
    at += frame.length
  }
  return numbers
}
