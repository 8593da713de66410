import { randomBytes, randomInt } from 'node:crypto'
import type { User } from '@solstice/contracts'
import { type Alias, adminName, superAdminAlias } from './aliases.ts'
import type { AdminMember, Member } from './members.ts'

/** The slot of a socket of this replica. */
export interface LocalSlot {
  readonly socketId: string
  member: Member
  /** Index of its public alias; null for the super admin's. */
  alias: number | null
  onReplaced: () => void
}

/** The slots of this replica, each under an alias that as few others as possible use. */
export interface LocalSlots {
  open(socketId: string, sinceMs: number): LocalSlot
  /** @param like another user of the same account, whose look it takes over. */
  assignAdmin(slot: LocalSlot, admin: AdminMember, isSuper: boolean, like: User | undefined): void
  assignListener(slot: LocalSlot): void
  release(slot: LocalSlot): void
  /** A copy: slots may be demoted while it is walked. */
  admins(): LocalSlot[]
  readonly listenerCount: number
  /** All admins and the newest `limit` listeners. */
  members(limit: number): Member[]
}

export function createLocalSlots(aliases: readonly Alias[]): LocalSlots {
  const admins = new Set<LocalSlot>()
  const listeners: LocalSlot[] = []
  const usage = aliases.map(() => 0)

  const take = (slot: LocalSlot, alias: number | null): Alias => {
    slot.alias = alias
    if (alias === null) return superAdminAlias
    usage[alias]!++
    return aliases[alias]!
  }
  const assignListener = (slot: LocalSlot) => {
    const { user, sinceMs } = slot.member
    const { name, img } = take(slot, leastUsed(usage))
    slot.member = { user: { name, img, color: user.color }, sinceMs }
    listeners.push(slot)
  }

  return {
    open(socketId, sinceMs) {
      const user = { name: { uk: '', en: '' }, img: '', color: randomColor() }
      const slot: LocalSlot = { socketId, member: { user, sinceMs }, alias: null, onReplaced() {} }
      assignListener(slot)
      return slot
    },
    assignAdmin(slot, admin, isSuper, like) {
      const { user, sinceMs } = slot.member
      const alike = aliases.findIndex(({ img }) => img === like?.img)
      const { name, img } = take(slot, isSuper ? null : alike >= 0 ? alike : leastUsed(usage))
      const { color } = like ?? user
      const shown = { img, color, isAdmin: true }
      slot.member = {
        user: isSuper ? { name, ...shown, isSuperAdmin: true } : { name: adminName(name), ...shown },
        sinceMs,
        admin,
      }
      admins.add(slot)
    },
    assignListener,
    release(slot) {
      if (slot.alias !== null) usage[slot.alias]!--
      if (!admins.delete(slot)) listeners.splice(listeners.lastIndexOf(slot), 1)
    },
    admins: () => [...admins],
    get listenerCount() {
      return listeners.length
    },
    members: (limit) => [...admins, ...listeners.slice(-limit)].map(({ member }) => member),
  }
}

/** A random one of the least used aliases. */
function leastUsed(usage: number[]): number {
  const fewest = Math.min(...usage)
  const candidates = usage.flatMap((count, index) => (count === fewest ? [index] : []))
  return candidates[randomInt(candidates.length)]!
}

function randomColor(): string {
  return `#${randomBytes(3).toString('hex')}`
}
