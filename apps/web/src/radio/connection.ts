import type { Ack, RadioState, ServerPayload, User } from '@solstice/contracts'
import { io } from 'socket.io-client'
import { get, serverUrl } from '../api.ts'
import { createStore, type Store } from '../ui/store.ts'
import { createRenewingToken, type RenewingToken } from './renewing-token.ts'
import { createRequests, type SongRequests } from './requests.ts'
import {
  bestSample,
  type ClockSample,
  localNowMs,
  offsetMs,
  roundTripMs,
  withSample,
} from './station-clock.ts'
import {
  type Airing,
  shiftedBy,
  withChat,
  withChatEnd,
  withHalt,
  withJingle,
  withMeasuredStart,
  withState,
  withTrackStart,
} from './timeline.ts'

export type LinkState = 'connecting' | 'online' | 'offline'

/** The line to the station: what it says, its clock, and the passes it gives. */
export interface Connection {
  readonly link: Store<LinkState>
  /** What was on air lately, oldest first; the last one is on air now. */
  readonly timeline: Store<Airing[]>
  readonly users: Store<User[]>
  /** Whether people speak on this station, and whether hosts are on the air now. */
  readonly isHosting: Store<boolean>
  readonly isHostOnline: Store<boolean>
  readonly artToken: RenewingToken
  readonly audioToken: RenewingToken
  readonly requests: SongRequests
  /** The station's clock, epoch ms. */
  stationNowMs(): number
  roundTripMs(): number
  /** Asks a shared stream where it is; `airings` then knows better when the song began. */
  askStreamPosition(): Promise<void>
  /** Calls back whenever the library of the mode on air is no longer what it was. */
  onLibraryChange(changed: () => void): void
  /** Calls back with what became of orders from this listener's address. */
  onDonationResult(told: (result: ServerPayload<'donation_result'>) => void): void
  /** Tries to connect at once. */
  retry(): void
  close(): void
}

const ANSWER_WITHIN_MS = 10_000
const PINGS_AT_FIRST = 5
const FIRST_PINGS_APART_MS = 200
const PING_EVERY_MS = 8000
const SUSPICIOUS_MS = 5000

export function connect(): Connection {
  const socket = io(serverUrl || location.origin, {
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    withCredentials: true,
    reconnectionDelayMax: 10_000,
  })
  const link = createStore<LinkState>('connecting')
  const airings = createStore<Airing[]>([])
  const users = createStore<User[]>([])
  const isHosting = createStore(false)
  const isHostOnline = createStore(false)
  let uid = ''
  let samples: ClockSample[] = []
  let syncOffsetMs = 0
  let toldPosition: Ack<'stream_get_seek'> | null = null
  let pingTimer: ReturnType<typeof setTimeout> | undefined

  const artPass = createRenewingToken(async () => {
    const granted = await introduce()
    uid = granted.uid
    return { token: granted.artToken, expiresInS: granted.artTokenExpiresIn }
  })
  const audioPass = createRenewingToken(async () => {
    const headers = { 'X-Art-Token': await artPass.get(), 'X-Listener-Uid': uid }
    const { token, expiresIn } = await get('/api/audio-key', undefined, headers)
    return { token, expiresInS: expiresIn }
  })

  function introduce(): Promise<ServerPayload<'listener_uid'>> {
    return new Promise((resolve, reject) => {
      const ask = () => socket.emit('listener_init')
      const forget = () => {
        clearTimeout(timer)
        socket.off('listener_uid', answered)
        socket.off('connect', ask)
      }
      const answered = (granted: ServerPayload<'listener_uid'>) => {
        forget()
        resolve(granted)
      }
      const timer = setTimeout(() => {
        forget()
        reject(new Error('The station did not answer listener_init'))
      }, ANSWER_WITHIN_MS)
      socket.once('listener_uid', answered)
      if (socket.connected) ask()
      else socket.once('connect', ask)
    })
  }

  async function ping(): Promise<void> {
    const sentMs = localNowMs()
    const ack: Ack<'stream_ping'> = await socket.timeout(5000).emitWithAck('stream_ping', sentMs)
    const beforeMs = samples.length > 0 ? stationOffsetMs() : null
    samples = withSample(samples, { sentMs, serverMs: ack.serverTs, receivedMs: localNowMs() })
    const setByMs = beforeMs === null ? 0 : stationOffsetMs() - beforeMs
    if (Math.abs(setByMs) > SUSPICIOUS_MS)
      airings.set(airings.value.map((airing) => shiftedBy(airing, setByMs)))
  }

  /** What is told of a moment far from the one that it is now may be of a clock that was set: then that is asked first. */
  function inTime(serverMs: number, take: () => void): void {
    const isLikely =
      samples.length === 0 || Math.abs(serverMs - localNowMs() - stationOffsetMs()) < SUSPICIOUS_MS
    if (isLikely) take()
    else
      void ping()
        .catch(() => {})
        .then(take)
  }

  function keepTime(pingsSoFar = 0): void {
    clearTimeout(pingTimer)
    if (!socket.connected) return
    void ping().catch(() => {})
    const apartMs = pingsSoFar < PINGS_AT_FIRST ? FIRST_PINGS_APART_MS : PING_EVERY_MS
    pingTimer = setTimeout(() => keepTime(pingsSoFar + 1), apartMs)
  }

  socket.on('connect', () => {
    link.set('online')
    keepTime()
    artPass.renew().catch(() => {})
  })
  socket.on('disconnect', (reason) => {
    link.set('offline')
    clearTimeout(pingTimer)
    // The client does not come back by itself from a disconnection that the server asked for.
    if (reason === 'io server disconnect') setTimeout(() => socket.connect(), 1000)
  })
  socket.on('connect_error', () => link.set('offline'))
  socket.on('sync', (state: RadioState) => {
    syncOffsetMs = state.serverTimeMs - localNowMs()
    inTime(state.serverTimeMs, () => airings.set(withState(airings.value, state)))
  })
  socket.on('stream_track_start', ({ trackId, serverTs }: ServerPayload<'stream_track_start'>) =>
    inTime(serverTs, () => airings.set(withTrackStart(airings.value, trackId, serverTs))),
  )
  socket.on('stream_jingle_start', ({ serverTs }: ServerPayload<'stream_jingle_start'>) =>
    inTime(serverTs, () => airings.set(withJingle(airings.value, serverTs))),
  )
  socket.on('stream_chat_mode_start', ({ serverTs }: ServerPayload<'stream_chat_mode_start'>) =>
    inTime(serverTs, () => airings.set(withChat(airings.value, serverTs))),
  )
  socket.on('stream_chat_mode_end', ({ serverTs }: ServerPayload<'stream_chat_mode_end'>) =>
    inTime(serverTs, () => airings.set(withChatEnd(airings.value, serverTs))),
  )
  socket.on('usersUpdate', (roster: User[]) => users.set(roster))
  socket.on('radio_hosts_mode', (isOn: boolean) => isHosting.set(isOn))
  socket.on('radio_hosts_online', (isOnline: boolean) => isHostOnline.set(isOnline))

  // After a sleep the local clock may have stood still; a phone that comes back from it measures anew.
  const cameBack = () => {
    if (document.visibilityState !== 'visible') return
    samples = []
    keepTime()
  }
  document.addEventListener('visibilitychange', cameBack)

  const stationOffsetMs = () => {
    const best = bestSample(samples)
    return best ? offsetMs(best) : syncOffsetMs
  }

  return {
    link,
    timeline: airings,
    users,
    isHosting,
    isHostOnline,
    artToken: artPass,
    audioToken: audioPass,
    requests: createRequests(socket, () => artPass.renew()),
    onLibraryChange(changed) {
      socket.on('library_updated', changed)
      let mode = airings.value.at(-1)?.state.mode
      airings.subscribe((known) => {
        const now = known.at(-1)?.state.mode
        if (mode && now !== mode) changed()
        mode = now
      })
    },
    onDonationResult: (told) => void socket.on('donation_result', told),
    stationNowMs: () => localNowMs() + stationOffsetMs(),
    roundTripMs() {
      const best = bestSample(samples)
      return best ? roundTripMs(best) : 0
    },
    async askStreamPosition() {
      if (!socket.connected) return
      const sentMs = localNowMs()
      const answer = socket.timeout(2000).emitWithAck('stream_get_seek', sentMs)
      const position: Ack<'stream_get_seek'> | null = await answer.catch(() => null)
      const middleMs = (sentMs + localNowMs()) / 2 + stationOffsetMs()
      if (!position) return
      const { trackId, seek } = position
      const isStill = toldPosition?.trackId === trackId && toldPosition.seek === seek
      toldPosition = position
      airings.set(
        isStill
          ? withHalt(airings.value, trackId, seek)
          : withMeasuredStart(airings.value, trackId, middleMs - seek * 1000),
      )
    },
    retry() {
      if (socket.connected) return
      link.set('connecting')
      socket.disconnect().connect()
    },
    close() {
      document.removeEventListener('visibilitychange', cameBack)
      clearTimeout(pingTimer)
      artPass.end()
      audioPass.end()
      socket.disconnect()
    },
  }
}
