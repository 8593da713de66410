import type { Channel } from '@solstice/adapters'
import type { User } from '@solstice/contracts'
import type { Alias } from './aliases.ts'
import { createLocalSlots, type LocalSlot } from './local-slots.ts'
import { type Member, surplusSlots } from './members.ts'
import { openReplicaRosters } from './replica-rosters.ts'
import { createRosterUpdates } from './updates.ts'

/** With more listeners than this, a replica shares them with its heartbeat alone. */
const MANY_SOCKETS_TO_SHARE = 200
/** Windows, phones and tablets of one account. */
const MAX_SLOTS_PER_ACCOUNT = 8

/** Everybody who is connected, over all replicas. */
export interface Roster {
  /** Gives a new socket a slot as a listener. */
  enter(socketId: string): Slot
  /** Admins first, each account once, then the newest; at most `limit`. */
  list(): User[]
  /** Whether an admin who may answer requests is here. */
  readonly isAdminOnline: boolean
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

/** An admin who is connected, as far as the roster needs to know it. */
export interface AdminPresence {
  adminId: string
  isSuper: boolean
  /** Whether it may answer what listeners ask for. */
  mayAnswer: boolean
}

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
  const { limit, nowMs, isLive } = deps
  const slots = createLocalSlots(deps.aliases)
  const ownMembers = () => slots.members(limit)
  const replicas = openReplicaRosters({ ...deps, ownMembers, onChange: arrived })
  const members = () => [...replicas.members(), ...ownMembers()]
  const updates = createRosterUpdates({ ...deps, members, listenerCount: () => slots.listenerCount })
  /** The highest rank given or heard of. */
  let lastRank = 0
  let isClosed = false

  const listenersChanged = () => {
    updates.changed()
    if (!isClosed && slots.listenerCount <= MANY_SOCKETS_TO_SHARE) replicas.shareSoon()
  }
  const adminsChanged = () => {
    updates.changed()
    if (!isClosed) replicas.share()
  }
  function arrived(arrivals: readonly Member[]) {
    for (const { admin } of arrivals) {
      if (!admin) continue
      lastRank = Math.max(lastRank, admin.rank)
      demoteSurplus(admin.adminId)
    }
    updates.changed()
  }

  /** Each replica demotes its own slots only; all of them know all ranks, so they agree on which. */
  const demoteSurplus = (adminId: string) => {
    const surplus = surplusSlots(members(), adminId, MAX_SLOTS_PER_ACCOUNT, isLive)
    for (const slot of slots.admins()) {
      if (!slot.member.admin || !surplus.has(slot.member.admin)) continue
      const { onReplaced } = slot
      demote(slot)
      onReplaced()
    }
  }
  const promote = (slot: LocalSlot, presence: AdminPresence, onReplaced: () => void) => {
    const { adminId, isSuper, mayAnswer } = presence
    const before = slot.member.admin
    slot.onReplaced = onReplaced
    if (before?.adminId === adminId) {
      if (before.mayAnswer === mayAnswer) return
      before.mayAnswer = mayAnswer
    } else {
      slots.release(slot)
      lastRank = Math.max(lastRank + 1, nowMs())
      const admin = { adminId, mayAnswer, rank: lastRank, socketId: slot.socketId }
      // Windows of one account look the same, so that it does not matter which of them leaves first.
      const like = members().find((member) => member.admin?.adminId === adminId)?.user
      slots.assignAdmin(slot, admin, isSuper, like)
      demoteSurplus(adminId)
    }
    adminsChanged()
  }
  const demote = (slot: LocalSlot) => {
    slot.onReplaced = () => {}
    if (!slot.member.admin) return
    slots.release(slot)
    slots.assignListener(slot)
    adminsChanged()
  }

  return {
    enter(socketId) {
      const slot = slots.open(socketId, nowMs())
      listenersChanged()
      let isOpen = true
      return {
        promote: (admin, onReplaced) => isOpen && promote(slot, admin, onReplaced),
        demote: () => isOpen && demote(slot),
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
    get isAdminOnline() {
      return updates.isAdminOnline
    },
    close() {
      isClosed = true
      updates.close()
      replicas.close()
    },
  }
}
