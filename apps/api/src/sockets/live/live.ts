import { randomUUID } from 'node:crypto'
import type { LiveRole, ServerEventName, ServerPayload } from '@solstice/contracts'
import { guestQueue, isHostOnline, liveRoleOf, type PlayoutState } from '@solstice/playout'
import {
  type Admin,
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
import { createLiveEvents } from './events.ts'
import { guestHandlers } from './guests.ts'
import { hostHandlers } from './hosts.ts'
import { openMicrophoneRelay } from './microphone-relay.ts'
import { moderatorHandlers } from './moderators.ts'
import { openLiveSockets } from './sockets.ts'

type Handled = ReturnType<typeof hostHandlers> &
  ReturnType<typeof guestHandlers> &
  ReturnType<typeof moderatorHandlers>

/** Hosts, guests and moderators: everything of live hosting that this replica does. */
export interface Live {
  handlers: Pick<Handlers, keyof Handled>
  /** As what a socket is on the air now; null = it is not. */
  roleOf(socketId: string): LiveRole | null
  /** Tells a new socket whether hosts are on the air, where there are hosts at all. */
  sendInitialState(who: Visitor): void
  /** A socket acts for an account, as it is now: it is told what it may know since then, and loses what it may not any more. */
  adminChanged(who: Visitor, before: Admin | null): void
  /** To be called when a socket is gone. */
  forget(who: Visitor): void
  /** Takes the sockets of this replica off the air. */
  close(): Promise<void>
}

/**
 * @param deps.isOn whether there is live hosting here; all is refused otherwise.
 * @param deps.airNow the air of this moment; null before any state came.
 * @param deps.emit to the sockets of this replica that are in any of these rooms; null = to all.
 */
export function createLive(deps: {
  isOn: boolean
  mirror: Pick<AirMirror, 'state' | 'onState'>
  air: Pick<AudibleAir, 'onState'>
  airNow: () => PlayoutState | null
  clock: WallClock
  data: Pick<DataStore, 'clips' | 'bans'>
  bus: Pick<Bus, 'send'>
  audit: Audit
  microphones: Microphones
  replicas: Replicas
  ipModeration: boolean
  uidOf: (address: string) => string
  emit: <E extends ServerEventName>(rooms: string[] | null, event: E, payload: ServerPayload<E>) => void
  log: Logger
}): Live {
  const { isOn, mirror, air, clock, emit } = deps
  const replica = randomUUID()
  const now = () => mirror.state
  const isMicOn = (socketId: string) =>
    now()?.live.participants.some(
      (participant) => participant.socketId === socketId && participant.isMicOn,
    ) === true
  const sockets = openLiveSockets({ ...deps, replica })
  const relay = openMicrophoneRelay({ ...deps, isMicOn })
  const about = { ...deps, now, sockets, relay, bans: createBans(deps) }
  const handlers = { ...hostHandlers(about), ...guestHandlers(about), ...moderatorHandlers(about) }

  const hasLeft = (socketId: string) => sockets.roleOf({ socketId }) === null
  const events = createLiveEvents({ replica, hasLeft, emit })
  const known = now()
  // Else who comes before the next state would not be told that it is no longer so.
  if (isOn && known) events.peopleChanged(known, clock.nowMs(), clock.aheadMs())
  const unfollow = isOn
    ? [
        mirror.onState((state) => events.peopleChanged(state, clock.nowMs(), clock.aheadMs())),
        air.onState((state) => events.heard(state)),
      ]
    : []

  /** A code that was there before any replica that is here ends: the service was started anew. */
  const forgetOldCode = async () => {
    const firstState = new Promise<PlayoutState>((resolve) => {
      unfollow.push(mirror.onState(resolve))
    })
    const [isAnew, { live }] = await Promise.all([sockets.isFirst(), now() ?? firstState])
    if (isAnew && live.code) await deps.bus.send({ type: 'forget-code', code: live.code.code })
  }
  if (isOn) forgetOldCode().catch((error) => deps.log.info({ err: error }, 'an old code is not looked for'))

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
      const isNews = isOn && mayHost && (isOther || !before || !holds(before, 'radio_host'))
      const state = now()
      if (isNews) who.send('guest_queue_update', state ? guestQueue(state, clock.aheadMs()) : [])
    },
    forget(who) {
      sockets.end(who)
      relay.forget(who)
    },
    async close() {
      for (const stop of unfollow) stop()
      relay.close()
      await sockets.close()
    },
  }
}

/** Where there is no live hosting all is refused, and nobody is banned from it. */
function switchedOff(handlers: Handled): Handled {
  const off = Object.entries(handlers).map(([event, handler]) => [event, { ...handler, isOff: true }])
  return { ...(Object.fromEntries(off) as Handled), guest_check_ban: { answer: () => ({ banned: false }) } }
}
