import type { Channel } from '@solstice/adapters'
import type { User } from '@solstice/contracts'
import type { Alias } from './aliases.ts'
import { createLocalSlots } from './local-slots.ts'
import type { AdminPresence, Member } from './members.ts'
import { createPromotion } from './promotion.ts'
import { openReplicaRosters } from './replica-rosters.ts'
import { createRosterUpdates } from './updates.ts'

/** With more listeners than this, a replica shares them with its heartbeat alone. */
const MANY_SOCKETS_TO_SHARE = 200

/** Everybody who is connected, over all replicas. */
export interface Roster {
  /** Gives a new socket a slot as a listener. */
  enter(socketId: string): Slot
  /** Admins first, each account once, then the newest; at most `limit`. */
  list(): User[]
  /** To be called when somebody goes on the air, or off it. */
  lineUpChanged(): void
  /** True when an admin who may answer requests is here. */
  readonly isAdminOnline: boolean
  /** Number of sockets of this replica that are not of admins. */
  readonly listeners: number
  close(): void
}

/** The slot of one socket. */
export interface Slot {
  /**
   * Makes it a slot of an admin. An account has eight over all replicas: with one more, the oldest that is not on the air
   * becomes a listener's again, and its `onReplaced` is called. Replicas that were disconnected settle this when they meet.
   */
  promote(admin: AdminPresence, onReplaced: () => void): void
  /** Makes it a slot of a listener again. */
  demote(): void
  leave(): void
}

/** The slot of the station's own monitor: nobody sees it. */
export const unseenSlot: Slot = { promote() {}, demote() {}, leave() {} }

/**
 * Listeners of a replica with up to 200 sockets appear at the other replicas at once, else within 10 s.
 *
 * @param deps.channel between the rosters of all replicas.
 * @param deps.onChange gets the new list, at most once per 2 s, or per 10 s above 500 sockets.
 * @param deps.isLive whether a socket of any replica is on the air.
 * @param deps.onAdminOnline called at once when `isAdminOnline` changes.
 */
export function createRoster(deps: {
  channel: Channel
  aliases: readonly Alias[]
  limit: number
  nowMs: () => number
  isLive: (socketId: string) => boolean
  onChange: (list: User[]) => void
  onAdminOnline: (isOnline: boolean) => void
  heartbeatMs?: number
  forgetAfterMs?: number
}): Roster {
  const { limit, nowMs } = deps
  const slots = createLocalSlots(deps.aliases)
  const ownMembers = () => slots.members(limit)
  const onChange = (arrivals: readonly Member[]) => {
    promotion.meet(arrivals)
    updates.changed()
  }
  const replicas = openReplicaRosters({ ...deps, ownMembers, onChange })
  const members = () => [...replicas.members(), ...ownMembers()]
  const updates = createRosterUpdates({ ...deps, members, listenerCount: () => slots.listenerCount })
  let isClosed = false

  const listenersChanged = () => {
    updates.changed()
    if (!isClosed && slots.listenerCount <= MANY_SOCKETS_TO_SHARE) replicas.shareSoon()
  }
  const adminsChanged = () => {
    updates.changed()
    if (!isClosed) replicas.share()
  }
  const promotion = createPromotion({ ...deps, slots, members, onChange: adminsChanged })

  return {
    enter(socketId) {
      const slot = slots.open(socketId, nowMs())
      listenersChanged()
      let isOpen = true
      return {
        promote: (admin, onReplaced) => isOpen && promotion.promote(slot, admin, onReplaced),
        demote: () => isOpen && promotion.demote(slot),
        leave() {
          if (!isOpen) return
          isOpen = false
          slots.release(slot)
          if (slot.member.admin) adminsChanged()
          else listenersChanged()
        },
      }
    },
    list: updates.list,
    lineUpChanged: updates.changed,
    get isAdminOnline() {
      return updates.isAdminOnline
    },
    get listeners() {
      return slots.listenerCount
    },
    close() {
      isClosed = true
      updates.close()
      replicas.close()
    },
  }
}
