import { dateNow } from '../core/wall-clock.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AuditRecord, DataStore } from '../ports/data/data-store.ts'
import type { Log } from '../ports/log.ts'
import { networkOf } from './addresses.ts'
import { findAdmin } from './admins.ts'
import { writeEntry } from './audit.ts'

/** Stands for the account of a login that nobody has. The text itself is not stored: it may be a password. */
export const UNKNOWN_ACCOUNT = 'unknown'

export type LoginOperation = 'admin_login' | 'admin_login_failed' | 'admin_logout'

/**
 * Logins and logouts in the audit log. Those of one account and network within an hour are one entry with a count; an
 * hour has 40 entries of a kind, then one more for each account, without an address. So the rest of the log stays
 * readable, however many there are.
 */
export interface LoginLog {
  /**
   * Records a login in the background, so that the response time is the same for every login.
   *
   * @param adminId null = nobody has this login.
   */
  note(operation: LoginOperation, adminId: string | null, address: string): void
  /** Tries once more to write what is pending; entries that cannot be written go to the process's log. */
  close(): Promise<void>
}

/** Logins of one account and network since the last write. */
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

interface LoginLogDeps {
  data: Pick<DataStore, 'audit' | 'admins'>
  superAdmin: { login: string } | null
  announcer: Pick<Announcer, 'tell'>
  clock: WallClock
  isOn: boolean
  log: Log
}

const PERIOD_MS = 60 * 60_000
const MAX_PER_PERIOD = 40
const RETRY_MS = 5_000

/** @param deps.isOn whether there is an audit log in this configuration. */
export function createLoginLog(deps: LoginLogDeps): LoginLog {
  const { clock, log } = deps
  const pending = new Map<string, CountedLogins>()
  let writing: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined

  const writeAll = async (): Promise<void> => {
    for (let [first] = pending; first; [first] = pending) {
      const [key, logins] = first
      pending.delete(key)
      try {
        await write(deps, logins)
      } catch (err) {
        log.warn({ err }, 'login entries not written; retrying')
        addTo(pending, logins)
        return
      }
    }
  }
  const begin = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = null
      if (pending.size > 0) timer = setTimeout(begin, RETRY_MS).unref()
    })
    return writing
  }

  return {
    note(operationType, adminId, address) {
      if (!deps.isOn) return
      const now = dateNow(clock)
      const account = adminId ?? UNKNOWN_ACCOUNT
      addTo(pending, { operationType, adminId: account, ip: address, count: 1, firstAt: now, lastAt: now })
      // While the store is away everything waits for the next try.
      if (timer === undefined) void begin()
    },
    async close() {
      await writing
      if (pending.size > 0) await begin()
      clearTimeout(timer)
      if (pending.size > 0) log.warn({ logins: [...pending.values()] }, 'login entries lost')
    },
  }
}

/** Adds logins to the pending ones of their account and network, or of the account when there are too many networks. */
function addTo(pending: Map<string, CountedLogins>, logins: CountedLogins): void {
  const { operationType, adminId } = logins
  const keyOf = (ip: string | null) => `${operationType} ${adminId} ${ip && networkOf(ip)}`
  const hasRoom = pending.has(keyOf(logins.ip)) || pending.size < MAX_PER_PERIOD
  const ip = hasRoom ? logins.ip : null
  const { count, firstAt, lastAt } = pending.get(keyOf(ip)) ?? { ...logins, count: 0 }
  pending.set(keyOf(ip), {
    ...logins,
    ip,
    count: count + logins.count,
    firstAt: Math.min(firstAt, logins.firstAt),
    lastAt: Math.max(lastAt, logins.lastAt),
  })
}

/** Adds logins to the entry that counts them, by compare-and-set, or writes a new one. */
async function write(deps: LoginLogDeps, logins: CountedLogins): Promise<void> {
  const { data, superAdmin } = deps
  const { operationType, adminId, count, firstAt, lastAt } = logins
  for (;;) {
    const { entry, ip } = await placeOf(data, logins)
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
/** An entry with a count. */
type Counting = AuditRecord & { data: Record<string, unknown> }

/** The entry that counts these logins, or else the address for a new one. */
async function placeOf(
  data: Pick<DataStore, 'audit'>,
  { operationType, adminId, ip, lastAt }: CountedLogins,
): Promise<{ entry: Counting | undefined; ip: string | null }> {
  const found: readonly Counting[] = await data.audit.find({ operationType })
  // A clock that was set back leaves entries from the future.
  const entries = found.filter(({ createdAt }) => Math.abs(lastAt - createdAt) < PERIOD_MS)
  const networkIn = (value: unknown) => (typeof value === 'string' ? networkOf(value) : null)
  const of = (network: string | null) =>
    entries.find((entry) => entry.adminId === adminId && networkIn(entry.data.ip) === network)
  const own = of(networkIn(ip))
  if (own || entries.length < MAX_PER_PERIOD) return { entry: own, ip }
  return { entry: of(null), ip: null }
}
