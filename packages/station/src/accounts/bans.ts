import type { BanEntry } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { BanRecord, DataStore } from '../ports/data/data-store.ts'
import { networkOf, readAddress } from './addresses.ts'
import type { Audit } from './audit.ts'

/** Addresses banned from the air. An IPv6 address stands for its /64. */
export interface Bans {
  isBanned(address: string): Promise<boolean>
  /** Newest first. */
  list(offset: number, limit: number): Promise<{ list: BanEntry[]; total: number }>
  /** Bans an address; an earlier ban of it is replaced. @throws Failure BAD_REQUEST when the text is no address. */
  ban(by: Actor, ip: string, nickname: string): Promise<BanEntry>
  /** @throws Failure BAD_REQUEST as above, NOT_FOUND when it was not banned. */
  unban(by: Actor, ip: string): Promise<void>
}

export function createBans(deps: {
  data: Pick<DataStore, 'bans'>
  audit: Audit
  announcer: Pick<Announcer, 'tell'>
  clock: WallClock
}): Bans {
  const { data, audit, clock } = deps
  const tellModerators = () => deps.announcer.tell({ privilege: 'radio_moderator' }, 'moderator_bans_updated')
  return {
    isBanned: async (address) => (await data.bans.get(networkOf(address))) !== null,

    async list(offset, limit) {
      const all = [...(await data.bans.find())].toReversed().sort((a, b) => b.bannedAt - a.bannedAt)
      return { list: all.slice(offset, offset + limit).map(onTheWire), total: all.length }
    },

    async ban(by, text, nickname) {
      const ip = read(text)
      const entry = { ip, nickname, bannedAt: dateNow(clock), bannedBy: by.login }
      await data.bans.put({ network: networkOf(ip), ...entry })
      tellModerators()
      await audit.record(by, 'guest_ban', { ip, nickname })
      return entry
    },

    async unban(by, text) {
      const ip = read(text)
      if ((await data.bans.delete({ network: networkOf(ip) })) === 0) throw new Failure('NOT_FOUND')
      tellModerators()
      await audit.record(by, 'guest_unban', { ip })
    },
  }
}

function read(text: string): string {
  const address = readAddress(text.trim())
  if (address === null) throw new Failure('BAD_REQUEST', { field: 'ip', reason: 'not_an_ip' })
  return address
}

function onTheWire({ network: _, ...entry }: BanRecord): BanEntry {
  return entry
}
