import type { LiveRole } from '@solstice/contracts'
import { isHost } from '../model/live-state.ts'
import type { PlayoutState } from '../model/state.ts'

/** Limits for each role, even when there are slots for more (rule H1). */
const MAX_OF_ROLE: Record<LiveRole, number> = { host: 2, specialGuest: 1, guest: 1 }

/**
 * Rule H1: true if there is a slot for one more of a role. The caller's own approval does not count.
 *
 * @param socketId the socket that wants the slot; absent = any.
 */
export function hasSlot({ live, hosting }: PlayoutState, role: LiveRole, socketId?: string): boolean {
  const { participants } = live
  const approvals = live.approvals.filter((approval) => approval.socketId !== socketId)
  const isFirstHost = role === 'host' && !participants.some(isHost)
  const holders = isFirstHost ? participants : [...participants, ...approvals]
  return (
    holders.length < hosting.slots &&
    holders.filter((holder) => holder.role === role).length < MAX_OF_ROLE[role]
  )
}
