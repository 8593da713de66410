import type { LocalSlot, LocalSlots } from './local-slots.ts'
import { type AdminPresence, type Member, surplusSlots } from './members.ts'

/** Windows, phones and tablets of one account. */
const MAX_SLOTS_PER_ACCOUNT = 8

/** Makes slots of this replica those of admins, at most eight per account over all replicas, the newest first. */
export interface Promotion {
  promote(slot: LocalSlot, presence: AdminPresence, onReplaced: () => void): void
  demote(slot: LocalSlot): void
  /** Takes note of admins at other replicas, and demotes slots here that are too many now. */
  meet(arrivals: readonly Member[]): void
}

/** @param deps.onChange called after every promotion, demotion, or change of an admin's rights. */
export function createPromotion(deps: {
  slots: LocalSlots
  members: () => Member[]
  nowMs: () => number
  isLive: (socketId: string) => boolean
  onChange: () => void
}): Promotion {
  const { slots, members, nowMs, isLive, onChange } = deps
  /** The highest rank given or heard of. */
  let lastRank = 0

  const demote = (slot: LocalSlot) => {
    slot.onReplaced = () => {}
    if (!slot.member.admin) return
    slots.release(slot)
    slots.assignListener(slot)
    onChange()
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

  return {
    promote(slot, { adminId, isSuper, mayAnswer }, onReplaced) {
      const before = slot.member.admin
      slot.onReplaced = onReplaced
      if (before?.adminId === adminId) {
        if (before.mayAnswer === mayAnswer) return
        before.mayAnswer = mayAnswer
        return onChange()
      }
      slots.release(slot)
      lastRank = Math.max(lastRank + 1, nowMs())
      const admin = { adminId, mayAnswer, rank: lastRank, socketId: slot.socketId }
      // Windows of one account look the same, so that it does not matter which of them leaves first.
      const like = members().find((member) => member.admin?.adminId === adminId)?.user
      slots.assignAdmin(slot, admin, isSuper, like)
      demoteSurplus(adminId)
      onChange()
    },
    demote,
    meet(arrivals) {
      for (const { admin } of arrivals) {
        if (!admin) continue
        lastRank = Math.max(lastRank, admin.rank)
        demoteSurplus(admin.adminId)
      }
    },
  }
}
