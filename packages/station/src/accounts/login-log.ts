import { dateNow } from '../core/wall-clock.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AuditRecord, DataStore } from '../ports/data-store.ts'
import type { Log } from '../ports/log.ts'
import { networkOf } from './addresses.ts'
import { findAdmin } from './admins.ts'
import { writeEntry } from './audit.ts'

/** The account of logins that are nobody's. What was typed is not kept: it may be a password. */
export const UNKNOWN_ACCOUNT = 'unknown'

export type LoginOperation = 'admin_login' | 'admin_login_failed' | 'admin_logout'

/**
 * Logins and logouts in the audit log. Those of one account and network within an hour are one entry with a count, and an
 * hour has 40 entries of a kind, then one more for each account, without an address: however many there are, they
 * leave the rest of the log readable.
 */
export interface LoginLog {
  /**
   * Notes it in the background, so that an answer takes as long for every login.
   *
   * @param adminId null = nobody has this login.
   */
  note(operation: LoginOperation, adminId: string | null, address: string): void
  /** Tries once more to write what is not written yet; the rest is told to the log of the process. */
  close(): Promise<void>
}

/** What happened since the last write, of one account and network. */
interface CountedLogins {
  operationType: LoginOperation
  adminId: string
  /** The first address of the network; null = of several networks. */
  ip: string | null
  count: number
  /** By the wall clock, epoch ms. */
  firstAt: number
  lastAt: number
}

const PERIOD_MS = 60 * 60_000
const MAX_PER_PERIOD = 40
const RETRY_MS = 5_000

/** @param deps.isOn whether there is an audit log in this configuration. */
export function createLoginLog(deps: {
  data: Pick<DataStore, 'audit' | 'admins'>
  superAdmin: { login: string } | null
  announcer: Pick<Announcer, 'tell'>
  clock: WallClock
  isOn: boolean
  log: Log
}): LoginLog {
  const { data, superAdmin, clock, log } = deps
  const waiting = new Map<string, CountedLogins>()
  let writing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const gather = (noted: CountedLogins): void => {
    const { operationType, adminId } = noted
    const keyOf = (ip: string | null) => `${operationType} ${adminId} ${ip && networkOf(ip)}`
    const hasRoom = waiting.has(keyOf(noted.ip)) || waiting.size < MAX_PER_PERIOD
    const ip = hasRoom ? noted.ip : null
    const { count, firstAt, lastAt } = waiting.get(keyOf(ip)) ?? { ...noted, count: 0 }
    waiting.set(keyOf(ip), {
      ...noted,
      ip,
      count: count + noted.count,
      firstAt: Math.min(firstAt, noted.firstAt),
      lastAt: Math.max(lastAt, noted.lastAt),
    })
  }

  const write = async (noted: CountedLogins): Promise<void> => {
    const { operationType, adminId, count, firstAt, lastAt } = noted
    for (;;) {
      const { entry, ip } = await placeOf(data, noted)
      if (entry) {
        const { id, revision, data: about } = entry
        const counted = { ...about, count: Number(about.count) + count, lastAt }
        const change = { revision: (revision ?? 0) + 1, data: counted as AuditRecord['data'] }
        if ((await data.audit.update({ id, revision }, change)) > 0) return
      } else {
        const adminLogin = (await findAdmin(data, superAdmin, adminId))?.login ?? UNKNOWN_ACCOUNT
        const about: Record<string, unknown> = { ip, count, lastAt }
        await writeEntry(deps, { adminId, adminLogin, operationType, createdAt: firstAt, data: about })
        return
      }
    }
  }

  const writeAll = async (): Promise<void> => {
    for (let [first] = waiting; first; [first] = waiting) {
      const [key, noted] = first
      waiting.delete(key)
      try {
        await write(noted)
      } catch (err) {
        log.warn({ err }, 'logins wait for the audit log')
        gather(noted)
        return
      }
    }
  }
  const begin = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = null
      if (waiting.size > 0) timer = setTimeout(begin, RETRY_MS).unref()
    })
    return writing
  }

  return {
    note(operationType, adminId, address) {
      if (!deps.isOn) return
      const now = dateNow(clock)
      const account = adminId ?? UNKNOWN_ACCOUNT
      gather({ operationType, adminId: account, ip: address, count: 1, firstAt: now, lastAt: now })
      // While the store is away everything waits for the next try.
      if (timer === undefined) void begin()
    },
    async close() {
      await writing
      if (waiting.size > 0) await begin()
      clearTimeout(timer)
      if (waiting.size > 0) log.warn({ noted: [...waiting.values()] }, 'the audit log lacks logins')
    },
  }
}

/** An entry that counts. */
type Counting = AuditRecord & { data: Record<string, unknown> }

/** The entry that counts it, if there is one, else the address of the one that is to be made. */
async function placeOf(
  data: Pick<DataStore, 'audit'>,
  { operationType, adminId, ip, lastAt }: CountedLogins,
): Promise<{ entry: Counting | undefined; ip: string | null }> {
  const found: readonly Counting[] = await data.audit.find({ operationType })
  // A clock that was set back leaves entries of the future.
  const entries = found.filter(({ createdAt }) => Math.abs(lastAt - createdAt) < PERIOD_MS)
  const networkIn = (value: unknown) => (typeof value === 'string' ? networkOf(value) : null)
  const of = (network: string | null) =>
    entries.find((entry) => entry.adminId === adminId && networkIn(entry.data.ip) === network)
  const own = of(networkIn(ip))
  if (own || entries.length < MAX_PER_PERIOD) return { entry: own, ip }
  return { entry: of(null), ip: null }
}
