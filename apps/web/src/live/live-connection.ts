import type {
  Ack,
  ClientEventName,
  ClientPayload,
  RadioState,
  ServerEventName,
  ServerPayload,
} from '@solstice/contracts'
import { io } from 'socket.io-client'
import { serverUrl } from '../api.ts'
import { createStore, type Store } from '../ui/store.ts'

/** A line to the station for those who speak on it: what it says, and what is asked of it. */
export interface LiveConnection {
  readonly isConnected: Store<boolean>
  /** Of this socket, while it is connected. */
  readonly socketId: string | undefined
  /** The air as it was last told. */
  readonly air: Store<RadioState | null>
  /** Whether there is live hosting; null = not told yet. */
  readonly hostsMode: Store<boolean | null>
  readonly isHostOnline: Store<boolean>
  /** The station's clock, epoch ms. */
  stationNowMs(): number
  /** Says something that is not answered. While there is no connection it is not said at all. */
  send<E extends ClientEventName>(event: E, payload?: ClientPayload<E> | ArrayBuffer): void
  /** @throws when the station did not answer within some seconds. */
  request<E extends ClientEventName>(event: E, payload?: ClientPayload<E>): Promise<Ack<E>>
  on<E extends ServerEventName>(event: E, heard: (payload: ServerPayload<E>) => void): void
  /** Calls at every connection, also those that are made anew. */
  onConnect(connected: () => void): void
  /** Connects anew: the station forgets what this socket asked for. */
  reconnect(): void
  close(): void
}

const ANSWER_WITHIN_MS = 8_000

export function openLiveConnection(): LiveConnection {
  const socket = io(serverUrl || location.origin, {
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    withCredentials: true,
    reconnectionDelayMax: 5_000,
  })
  const isConnected = createStore(false)
  const air = createStore<RadioState | null>(null)
  const hostsMode = createStore<boolean | null>(null)
  const isHostOnline = createStore(false)
  let offsetMs = 0

  socket.on('connect', () => isConnected.set(true))
  socket.on('disconnect', (reason) => {
    isConnected.set(false)
    // The client does not come back by itself from a disconnection that the server asked for.
    if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 1000)
  })
  socket.on('sync', (state: RadioState) => {
    offsetMs = state.serverTimeMs - Date.now()
    air.set(state)
  })
  socket.on('radio_hosts_mode', (isOn: boolean) => hostsMode.set(isOn))
  socket.on('radio_hosts_online', (isOnline: boolean) => isHostOnline.set(isOnline))

  return {
    isConnected,
    get socketId() {
      return socket.id
    },
    air,
    hostsMode,
    isHostOnline,
    stationNowMs: () => Date.now() + offsetMs,
    send(event, payload) {
      if (!socket.connected) return
      if (payload === undefined) socket.emit(event)
      else socket.emit(event, payload)
    },
    request(event, payload) {
      const waiting = socket.timeout(ANSWER_WITHIN_MS)
      return payload === undefined ? waiting.emitWithAck(event) : waiting.emitWithAck(event, payload)
    },
    on: (event, heard) => void socket.on(event as string, heard as (payload: unknown) => void),
    onConnect(connected) {
      socket.on('connect', connected)
      if (socket.connected) connected()
    },
    reconnect: () => void socket.disconnect().connect(),
    close: () => void socket.disconnect(),
  }
}
