import { type Bans, type Bus, cleanNickname, Failure, sendCommand } from '@solstice/station'
import type { Handlers } from '../dispatch.ts'

const PAGE = 10
const MAX_PAGE = 100

/** Bans of addresses. @param deps.ipModeration whether bans outlive the process; without that none can be made. */
export function banHandlers(deps: {
  bus: Pick<Bus, 'send'>
  bans: Bans
  ipModeration: boolean
  uidOf: (address: string) => string
}): Pick<
  Handlers,
  'moderator_ban_participant' | 'moderator_get_banlist' | 'moderator_ban_ip' | 'moderator_unban_ip'
> {
  const { bus, bans } = deps
  const requireBans = () => {
    if (!deps.ipModeration) throw new Failure('FEATURE_UNAVAILABLE', { capability: 'ipModeration' })
  }
  /** Takes ordinary guests of a banned address off the air. */
  const expel = (ip: string) => sendCommand(bus, { type: 'ban-uid', uid: deps.uidOf(ip) })

  return {
    moderator_ban_participant: {
      async answer({ admin }, { targetId }) {
        requireBans()
        const { target } = await sendCommand(bus, { type: 'ban-guest', targetId })
        await bans.ban(admin, target.address, target.name)
        await expel(target.address)
        return { ok: true }
      },
    },
    moderator_get_banlist: {
      answer: (_, { offset = 0, limit = PAGE }) =>
        bans.list(Math.max(0, offset), Math.min(Math.max(1, limit), MAX_PAGE)),
    },
    moderator_ban_ip: {
      async answer({ admin }, { ip, nickname }) {
        requireBans()
        const entry = await bans.ban(admin, ip, cleanNickname(nickname ?? ''))
        await expel(entry.ip)
        return { ok: true, entry }
      },
    },
    moderator_unban_ip: {
      async answer({ admin }, { ip }) {
        requireBans()
        await bans.unban(admin, ip)
        return { ok: true }
      },
    },
  }
}
