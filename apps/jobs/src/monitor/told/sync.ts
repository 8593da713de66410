import type { RadioState } from '@solstice/contracts'
import { io } from 'socket.io-client'
import type { Followed, Synced } from '../judge.ts'
import type { Poll } from './poll.ts'

const RETRY_MS = 1_000
const MAX_RECONNECT_MS = 2_000
/** Told for less, a track may not have reached the sound. */
const SETTLED_MS = 6_000

/** The sound that a listener has at a moment, and the positions that may be told of it. */
export interface SoundThen {
  trackId: string
  fromMs: number
  toMs: number
}

/**
 * Receives `sync` as a page does, and holds each against the sound of its moment. No list of listeners shows the socket.
 *
 * @param deps.today the date, epoch ms. @param deps.token proves to replicas whose socket it is.
 * @param deps.soundAt the sound at a date; null = no track, or one that has just begun.
 */
export function followSync(
  address: string,
  deps: {
    now: () => number
    today: () => number
    token: () => string
    soundAt: (date: number) => SoundThen | null
  },
): Poll<Synced> & {
  /** Forgets the time in which this process did not run. */
  forgive(): void
} {
  const { now, today, token, soundAt } = deps
  let last: (Synced & { cameAtMs: number }) | null = null
  let off: Off = none
  let goodAtMs = now()
  let failure = 'connecting'
  let retrying: NodeJS.Timeout | undefined

  const socket = io(address, {
    auth: (give) => give({ monitor: token() }),
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelayMax: MAX_RECONNECT_MS,
    forceNew: true,
  })
  const fail = (why: string) => {
    if (failure === '') goodAtMs = now()
    failure = why
  }
  socket.on('connect', () => {
    failure = 'connected'
    off = none
    last = null
  })
  socket.on('disconnect', (why) => {
    fail(why)
    // The client stays away by itself when a server ends its session.
    if (why === 'io server disconnect') retrying = setTimeout(() => socket.connect(), RETRY_MS)
  })
  socket.on('connect_error', ({ message }) => fail(message))
  socket.on('sync', (state: RadioState) => {
    const sound = soundAt(state.serverTimeMs)
    failure = ''
    const before = off
    off = sound ? offOf(state, sound) : none
    last = {
      cameAtMs: now(),
      sinceMs: 0,
      delayMs: today() - state.serverTimeMs,
      trackId: state.track,
      // A takeover may lie between one `sync` and the sound that comes with it, not between two.
      heardId: before.heardId === off.heardId ? off.heardId : null,
      driftMs: Math.abs(before.driftMs) < Math.abs(off.driftMs) ? before.driftMs : off.driftMs,
    }
  })
  return {
    now(): Followed<Synced> {
      const failingMs = failure === '' ? 0 : now() - goodAtMs
      return { last: last && { ...last, sinceMs: now() - last.cameAtMs }, failingMs, failure }
    },
    forgive() {
      goodAtMs = now()
      failure = 'waiting'
      last = null
    },
    stop() {
      clearTimeout(retrying)
      socket.disconnect()
    },
  }
}

/** How a `sync` differs from the sound: the track that is heard instead, or the distance of the positions. */
interface Off {
  heardId: string | null
  driftMs: number
}

const none: Off = { heardId: null, driftMs: 0 }

function offOf({ track, seek, isPlaying }: RadioState, { trackId, fromMs, toMs }: SoundThen): Off {
  const toldMs = seek * 1000
  if (!isPlaying || toldMs < SETTLED_MS) return none
  if (track !== trackId) return { heardId: trackId, driftMs: 0 }
  return { heardId: null, driftMs: toldMs - Math.min(Math.max(toldMs, fromMs), toMs) }
}
