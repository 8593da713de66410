import type { Ack, ClientEventName, ClientPayload, ServerEventName, ServerPayload } from '@solstice/contracts'
import { io } from 'socket.io-client'
import { serverUrl } from '../../api.ts'
import { createStore, type Store } from '../../ui/store.ts'

export type LinkState = 'connecting' | 'online' | 'offline'

/** The socket to the station, typed by the contract. It reconnects by itself. */
export interface StationSocket {
  readonly link: Store<LinkState>
  /** The id of this connection; undefined while there is none. */
  id(): string | undefined
  /** Sends an event that isn't answered; dropped while offline. */
  send<E extends ClientEventName>(event: E, payload?: ClientPayload<E> | ArrayBuffer): void
  /** @throws when the station doesn't answer in time. */
  request<E extends ClientEventName>(
    event: E,
    payload?: ClientPayload<E>,
    timeoutMs?: number,
  ): Promise<Ack<E>>
  /** Returns the function that unsubscribes. */
  on<E extends ServerEventName>(event: E, listener: (payload: ServerPayload<E>) => void): () => void
  /** Calls at every connection: now, if there is one, and after each reconnection. Returns as `on`. */
  onConnect(listener: () => void): () => void
  /** Drops the connection and opens another: the station forgets what was asked for on the old one. */
  reconnect(): void
  close(): void
}

const ANSWER_TIMEOUT_MS = 8_000
const SERVER_DISCONNECT_RETRY_MS = 1_000

export function openStationSocket(reconnectionDelayMax: number): StationSocket {
  const socket = io(serverUrl || location.origin, {
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    withCredentials: true,
    reconnectionDelayMax,
  })
  const link = createStore<LinkState>('connecting')
  // biome-ignore lint/suspicious/noExplicitAny: `on` types each event by the contract
  const subscribe = (event: string, listener: (payload: any) => void) => {
    socket.on(event, listener)
    return () => void socket.off(event, listener)
  }

  socket.on('connect', () => link.set('online'))
  socket.on('connect_error', () => link.set('offline'))
  socket.on('disconnect', (reason) => {
    link.set('offline')
    // Socket.IO doesn't reconnect by itself when the server closed the connection.
    if (reason === 'io server disconnect') setTimeout(() => socket.connect(), SERVER_DISCONNECT_RETRY_MS)
  })

  return {
    link,
    id: () => socket.id,
    send(event, payload) {
      if (!socket.connected) return
      if (payload === undefined) socket.emit(event)
      else socket.emit(event, payload)
    },
    request(event, payload, timeoutMs = ANSWER_TIMEOUT_MS) {
      const waiting = socket.timeout(timeoutMs)
      return payload === undefined ? waiting.emitWithAck(event) : waiting.emitWithAck(event, payload)
    },
    on: (event, listener) => subscribe(event, listener),
    onConnect(listener) {
      const unsubscribe = subscribe('connect', listener)
      if (socket.connected) listener()
      return unsubscribe
    },
    reconnect() {
      link.set('connecting')
      socket.disconnect().connect()
    },
    close: () => void socket.disconnect(),
  }
}
