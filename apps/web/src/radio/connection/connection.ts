import type { Arrival, ServerPayload, User } from '@solstice/contracts'
import { get } from '../../api.ts'
import { createStore, type Store } from '../../ui/store.ts'
import { createRequests, type TrackRequests } from '../requests.ts'
import type { Airing } from '../timeline.ts'
import { createRenewingToken, type RenewingToken } from './renewing-token.ts'
import { createStationClock } from './station-clock.ts'
import { type LinkState, openStationSocket, type StationSocket } from './station-socket.ts'
import { followTimeline } from './timeline-feed.ts'

/** A listener's connection: the station's events, its clock, and the tokens it grants. */
export interface Connection {
  readonly link: Store<LinkState>
  /** The latest airings, oldest first; the last one is on air now. */
  readonly timeline: Store<Airing[]>
  readonly users: Store<User[]>
  /** True when this station has live hosting at all. */
  readonly isHosting: Store<boolean>
  readonly isHostOnline: Store<boolean>
  readonly artToken: RenewingToken
  readonly audioToken: RenewingToken
  readonly requests: TrackRequests
  /** The station's clock, epoch ms. */
  stationNowMs(): number
  roundTripMs(): number
  /** Asks the shared stream for its position; `timeline` then knows better when the track began. */
  measurePosition(): Promise<void>
  /** Calls when the library changed, or the mode and with it the library. */
  onLibraryChange(listener: () => void): void
  /** Calls with the outcome of orders from this listener's address. */
  onDonationResult(listener: (result: ServerPayload<'donation_result'>) => void): void
  /** Tries to connect at once. */
  retry(): void
  close(): void
}

const MAX_RECONNECTION_DELAY_MS = 10_000
const INTRODUCTION_TIMEOUT_MS = 10_000

/** @param arrival what is known of the station before it is reached */
export function connect(arrival: Arrival | null): Connection {
  const socket = openStationSocket(MAX_RECONNECTION_DELAY_MS)
  const clock = createStationClock()
  const { timeline, ...feed } = followTimeline(socket, clock, arrival?.state ?? null)
  const users = createStore<User[]>([])
  const isHosting = createStore(arrival?.config.radioHostsMode ?? false)
  const isHostOnline = createStore(arrival?.isHostOnline ?? false)
  let uid = ''

  const artToken = createRenewingToken(async () => {
    const granted = await introduce(socket)
    uid = granted.uid
    return { token: granted.artToken, expiresInS: granted.artTokenExpiresIn }
  })
  const audioToken = createRenewingToken(async () => {
    const headers = { 'X-Art-Token': await artToken.get(), 'X-Listener-Uid': uid }
    const { token, expiresIn } = await get('/api/audio-key', undefined, headers)
    return { token, expiresInS: expiresIn }
  })

  socket.onConnect(() => void artToken.renew().catch(() => {}))
  socket.on('usersUpdate', users.set)
  socket.on('radio_hosts_mode', isHosting.set)
  socket.on('radio_hosts_online', isHostOnline.set)

  return {
    link: socket.link,
    timeline,
    users,
    isHosting,
    isHostOnline,
    artToken,
    audioToken,
    requests: createRequests(socket, () => artToken.renew()),
    stationNowMs: clock.nowMs,
    roundTripMs: clock.roundTripMs,
    measurePosition: feed.measurePosition,
    onLibraryChange(listener) {
      socket.on('library_updated', listener)
      let mode = timeline.value.at(-1)?.state.mode
      timeline.subscribe((airings) => {
        const now = airings.at(-1)?.state.mode
        if (mode && now !== mode) listener()
        mode = now
      })
    },
    onDonationResult: (listener) => void socket.on('donation_result', listener),
    retry() {
      if (socket.link.value !== 'online') socket.reconnect()
    },
    close() {
      feed.stop()
      artToken.stop()
      audioToken.stop()
      socket.close()
    },
  }
}

/** Tells the station that a listener is here; its answer holds the listener's id and art token. */
function introduce(socket: StationSocket): Promise<ServerPayload<'listener_uid'>> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer)
      unsubscribe()
      stopAsking()
    }
    const timer = setTimeout(() => {
      finish()
      reject(new Error('The station did not answer listener_init'))
    }, INTRODUCTION_TIMEOUT_MS)
    const unsubscribe = socket.on('listener_uid', (granted) => {
      finish()
      resolve(granted)
    })
    const stopAsking = socket.onConnect(() => socket.send('listener_init'))
  })
}
