import { roomOf } from '@solstice/adapters'
import type { LiveRole, Privilege, ServerEventName, ServerPayload } from '@solstice/contracts'
import {
  guestQueue,
  guestTimes,
  isHostOnline,
  liveRoster,
  type PlayoutState,
  pendingGuests,
  shownCode,
} from '@solstice/playout'
import type { Audience } from '@solstice/station'

/** Tells the sockets of this replica what changed about the people on the air, from state to state. */
export interface LiveEvents {
  /** Compares participants and guest requests. @param aheadMs how far the station's clock is ahead of the wall clock. */
  peopleChanged(state: PlayoutState, nowMs: number, aheadMs?: number): void
  /** Compares what can be heard. */
  heard(state: PlayoutState): void
}

type LiveEvent =
  | 'radio_hosts_online'
  | 'live_hosts_roster'
  | 'live_guest_times'
  | 'guest_queue_update'
  | 'guest_code_updated'
  | 'guest_pending_status'
  | 'host_queue_pause_state'
  | 'background_music_selection_changed'
  | 'background_music_now_playing'
type Facts = { [E in LiveEvent]: ServerPayload<E> }

/** The facts that a socket assumes before it was told any. */
const nothing: Facts = {
  radio_hosts_online: false,
  live_hosts_roster: [],
  live_guest_times: [],
  guest_queue_update: [],
  guest_code_updated: { code: null },
  guest_pending_status: [],
  host_queue_pause_state: { paused: false },
  background_music_selection_changed: { trackId: null },
  background_music_now_playing: { trackId: null, filename: null },
}
/** The audiences of changes besides those on the air; of `forThoseOnAir` these are told each by itself. */
const audiences: Partial<Record<LiveEvent, Audience[]>> = {
  radio_hosts_online: ['everyone'],
  live_hosts_roster: [{ privilege: 'radio_moderator' }],
  live_guest_times: [{ privilege: 'radio_moderator' }],
  guest_queue_update: [{ privilege: 'radio_host' }],
  guest_code_updated: (['radio_host', 'radio_moderator'] satisfies Privilege[]).map((privilege) => ({
    privilege,
  })),
}
const forThoseOnAir: LiveEvent[] = [
  'live_guest_times',
  'guest_pending_status',
  'host_queue_pause_state',
  'background_music_selection_changed',
  'background_music_now_playing',
]

/**
 * @param deps.hasLeft whether a socket left the air by itself, or is gone.
 * @param deps.emit to the sockets of this replica in any of these rooms; null = to all.
 */
export function createLiveEvents(deps: {
  replica: string
  hasLeft: (socketId: string) => boolean
  emit: <E extends ServerEventName>(rooms: string[] | null, event: E, payload: ServerPayload<E>) => void
}): LiveEvents {
  const { replica, hasLeft, emit } = deps
  let facts = nothing
  /** The sockets of this replica on the air, and what each was told. */
  let here = new Map<string, Facts>()
  let roles = new Map<string, LiveRole>()

  const isSame = (event: LiveEvent, one: Facts, other: Facts) =>
    JSON.stringify(one[event]) === JSON.stringify(other[event])

  const tellAll = (next: Facts) => {
    for (const event of Object.keys(audiences) as LiveEvent[]) {
      if (isSame(event, facts, next)) continue
      const rooms = audiences[event]!.map(roomOf)
      const onAir = event === 'live_hosts_roster' ? [...here.keys()] : []
      const isForEveryone = rooms.includes(null)
      emit(isForEveryone ? null : [...rooms.filter((room) => room !== null), ...onAir], event, next[event])
    }
    for (const [socketId, told] of here) {
      for (const event of forThoseOnAir) {
        if (!isSame(event, told, next)) emit([socketId], event, next[event])
      }
      here.set(socketId, next)
    }
    facts = next
  }

  const tellOfRemoval = (
    socketId: string,
    role: LiveRole,
    reason: ServerPayload<'guest_force_disconnect'>['reason'],
  ) => {
    if (role === 'host') emit([socketId], 'host_force_disconnect', { reason: 'kick' })
    else emit([socketId], 'guest_force_disconnect', { reason })
  }
  /** Tells a socket why it is off the air, unless it left by itself. */
  const tellOfEnd = ({ live }: Pick<PlayoutState, 'live'>, socketId: string, role: LiveRole) => {
    const reason = live.ends.findLast((end) => end.socketId === socketId)?.reason ?? 'self'
    if (reason === 'session_replaced') emit([socketId], 'host_force_disconnect', { reason })
    else if (reason !== 'self') tellOfRemoval(socketId, role, reason)
    // The worker took this replica for dead.
    else if (!hasLeft(socketId)) tellOfRemoval(socketId, role, isHostOnline({ live }) ? 'kick' : 'no_hosts')
  }

  return {
    peopleChanged(state, nowMs, aheadMs = 0) {
      const own = state.live.participants.filter((participant) => participant.replica === replica)
      const arrived = own.filter(({ socketId }) => !here.has(socketId))
      const present = new Map(own.map(({ socketId, role }) => [socketId, role]))
      for (const [socketId, role] of roles) if (!present.has(socketId)) tellOfEnd(state, socketId, role)
      roles = present
      here = new Map(own.map(({ socketId }) => [socketId, here.get(socketId) ?? nothing]))
      tellAll({
        ...facts,
        radio_hosts_online: isHostOnline(state),
        live_hosts_roster: liveRoster(state),
        live_guest_times: guestTimes(state, aheadMs),
        guest_queue_update: guestQueue(state, aheadMs),
        guest_code_updated: shownCode(state, nowMs, aheadMs),
        guest_pending_status: pendingGuests(state),
        host_queue_pause_state: { paused: state.isPaused },
        background_music_selection_changed: { trackId: state.backgroundChoice },
      })
      for (const { socketId, role } of arrived) {
        if (role === 'host') emit([socketId], 'guest_queue_update', guestQueue(state, aheadMs))
      }
    },
    heard: (state) => tellAll({ ...facts, background_music_now_playing: nowPlaying(state) }),
  }
}

function nowPlaying({ onAir }: PlayoutState): Facts['background_music_now_playing'] {
  const clip = onAir.phase === 'chat' ? onAir.background.clip : null
  if (!clip) return { trackId: null, filename: null }
  return { trackId: clip.id, filename: clip.media.slice(clip.media.lastIndexOf('/') + 1) }
}
