import type { IncomingMessage } from 'node:http'
import type { ServerOptions } from 'socket.io'
import { writeRefusal } from '../http/errors.ts'
import type { Origins } from '../limits/client-address.ts'
import type { ConnectionCounter } from '../limits/connection-counter.ts'

/** The largest event is a piece of a host's recording, 256 KiB. */
const MAX_MESSAGE_BYTES = 300_000
/** For connections that never finish their handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000

/** Limits of connections, and who may open one: pages of allowed origins, from an address that has room. */
export function handshakeOptions(deps: {
  origins: Origins
  counter: ConnectionCounter
  addressOf: (request: IncomingMessage) => string
  isClosing: () => boolean
}): Partial<ServerOptions> {
  const { origins, counter, addressOf, isClosing } = deps
  return {
    serveClient: false,
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: HANDSHAKE_TIMEOUT_MS,
    // CORS does not guard WebSockets, so the handshake itself is refused.
    allowRequest: (request, answer) => {
      const isAllowed =
        !isClosing() &&
        origins.isAllowedOrigin(request.headers.origin, request) &&
        counter.hasRoom(addressOf(request))
      // Engine.IO itself answers 403 to polling only.
      if (!isAllowed && isUpgrade(request)) writeRefusal(request.socket, 'FORBIDDEN')
      answer(null, isAllowed)
    },
    cors: (request, answer) =>
      answer(null, {
        origin: origins.isAllowedOrigin(request.headers.origin, request as IncomingMessage),
        credentials: true,
        methods: ['GET', 'POST'],
      }),
  }
}

/** True when Node has taken the connection out of HTTP's hands; its types do not declare the field. */
function isUpgrade(request: IncomingMessage & { upgrade?: boolean }): boolean {
  return request.upgrade === true
}
