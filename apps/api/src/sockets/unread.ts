/** `sync` and rosters of two minutes and more: a client that is so far behind has stopped reading. */
const MAX_UNREAD_BYTES = 1_000_000

/** A connection of Engine.IO, as far as what it has still to send matters. */
export interface Connection {
  on(event: 'packetCreate', listener: (packet: { data?: string | Uint8Array }) => void): unknown
  on(event: 'drain', listener: () => void): unknown
  close(discard: boolean): void
}

/** Closes a connection whose client does not read, as soon as too much waits for it. */
export function closeWhenUnread(connection: Connection): void {
  let unreadBytes = 0
  connection.on('packetCreate', ({ data }) => {
    unreadBytes += data?.length ?? 0
    if (unreadBytes > MAX_UNREAD_BYTES) connection.close(true)
  })
  // Emitted when all that waited was handed to the transport, which takes nothing more before that is sent.
  connection.on('drain', () => {
    unreadBytes = 0
  })
}
