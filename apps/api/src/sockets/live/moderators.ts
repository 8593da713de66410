import { randomBytes } from 'node:crypto'
import type { Ack } from '@solstice/contracts'
import { isHostOnline, liveRoster, type PlayoutState, shownCode } from '@solstice/playout'
import {
  type Admin,
  type Audit,
  type Bans,
  type Bus,
  cleanNickname,
  dateOf,
  Failure,
  holds,
  sendCommand,
  type WallClock,
} from '@solstice/station'
import type { Handlers } from '../dispatch.ts'
import { kicked } from './hosts.ts'

const PAGE = 10
const MAX_PAGE = 100
const HOUR_MS = 3_600_000
const CODE_HOURS = { usual: 8, least: 1, most: 168 }

/**
 * What those may do who look after the people on the air.
 *
 * @param deps.now the newest state; null before any.
 * @param deps.ipModeration whether bans outlive the process; they cannot be made otherwise.
 */
export function moderatorHandlers(deps: {
  now: () => PlayoutState | null
  clock: WallClock
  bus: Pick<Bus, 'send'>
  audit: Audit
  bans: Bans
  ipModeration: boolean
  uidOf: (address: string) => string
}): Pick<
  Handlers,
  | 'moderator_get_guest_code'
  | 'moderator_generate_guest_code'
  | 'moderator_regenerate_guest_code'
  | 'moderator_deactivate_guest_code'
  | 'moderator_get_live_roster'
  | 'moderator_mute'
  | 'moderator_kick'
  | 'moderator_ban_participant'
  | 'moderator_get_banlist'
  | 'moderator_ban_ip'
  | 'moderator_unban_ip'
> {
  const { now, clock, bus, audit, bans } = deps

  const makeCode = async (
    admin: Admin,
    ttlHours: number | undefined,
    isReplacing: boolean,
  ): Promise<Ack<'moderator_generate_guest_code'>> => {
    const { usual, least, most } = CODE_HOURS
    const hours = Math.min(most, Math.max(least, ttlHours ?? usual))
    const code = newCode()
    const command = { type: 'set-code', code, lifeMs: hours * HOUR_MS, isReplacing } as const
    const { expiresAtMs } = await sendCommand(bus, command)
    const operation = isReplacing ? 'guest_code_regenerate' : 'guest_code_generate'
    await audit.record(admin, operation, { ttlHours: hours })
    return { ok: true, code, expiresAt: dateOf(clock, expiresAtMs ?? clock.nowMs()) }
  }

  const requireBans = () => {
    if (!deps.ipModeration) throw new Failure('FEATURE_UNAVAILABLE', { capability: 'ipModeration' })
  }
  /** Takes ordinary guests off the air who come from where an address is banned. */
  const expel = (ip: string) => sendCommand(bus, { type: 'ban-uid', uid: deps.uidOf(ip) })

  return {
    moderator_get_guest_code: {
      answer() {
        const state = now()
        return state ? shownCode(state, clock.nowMs(), clock.aheadMs()) : { code: null }
      },
    },
    moderator_generate_guest_code: {
      answer: ({ admin }, { ttlHours }) => makeCode(admin, ttlHours, false),
    },
    moderator_regenerate_guest_code: {
      answer: ({ admin }, { ttlHours }) => makeCode(admin, ttlHours, true),
    },
    moderator_deactivate_guest_code: {
      async answer({ admin }) {
        const isThere = now()?.live.code != null
        await sendCommand(bus, { type: 'set-code', code: null, lifeMs: 0, isReplacing: true })
        if (isThere) await audit.record(admin, 'guest_code_deactivate', {})
        return { ok: true }
      },
    },
    moderator_get_live_roster: {
      answer({ admin }) {
        const state = now()
        const mayKnow = holds(admin, 'radio_moderator')
        return {
          roster: state && mayKnow ? liveRoster(state) : [],
          hostsOnline: state !== null && isHostOnline(state),
        }
      },
    },
    moderator_mute: {
      async answer(_, { targetId, muted }) {
        await sendCommand(bus, { type: 'mute', targetId, isMuted: muted, by: 'moderator' })
        return { ok: true }
      },
    },
    moderator_kick: {
      async answer({ admin }, { targetId }) {
        const { target } = await sendCommand(bus, { type: 'kick', targetId, by: 'moderator' })
        await audit.record(admin, ...kicked(target))
        return { ok: true }
      },
    },
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

/** What special guests show to be let in: 12 characters, easily typed. */
function newCode(): string {
  return randomBytes(9).toString('base64').replaceAll('+', '0').replaceAll('/', '1')
}
