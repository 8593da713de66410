import { randomUUID } from 'node:crypto'
import type { LiveRole, Privilege, ServerEventName, ServerPayload } from '@solstice/contracts'
import { guestQueue, guestTimes, isHostOnline, liveRoleOf, type PlayoutState } from '@solstice/playout'
import {
  type Admin,
  type Announcer,
  type Audit,
  type Bus,
  createBans,
  type DataStore,
  holds,
  type Microphones,
  type Replicas,
  type WallClock,
} from '@solstice/station'
import type { Logger } from 'pino'
import type { AudibleAir } from '../../air/audible.ts'
import type { AirMirror } from '../../stream/mirror.ts'
import type { Handlers, Visitor } from '../dispatch.ts'
import { backgroundMusicHandlers } from './background-music.ts'
import { banHandlers } from './bans.ts'
import { createLiveEvents } from './events.ts'
import { guestCodeHandlers } from './guest-code.ts'
import { guestHandlers } from './guests.ts'
import { hostHandlers } from './hosts.ts'
import { relayLevels } from './levels.ts'
import { microphoneHandlers } from './microphone.ts'
import { openMicrophoneRelay } from './microphone-relay.ts'
import { participantHandlers } from './participants.ts'
import { type LiveSockets, openLiveSockets } from './sockets.ts'

type HandlerDeps = Parameters<typeof hostHandlers>[0] &
  Parameters<typeof microphoneHandlers>[0] &
  Parameters<typeof backgroundMusicHandlers>[0] &
  Parameters<typeof participantHandlers>[0] &
  Parameters<typeof guestHandlers>[0] &
  Parameters<typeof guestCodeHandlers>[0] &
  Parameters<typeof banHandlers>[0]

const handlersOf = (deps: HandlerDeps) => ({
  ...hostHandlers(deps),
  ...microphoneHandlers(deps),
  ...backgroundMusicHandlers(deps),
  ...participantHandlers(deps),
  ...guestHandlers(deps),
  ...guestCodeHandlers(deps),
  ...banHandlers(deps),
})
type LiveHandlers = ReturnType<typeof handlersOf>

/** Live hosting on this replica: hosts, guests and moderators. */
export interface Live {
  handlers: Pick<Handlers, keyof LiveHandlers>
  /** The role of a socket on the air; null when it is not on the air. */
  roleOf(socketId: string): LiveRole | null
  /** Tells a new socket whether hosts are on the air, where there is live hosting at all. */
  sendInitialState(who: Visitor): void
  /** The account of a socket is another, or changed: the socket learns what it may know now, and loses what it may not. */
  adminChanged(who: Visitor, before: Admin | null): void
  /** To be called when a socket is gone. */
  forget(who: Visitor): void
  /** Takes the sockets of this replica off the air. */
  close(): Promise<void>
}

interface LiveDeps {
  /** True when this station has live hosting; without it every event is refused. */
  isOn: boolean
  mirror: Pick<AirMirror, 'state' | 'onState'>
  air: Pick<AudibleAir, 'onState'>
  /** The air of this moment; null before any state came. */
  airNow: () => PlayoutState | null
  clock: WallClock
  data: Pick<DataStore, 'clips' | 'bans'>
  bus: Pick<Bus, 'send'>
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
  microphones: Microphones
  replicas: Replicas
  ipModeration: boolean
  uidOf: (address: string) => string
  /** Emits to the sockets of this replica in any of these rooms; null = to all. */
  emit: <E extends ServerEventName>(rooms: string[] | null, event: E, payload: ServerPayload<E>) => void
  log: Logger
}

export function createLive(deps: LiveDeps): Live {
  const { isOn, mirror, clock } = deps
  const replica = randomUUID()
  const now = () => mirror.state
  const isMicOn = (socketId: string) =>
    now()?.live.participants.some(
      (participant) => participant.socketId === socketId && participant.isMicOn,
    ) === true
  const sockets = openLiveSockets({ ...deps, replica })
  const relay = openMicrophoneRelay({ ...deps, isMicOn })
  const handlers = handlersOf({ ...deps, now, sockets, relay, bans: createBans(deps) })
  const stopFollowing = isOn ? followAir(deps, sockets, replica) : () => {}

  return {
    handlers: isOn ? handlers : switchedOff(handlers),
    roleOf(socketId) {
      const state = now()
      return state && liveRoleOf(state, socketId)
    },
    sendInitialState(who) {
      const state = now()
      if (isOn) who.send('radio_hosts_online', state !== null && isHostOnline(state))
    },
    adminChanged(who, before) {
      const isOther = before !== null && before.adminId !== who.admin?.adminId
      const mayHost = who.admin !== null && holds(who.admin, 'radio_host')
      if (sockets.roleOf(who) === 'host' && (isOther || !mayHost)) {
        const isTold = !isOther && who.liveRole === 'host'
        if (isTold) who.send('host_force_disconnect', { reason: 'kick' })
        sockets.end(who)
      }
      if (!isOn) return
      const isNews = (privilege: Privilege) =>
        who.admin !== null && holds(who.admin, privilege) && (isOther || !before || !holds(before, privilege))
      const state = now()
      const aheadMs = clock.aheadMs()
      if (isNews('radio_host')) who.send('guest_queue_update', state ? guestQueue(state, aheadMs) : [])
      if (isNews('radio_moderator')) who.send('live_guest_times', state ? guestTimes(state, aheadMs) : [])
    },
    forget(who) {
      sockets.end(who)
      relay.forget(who)
    },
    async close() {
      stopFollowing()
      relay.close()
      await sockets.close()
    },
  }
}

/** Tells the sockets of this replica what changes on the air. */
function followAir(deps: LiveDeps, sockets: LiveSockets, replica: string): () => void {
  const { mirror, air, clock, emit, bus, log } = deps
  const hasLeft = (socketId: string) => sockets.roleOf({ socketId }) === null
  const events = createLiveEvents({ replica, hasLeft, emit })
  const peopleChanged = (state: PlayoutState) => events.peopleChanged(state, clock.nowMs(), clock.aheadMs())
  // A socket that comes before the next state would otherwise not be told that something known is over.
  if (mirror.state) peopleChanged(mirror.state)
  const unfollow = [
    mirror.onState(peopleChanged),
    air.onState((state) => events.heard(state)),
    relayLevels({ ...deps, replica }),
  ]

  /** A guest code that is older than every living replica ends: the whole service was restarted. */
  const forgetOldCode = async () => {
    const firstState = new Promise<PlayoutState>((resolve) => {
      unfollow.push(mirror.onState(resolve))
    })
    const [isRestarted, { live }] = await Promise.all([sockets.isFirst(), mirror.state ?? firstState])
    if (isRestarted && live.code) await bus.send({ type: 'forget-code', code: live.code.code })
  }
  forgetOldCode().catch((error) => log.info({ err: error }, 'old guest code could not be looked up'))

  return () => {
    for (const stop of unfollow) stop()
  }
}

/** Refuses every event; without live hosting nobody is banned from it either. */
function switchedOff(handlers: LiveHandlers): LiveHandlers {
  const off = Object.entries(handlers).map(([event, handler]) => [event, { ...handler, isOff: true }])
  return {
    ...(Object.fromEntries(off) as LiveHandlers),
    guest_check_ban: { answer: () => ({ banned: false }) },
  }
}
