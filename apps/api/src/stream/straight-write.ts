import { writeSync, writevSync } from 'node:fs'
import type { Socket } from 'node:net'

/**
 * Writes to a socket. Where nothing waits in its stream the bytes go straight to the kernel, and only those that it doesn't take at once
 * go by the stream, which waits for the client and tells errors. For a client that reads this halves the cost of a write
 * (decision 41).
 */
export function writeStraight(socket: Socket, ...parts: readonly Buffer[]): void {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0)
  let written = straight(socket, parts)
  if (written === bytes) return
  socket.cork()
  for (const part of parts) {
    // Many share a buffer that nobody has begun with.
    if (written < part.length) socket.write(written === 0 ? part : part.subarray(written))
    written = Math.max(0, written - part.length)
  }
  socket.uncork()
}

/** Bytes that the kernel took. */
function straight(socket: Socket, parts: readonly Buffer[]): number {
  const fd = descriptorOf(socket)
  return fd === null || !socket.writable || socket.writableLength > 0 ? 0 : takenAtOnce(fd, parts)
}

function takenAtOnce(fd: number, parts: readonly Buffer[]): number {
  try {
    return parts.length === 1 ? writeSync(fd, parts[0]!) : writevSync(fd, parts)
  } catch {
    // A buffer that is full, or a broken connection, which the stream runs into as well.
    return 0
  }
}

/** null for a connection without one, and for TLS, where the kernel wants other bytes. */
function descriptorOf(socket: Socket): number | null {
  const fd = 'encrypted' in socket ? null : handleOf(socket)?.fd
  return typeof fd === 'number' && fd >= 0 ? fd : null
}

/** Node has no public name for it. A socket that is closed has none, so the number is never that of another file. */
function handleOf(socket: Socket): { fd?: unknown } | null | undefined {
  return (socket as unknown as { _handle?: { fd?: unknown } | null })._handle
}

/**
 * A socket that is written to for hours, and by nobody else. Three seconds lie between two writes to a listener; by then nothing of the
 * socket is in the caches of the processor, and what a write looks at decides what it costs. While all went straight that is the
 * handle alone.
 */
export interface Line {
  readonly socket: Socket
  /** null where nothing goes straight. */
  readonly fd: number | null
  /** True when bytes went by the stream, and may wait there. */
  mayWait: boolean
}

/** Line to a socket, in whose stream something may wait already. */
export function lineTo(socket: Socket): Line {
  return { socket, fd: descriptorOf(socket), mayWait: true }
}

/** False as soon as the socket is destroyed. */
export function isOpen({ socket, fd }: Line): boolean {
  return fd === null ? !socket.destroyed : handleOf(socket) !== null
}

/** True when nothing waits for the client. */
export function isFree(line: Line): boolean {
  if (line.mayWait) line.mayWait = line.socket.writableLength > 0
  return !line.mayWait
}

/** Writes to a line that is open, as `writeStraight` does. */
export function writeLine(line: Line, bytes: Buffer): void {
  const { socket, fd } = line
  const written = fd === null || line.mayWait ? 0 : takenAtOnce(fd, [bytes])
  if (written === bytes.length) return
  line.mayWait = true
  socket.write(written === 0 ? bytes : bytes.subarray(written))
}
