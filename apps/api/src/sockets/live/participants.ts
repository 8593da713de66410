import type { LiveRole } from '@solstice/contracts'
import { isHostOnline, liveRoster, type PlayoutState } from '@solstice/playout'
import { type Admin, type Audit, type Bus, holds, sendCommand } from '@solstice/station'
import type { Handlers, Visitor } from '../dispatch.ts'

/** Muting, removing and admitting people on the air, by hosts and moderators. @param deps.now the newest state; null before any. */
export function participantHandlers(deps: {
  now: () => PlayoutState | null
  bus: Pick<Bus, 'send'>
  audit: Audit
}): Pick<
  Handlers,
  | 'host_guest_mute'
  | 'host_guest_kick'
  | 'admin_guest_action'
  | 'moderator_get_live_roster'
  | 'moderator_mute'
  | 'moderator_kick'
> {
  const { now, bus } = deps
  const mute = (by: 'host' | 'moderator') => ({
    async answer(_: Visitor, { targetId, muted }: { targetId: string; muted: boolean }) {
      await sendCommand(bus, { type: 'mute', targetId, isMuted: muted, by })
      return { ok: true as const }
    },
  })
  const kick = (by: 'host' | 'moderator') => ({
    async answer({ admin }: { admin: Admin }, { targetId }: { targetId: string }) {
      const { target } = await sendCommand(bus, { type: 'kick', targetId, by })
      await deps.audit.record(admin, ...kickEntry(target))
      return { ok: true as const }
    },
  })

  return {
    host_guest_mute: mute('host'),
    host_guest_kick: kick('host'),
    admin_guest_action: {
      async answer(_, { uid, action }) {
        await sendCommand(bus, { type: 'answer-guest', uid, action })
        return { ok: true }
      },
    },
    moderator_get_live_roster: {
      answer({ admin }) {
        const state = now()
        const maySee = holds(admin, 'radio_moderator')
        return {
          roster: state && maySee ? liveRoster(state) : [],
          hostsOnline: state !== null && isHostOnline(state),
        }
      },
    },
    moderator_mute: mute('moderator'),
    moderator_kick: kick('moderator'),
  }
}

/** The audit entry of taking somebody off the air. */
function kickEntry(target: {
  name: string
  address: string
  role: LiveRole
}): [operation: string, about: Record<string, unknown>] {
  const { name: nickname, address: ip, role } = target
  return role === 'host' ? ['participant_kick', { nickname, role }] : ['guest_kick', { nickname, ip, role }]
}
