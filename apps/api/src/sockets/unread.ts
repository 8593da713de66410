/** More than two minutes of `sync` and rosters: a client this far behind has stopped reading. */
const MAX_UNREAD_BYTES = 1_000_000

/** The part of an Engine.IO connection needed here. */
export interface Connection {
  on(event: 'packetCreate', listener: (packet: { data?: string | Uint8Array }) => void): unknown
  on(event: 'drain', listener: () => void): unknown
  close(discard: boolean): void
}

/** Closes a connection whose client does not read. */
export function closeWhenUnread(connection: Connection): void {
  let unreadBytes = 0
  connection.on('packetCreate', ({ data }) => {
    unreadBytes += data?.length ?? 0
    if (unreadBytes > MAX_UNREAD_BYTES) connection.close(true)
  })
  // Emitted when everything waiting was handed to the transport, which takes nothing more until that is sent.
  connection.on('drain', () => {
    unreadBytes = 0
  })
}
