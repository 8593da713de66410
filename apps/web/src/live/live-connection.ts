import type { RadioState } from '@solstice/contracts'
import { createStationClock } from '../radio/connection/station-clock.ts'
import { openStationSocket, type StationSocket } from '../radio/connection/station-socket.ts'
import { createStore, type Store } from '../ui/store.ts'

/** The connection of those who speak on air: the station's socket, with the state of the air and of live hosting. */
export interface LiveConnection extends StationSocket {
  /** The latest state of the air. */
  readonly air: Store<RadioState | null>
  /** True when this station has live hosting; null before it said so. */
  readonly hostsMode: Store<boolean | null>
  readonly isHostOnline: Store<boolean>
  /** The station's clock, epoch ms. */
  stationNowMs(): number
}

/** Shorter than a listener's: people on air wait for this. */
const MAX_RECONNECTION_DELAY_MS = 5_000

export function openLiveConnection(): LiveConnection {
  const socket = openStationSocket(MAX_RECONNECTION_DELAY_MS)
  const clock = createStationClock()
  const air = createStore<RadioState | null>(null)
  const hostsMode = createStore<boolean | null>(null)
  const isHostOnline = createStore(false)

  socket.on('sync', (state) => {
    clock.setFromSync(state.serverTimeMs)
    air.set(state)
  })
  socket.on('radio_hosts_mode', hostsMode.set)
  socket.on('radio_hosts_online', isHostOnline.set)

  return { ...socket, air, hostsMode, isHostOnline, stationNowMs: clock.nowMs }
}
