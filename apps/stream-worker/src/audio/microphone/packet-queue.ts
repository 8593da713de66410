import type { Packet } from '../codec/webm-reader.ts'

/** Bounds of the queue; the oldest packets are dropped first. */
const MAX_QUEUED_MS = 2_000
const MAX_QUEUED_BYTES = 512 * 1024
/** A timestamp that goes back marks a repeated packet; this much of them in a row means a new clock. */
const MAX_REPEATED_MS = 500

/** The packets of one microphone that await decoding. */
export interface PacketQueue {
  /** ms of audio in the queue. */
  readonly durationMs: number
  readonly isEmpty: boolean
  /** Adds a packet. `repeated`: a duplicate, ignored; `overflowed`: older packets were dropped to make room. */
  add(packet: Packet): 'added' | 'repeated' | 'overflowed'
  take(): Packet | undefined
  /** Drops the oldest packets, up to `ms` in total; false when none was dropped. */
  drop(ms: number): boolean
  /** Restarts the timestamps for another recording. */
  resetClock(): void
  clear(): void
}

export function createPacketQueue(): PacketQueue {
  let packets: Packet[] = []
  let durationMs = 0
  let bytes = 0
  let lastAtMs: number | null = null
  let repeatedMs = 0

  function isRepeated(packet: Packet): boolean {
    const isBack = packet.atMs !== null && lastAtMs !== null && packet.atMs <= lastAtMs
    repeatedMs = isBack ? repeatedMs + packet.durationMs : 0
    if (isBack && repeatedMs <= MAX_REPEATED_MS) return true
    repeatedMs = 0
    lastAtMs = packet.atMs
    return false
  }

  function take(): Packet | undefined {
    const packet = packets.shift()
    if (packet) {
      durationMs -= packet.durationMs
      bytes -= packet.bytes.length
    }
    // Sums of fractional milliseconds are not exact.
    if (packets.length === 0) durationMs = 0
    return packet
  }

  return {
    get durationMs() {
      return durationMs
    },
    get isEmpty() {
      return packets.length === 0
    },
    add(packet) {
      if (isRepeated(packet)) return 'repeated'
      packets.push(packet)
      durationMs += packet.durationMs
      bytes += packet.bytes.length
      let hasOverflowed = false
      while (durationMs > MAX_QUEUED_MS || bytes > MAX_QUEUED_BYTES) {
        take()
        hasOverflowed = true
      }
      return hasOverflowed ? 'overflowed' : 'added'
    },
    take,
    drop(ms) {
      let spareMs = ms
      let hasDropped = false
      while (packets.length > 0 && packets[0]!.durationMs <= spareMs) {
        spareMs -= packets[0]!.durationMs
        take()
        hasDropped = true
      }
      return hasDropped
    },
    resetClock() {
      lastAtMs = null
    },
    clear() {
      packets = []
      durationMs = 0
      bytes = 0
    },
  }
}
