import type { Ack, RadioState } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import {
  type Airing,
  airingOf,
  shiftedBy,
  withChat,
  withChatEnd,
  withHalt,
  withJingle,
  withMeasuredStart,
  withState,
  withTrackStart,
} from '../timeline.ts'
import { startClockSync } from './clock-sync.ts'
import { localNowMs, pageArrivedMs, type StationClock } from './station-clock.ts'
import type { StationSocket } from './station-socket.ts'

/** The latest airings, kept up to date by the socket's events. */
export interface TimelineFeed {
  /** Oldest first; the last one is on air now. */
  readonly timeline: Store<Airing[]>
  /** Asks the shared stream for its position, which corrects the start of the current track. */
  measurePosition(): Promise<void>
  stop(): void
}

const POSITION_TIMEOUT_MS = 2000

/** @param known the state that the page was sent with */
export function followTimeline(
  socket: StationSocket,
  clock: StationClock,
  known: RadioState | null,
): TimelineFeed {
  const timeline = createStore<Airing[]>(known ? [airingOf(known)] : [])
  if (known) clock.setFromSync(known.serverTimeMs, pageArrivedMs())
  const change = (next: (airings: Airing[]) => Airing[]) => timeline.set(next(timeline.value))
  const clockSync = startClockSync(socket, clock, (byMs) =>
    change((airings) => airings.map((airing) => shiftedBy(airing, byMs))),
  )
  let lastPosition: Ack<'stream_get_seek'> | null = null

  /** Applies a change at once, or after measuring the clock anew when the announced moment is implausible. */
  function changeAt(serverMs: number, next: (airings: Airing[]) => Airing[]): void {
    if (clock.isPlausible(serverMs)) change(next)
    else void clockSync.measure().then(() => change(next))
  }

  socket.on('sync', (state) => {
    clock.setFromSync(state.serverTimeMs)
    changeAt(state.serverTimeMs, (airings) => withState(airings, state))
  })
  socket.on('stream_track_start', ({ trackId, serverTs }) =>
    changeAt(serverTs, (airings) => withTrackStart(airings, trackId, serverTs)),
  )
  socket.on('stream_jingle_start', ({ serverTs }) =>
    changeAt(serverTs, (airings) => withJingle(airings, serverTs)),
  )
  socket.on('stream_chat_mode_start', ({ serverTs }) =>
    changeAt(serverTs, (airings) => withChat(airings, serverTs)),
  )
  socket.on('stream_chat_mode_end', ({ serverTs }) =>
    changeAt(serverTs, (airings) => withChatEnd(airings, serverTs)),
  )

  return {
    timeline,
    async measurePosition() {
      if (socket.link.value !== 'online') return
      const sentMs = localNowMs()
      const position = await socket.request('stream_get_seek', sentMs, POSITION_TIMEOUT_MS).catch(() => null)
      const middleMs = clock.nowMs() - (localNowMs() - sentMs) / 2
      if (!position) return
      const { trackId, seek } = position
      const isStill = lastPosition?.trackId === trackId && lastPosition.seek === seek
      lastPosition = position
      change((airings) =>
        isStill
          ? withHalt(airings, trackId, seek)
          : withMeasuredStart(airings, trackId, middleMs - seek * 1000),
      )
    },
    stop: clockSync.stop,
  }
}
