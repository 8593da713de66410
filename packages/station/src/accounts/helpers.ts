import { randomUUID } from 'node:crypto'
import { privileges as allPrivileges, type HelperAdmin, type Privilege } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Actor, Passwords } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AdminRecord, DataStore } from '../ports/data/data-store.ts'
import { type Audit, changedFields } from './audit.ts'
import { loginKey, loginTaken, readLogin, refuseWeak } from './credentials.ts'
import type { SuperAdmin } from './log-in.ts'
import type { Sessions } from './sessions.ts'

/** How long a temporary password may wait to be replaced; then its account goes. */
const ACTIVATION_LIMIT_MS = 24 * 60 * 60 * 1000

export interface AccountDeps {
  data: Pick<DataStore, 'admins'>
  superAdmin: Pick<SuperAdmin, 'login'> | null
  passwords: Passwords
  sessions: Pick<Sessions, 'endAll'>
  audit: Audit
  announcer: Announcer
  clock: WallClock
}

export async function listHelpers(data: AccountDeps['data']): Promise<HelperAdmin[]> {
  return (await data.admins.find()).map(shown)
}

/** @throws Failure NOT_FOUND when no helper has this id. */
export async function findHelper(data: AccountDeps['data'], adminId: string): Promise<HelperAdmin> {
  return shown(await findRecord(data, adminId))
}

/** Creates a helper, who has 24 h to replace the temporary password. @throws Failure BAD_REQUEST */
export async function createHelper(
  deps: AccountDeps,
  by: Actor,
  asked: { login: string; password: string; privileges: string[] },
): Promise<HelperAdmin> {
  const { data, passwords, audit, clock } = deps
  const names = await readFreeLogin(deps, { text: asked.login, field: 'login' })
  refuseWeak(asked.password, 'password')
  const now = dateNow(clock)
  const record = await data.admins.insert({
    adminId: randomUUID(),
    ...names,
    privileges: known(asked.privileges),
    authorized: false,
    createdAt: now,
    updatedAt: now,
    passwordHash: await passwords.hash(asked.password),
    temporarySinceMs: clock.nowMs(),
  })
  if (!record) throw loginTaken('login')
  await audit.record(by, 'admin_create', { login: record.login, adminId: record.adminId })
  return shown(record)
}

/** @throws Failure NOT_FOUND */
export async function deleteHelper(deps: AccountDeps, by: Actor, adminId: string): Promise<void> {
  const { data, audit, announcer } = deps
  const { login } = await findRecord(data, adminId)
  if ((await data.admins.delete({ adminId })) === 0) throw new Failure('NOT_FOUND')
  announcer.accountChanged({ adminId, kind: 'deleted' })
  await audit.record(by, 'admin_delete', { login, targetAdminId: adminId })
}

/** @throws Failure NOT_FOUND */
export async function setPrivileges(
  deps: AccountDeps,
  by: Actor,
  { adminId, wanted }: { adminId: string; wanted: string[] },
): Promise<Privilege[]> {
  const { data, audit, announcer, clock } = deps
  const before = await findRecord(data, adminId)
  const privileges = known(wanted)
  if ((await data.admins.update({ adminId }, { privileges, updatedAt: dateNow(clock) })) === 0)
    throw new Failure('NOT_FOUND')
  announcer.accountChanged({ adminId, kind: 'privileges' })
  const about = { targetAdminId: adminId, login: before.login, privileges }
  const changes = changedFields({ privileges: before.privileges }, { privileges }, ['privileges'])
  await audit.record(by, 'admin_privileges', about, { changes })
  return privileges
}

/** Sets a temporary password and ends all sessions of the account. @throws Failure NOT_FOUND, BAD_REQUEST */
export async function resetPassword(
  deps: AccountDeps,
  by: Actor,
  { adminId, newPassword }: { adminId: string; newPassword: string },
): Promise<void> {
  const { data, passwords, sessions, audit, announcer, clock } = deps
  const { login } = await findRecord(data, adminId)
  refuseWeak(newPassword, 'newPassword')
  const passwordHash = await passwords.hash(newPassword)
  const change = {
    passwordHash,
    authorized: false,
    temporarySinceMs: clock.nowMs(),
    updatedAt: dateNow(clock),
  }
  if ((await data.admins.update({ adminId }, change)) === 0) throw new Failure('NOT_FOUND')
  announcer.accountChanged({ adminId, kind: 'password-reset' })
  await sessions.endAll(adminId, null)
  await audit.record(by, 'admin_password_reset', { targetAdminId: adminId, login })
}

/** Removes helpers who did not activate their account in time, and logs them out. @returns how many. */
export async function purgeAccounts(
  deps: { data: Pick<DataStore, 'admins'>; announcer: Announcer },
  nowMs: number,
): Promise<number> {
  const { data, announcer } = deps
  let removed = 0
  for (const { adminId, temporarySinceMs } of await data.admins.find({ authorized: false })) {
    if (nowMs < temporarySinceMs + ACTIVATION_LIMIT_MS) continue
    // Compare-and-delete: the account may be activated, or get another day, at this moment.
    if ((await data.admins.delete({ adminId, authorized: false, temporarySinceMs })) === 0) continue
    announcer.accountChanged({ adminId, kind: 'deleted' })
    removed++
  }
  return removed
}

/**
 * A login that neither a helper nor the super admin has.
 *
 * @param wanted.ownId the account that may have it already. @throws Failure BAD_REQUEST of `wanted.field`
 */
export async function readFreeLogin(
  { data, superAdmin }: Pick<AccountDeps, 'data' | 'superAdmin'>,
  wanted: { text: string; field: string; ownId?: string },
): Promise<{ login: string; loginKey: string }> {
  const { text, field, ownId } = wanted
  const names = readLogin(text, field)
  const [holder] = await data.admins.find({ loginKey: names.loginKey })
  const isOfSuperAdmin = superAdmin !== null && names.loginKey === loginKey(superAdmin.login)
  if (isOfSuperAdmin || (holder && holder.adminId !== ownId)) throw loginTaken(field)
  return names
}

async function findRecord(data: AccountDeps['data'], adminId: string): Promise<AdminRecord> {
  const record = await data.admins.get(adminId)
  if (!record) throw new Failure('NOT_FOUND')
  return record
}

/** The known ones among the wanted privileges, in their order; every helper may see the statistics. */
function known(wanted: readonly string[]): Privilege[] {
  return allPrivileges.filter((privilege) => privilege === 'stats' || wanted.includes(privilege))
}

/** The record without its hash. */
function shown(record: Readonly<AdminRecord>): HelperAdmin {
  const { adminId, login, privileges, authorized, createdAt, updatedAt } = record
  return { adminId, login, privileges: [...privileges], authorized, createdAt, updatedAt }
}
