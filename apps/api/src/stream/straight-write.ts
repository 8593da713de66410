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
  if (fd === null || !socket.writable || socket.writableLength > 0) return 0
  try {
    return parts.length === 1 ? writeSync(fd, parts[0]!) : writevSync(fd, parts)
  } catch {
    // A buffer that is full, or a broken connection, which the stream runs into as well.
    return 0
  }
}

/** null for a connection without one, and for TLS, where the kernel wants other bytes. */
function descriptorOf(socket: Socket): number | null {
  if ('encrypted' in socket) return null
  // Node has no public name for it. A socket that is closed has no handle, so the number is never that of another file.
  const { _handle: handle } = socket as unknown as { _handle?: { fd?: unknown } | null }
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : null
}
