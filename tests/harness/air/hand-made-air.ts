import type { PlayoutState } from '@solstice/playout'
import { type Bus, codecs, type FrameChunk, type Mount, type StreamMarker } from '@solstice/station'
import { createOpusPager } from '../../../apps/stream-worker/src/audio/codec/opus-pages.ts'
import { logicalStreams } from '../audio/logical-streams.ts'

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
  /** All bytes sent so far that are still available from `frame` on; in Ogg, from the begin of its chunk. */
  audioFrom(frame: number): Buffer
}

const BITRATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** Frames of the right lengths, each filled with bytes that encode its number. */
export function handMadeAir(kbits = 128, startMs = 1_000_000, codec: Mount['codec'] = 'mp3'): HandMadeAir {
  const makeFrame = (number: number) => frameOf[codec](number, kbits)
  const { frameMs } = codecs[codec]
  const sent: FrameChunk[] = []
  const waiting = new Set<() => void>()
  const followers = new Set<(state: PlayoutState) => void>()
  let latest: PlayoutState | null = null
  let next = { frame: 0, byte: 0, atMs: startMs }
  const pager = codec === 'opus' ? createOpusPager(null) : null

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
      const made = Array.from({ length: frames }, (_, i) => makeFrame(next.frame + i))
      const after = markers.at(-1) ?? null
      const audio = pager?.pages({ frame: next.frame, frames: made, markers }, after) ?? Buffer.concat(made)
      const chunk: FrameChunk = { ...next, frames, audio, markers }
      next = {
        frame: next.frame + frames,
        byte: next.byte + audio.length,
        atMs: next.atMs + frames * frameMs,
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
      for (let i = first.frame; i < frame && !pager; i++) skip += makeFrame(i).length
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

/** A frame of AAC in ADTS at 44.1 kHz, a little longer or shorter from one to the next; its number fills it. */
export function adtsFrame(number: number, kbits: number): Buffer {
  const length = Math.floor((128 * kbits * 1.024) / 45.1584) + (number % 41)
  const frame = Buffer.alloc(length)
  frame.set([0xff, 0xf1, 0x50, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc])
  for (let at = 8; at + 4 <= length; at += 4) frame.writeUInt32BE(number, at)
  return frame
}

/** A packet of Opus, for those who do not decode it; its number fills it. */
export function opusPacket(number: number, kbits: number): Buffer {
  const packet = Buffer.alloc(Math.floor(kbits * 2.5) + (number % 41), 0xfc)
  for (let at = 0; at + 4 <= packet.length; at += 4) packet.writeUInt32BE(number, at)
  return packet
}

/** Frames as `handMadeAir` makes them. */
export const frameOf = { mp3: mp3Frame, aac: adtsFrame, opus: opusPacket } as const

/** The numbers of the frames that `frameOf` made; skips zeros between frames as decoders do. @throws at anything else. */
export function frameNumbers(bytes: Buffer, kbits = 128, codec: Mount['codec'] = 'mp3'): number[] {
  if (codec === 'opus') return packetNumbers(bytes, kbits)
  const [second, numberAt] = codec === 'mp3' ? [0xfb, 4] : [0xf1, 8]
  const numbers: number[] = []
  for (let at = 0; at + 12 <= bytes.length; ) {
    if (bytes[at] === 0) {
      at++
      continue
    }
    if (bytes[at] !== 0xff || bytes[at + 1] !== second) throw new Error(`no frame at byte ${at}`)
    const number = bytes.readUInt32BE(at + numberAt)
    const frame = frameOf[codec](number, kbits)
    const rest = bytes.subarray(at, at + frame.length)
    if (!rest.equals(frame.subarray(0, rest.length)))
      throw new Error(`frame ${number} at byte ${at} is broken`)
    if (rest.length === frame.length) numbers.push(number)
    at += frame.length
  }
  return numbers
}

function packetNumbers(bytes: Buffer, kbits: number): number[] {
  const packets = logicalStreams(bytes, { mayLackPages: true }).flatMap((stream) => stream.packets)
  return packets.map((packet) => {
    const number = packet.readUInt32BE(0)
    if (!packet.equals(opusPacket(number, kbits))) throw new Error(`frame ${number} is broken`)
    return number
  })
}
