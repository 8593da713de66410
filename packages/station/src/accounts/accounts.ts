import { randomUUID } from 'node:crypto'
import { privileges as allPrivileges, type HelperAdmin, type Privilege } from '@solstice/contracts'
import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { Actor } from '../ports/actor.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { WallClock } from '../ports/bus.ts'
import type { AdminRecord, DataStore } from '../ports/data-store.ts'
import type { Passwords } from '../ports/outside.ts'
import { type Admin, findAdmin, SUPER_ADMIN_ID } from './admins.ts'
import { type Audit, changedFields } from './audit.ts'
import type { LoggedIn, Sessions } from './sessions.ts'

/** A temporary password that nobody replaced for so long takes its account with it. */
const ACTIVATION_LIMIT_MS = 24 * 60 * 60 * 1000

/** What admins do with accounts. Refusals of what was sent are Failure BAD_REQUEST with the field and the reason. */
export interface Accounts {
  /** The account of a login, also when nobody may log in to it. */
  idOf(login: string): Promise<string | null>
  /** @throws Failure INVALID_CREDENTIALS, after as much work as a right password makes. */
  logIn(login: string, password: string): Promise<Admin>
  list(): Promise<HelperAdmin[]>
  /** @throws Failure NOT_FOUND when no helper has this id. */
  find(adminId: string): Promise<HelperAdmin>
  /** The password is temporary: the helper has 24 h to replace it. */
  create(by: Actor, asked: { login: string; password: string; privileges: string[] }): Promise<HelperAdmin>
  /** @throws Failure NOT_FOUND, as the two below. */
  delete(by: Actor, adminId: string): Promise<void>
  setPrivileges(by: Actor, adminId: string, wanted: string[]): Promise<Privilege[]>
  /** All sessions of the account end. */
  resetPassword(by: Actor, adminId: string, newPassword: string): Promise<void>
  /** @throws Failure UNAUTHORIZED when the own account is gone meanwhile, as the two below. */
  activate(self: LoggedIn, tempPassword: string, newPassword: string): Promise<void>
  changeLogin(self: LoggedIn, newLogin: string, currentPassword: string): Promise<void>
  /** All other sessions of the account end, as with the activation. */
  changePassword(self: LoggedIn, currentPassword: string, newPassword: string): Promise<void>
}

/** @param deps.superAdmin from the configuration, which alone changes it; `pass` is plain text unless it is hashed. */
export async function createAccounts(deps: {
  data: Pick<DataStore, 'admins'>
  superAdmin: { login: string; pass: string; isHashed: boolean } | null
  passwords: Passwords
  sessions: Pick<Sessions, 'endAll'>
  audit: Audit
  announcer: Announcer
  clock: WallClock
}): Promise<Accounts> {
  const { data, superAdmin, passwords, sessions, audit, announcer, clock } = deps
  const superKey = superAdmin && loginKey(superAdmin.login)
  const superHash =
    superAdmin && (superAdmin.isHashed ? superAdmin.pass : await passwords.hash(superAdmin.pass))
  const nowMs = () => dateNow(clock)

  /** The login as it is kept. A name is taken once, whatever its case, by helpers and the super admin alike. */
  const readLogin = async (text: string, field: string, ownId?: string) => {
    const login = text.normalize('NFC').trim()
    if (!LOGIN.test(login)) throw new Failure('BAD_REQUEST', { field, reason: 'login_invalid' })
    const key = loginKey(login)
    const [holder] = await data.admins.find({ loginKey: key })
    if (key === superKey || (holder && holder.adminId !== ownId)) throw loginTaken(field)
    return { login, loginKey: key }
  }

  const find = async (adminId: string): Promise<AdminRecord> => {
    const record = await data.admins.get(adminId)
    if (!record) throw new Failure('NOT_FOUND')
    return record
  }

  const ownRecord = async ({ adminId }: Admin): Promise<AdminRecord> => {
    if (adminId === SUPER_ADMIN_ID)
      throw new Failure('BAD_REQUEST', { field: 'account', reason: 'super_admin' })
    const record = await data.admins.get(adminId)
    if (!record) throw new Failure('UNAUTHORIZED')
    return record
  }

  const prove = async ({ passwordHash }: AdminRecord, password: string, field: string) => {
    if (!(await passwords.isRight(password, passwordHash))) throw passwordWrong(field)
  }

  /** Changes a record whose password is still the one that was proven; another was set meanwhile otherwise. */
  const change = async (proven: AdminRecord, field: string, changes: Partial<AdminRecord>) => {
    const { adminId, passwordHash } = proven
    if ((await data.admins.update({ adminId, passwordHash }, { ...changes, updatedAt: nowMs() })) === 0)
      throw passwordWrong(field)
  }

  return {
    async idOf(login) {
      const key = loginKey(login)
      if (key === superKey) return SUPER_ADMIN_ID
      const [helper] = await data.admins.find({ loginKey: key })
      return helper?.adminId ?? null
    },

    async logIn(login, password) {
      const key = loginKey(login)
      const [helper] = await data.admins.find({ loginKey: key })
      // Both every time, so that the time of an answer does not tell whose login it is, or whether it is anybody's.
      const [isOfSuperAdmin, isOfHelper] = await Promise.all([
        passwords.isRight(password, superHash),
        passwords.isRight(password, helper?.passwordHash ?? null),
      ])
      const adminId =
        isOfSuperAdmin && key === superKey ? SUPER_ADMIN_ID : isOfHelper ? helper?.adminId : undefined
      const admin = adminId === undefined ? null : await findAdmin(data, superAdmin, adminId)
      if (!admin) throw new Failure('INVALID_CREDENTIALS')
      return admin
    },

    async list() {
      return (await data.admins.find()).map(shown)
    },

    async find(adminId) {
      return shown(await find(adminId))
    },

    async create(by, asked) {
      const names = await readLogin(asked.login, 'login')
      refuseWeak(asked.password, 'password')
      const now = nowMs()
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
    },

    async delete(by, adminId) {
      const { login } = await find(adminId)
      if ((await data.admins.delete({ adminId })) === 0) throw new Failure('NOT_FOUND')
      announcer.accountChanged({ adminId, kind: 'deleted' })
      await audit.record(by, 'admin_delete', { login, targetAdminId: adminId })
    },

    async setPrivileges(by, adminId, wanted) {
      const before = await find(adminId)
      const privileges = known(wanted)
      if ((await data.admins.update({ adminId }, { privileges, updatedAt: nowMs() })) === 0)
        throw new Failure('NOT_FOUND')
      announcer.accountChanged({ adminId, kind: 'privileges' })
      const about = { targetAdminId: adminId, login: before.login, privileges }
      const changes = changedFields({ privileges: before.privileges }, { privileges }, ['privileges'])
      await audit.record(by, 'admin_privileges', about, { changes })
      return privileges
    },

    async resetPassword(by, adminId, newPassword) {
      const { login } = await find(adminId)
      refuseWeak(newPassword, 'newPassword')
      const passwordHash = await passwords.hash(newPassword)
      const now = nowMs()
      const changes = { passwordHash, authorized: false, temporarySinceMs: clock.nowMs(), updatedAt: now }
      if ((await data.admins.update({ adminId }, changes)) === 0) throw new Failure('NOT_FOUND')
      announcer.accountChanged({ adminId, kind: 'password-reset' })
      await sessions.endAll(adminId, null)
      await audit.record(by, 'admin_password_reset', { targetAdminId: adminId, login })
    },

    async activate(self, tempPassword, newPassword) {
      const own = await ownRecord(self)
      const { adminId, login } = own
      if (own.authorized) throw new Failure('BAD_REQUEST', { field: 'account', reason: 'already_active' })
      await prove(own, tempPassword, 'tempPassword')
      refuseWeak(newPassword, 'newPassword')
      const passwordHash = await passwords.hash(newPassword)
      await change(own, 'tempPassword', { passwordHash, authorized: true })
      await sessions.endAll(adminId, self.session.id)
      announcer.accountChanged({ adminId, kind: 'privileges' })
      announcer.tell('super-admin', 'admin_authorized', { adminId, login, authorized: true })
      await audit.record(self, 'admin_activate', { login })
    },

    async changeLogin(self, newLogin, currentPassword) {
      const own = await ownRecord(self)
      await prove(own, currentPassword, 'currentPassword')
      const names = await readLogin(newLogin, 'newLogin', self.adminId)
      try {
        await change(own, 'currentPassword', names)
      } catch (error) {
        // Another replica may have given the name away meanwhile; the store takes it once.
        await readLogin(newLogin, 'newLogin', self.adminId)
        throw error
      }
      await audit.record(self, 'admin_login_change', { newLogin: names.login })
    },

    async changePassword(self, currentPassword, newPassword) {
      const own = await ownRecord(self)
      await prove(own, currentPassword, 'currentPassword')
      refuseWeak(newPassword, 'newPassword')
      await change(own, 'currentPassword', { passwordHash: await passwords.hash(newPassword) })
      await sessions.endAll(self.adminId, self.session.id)
      await audit.record(self, 'admin_password_change', {})
    },
  }
}

/** Removes helpers that have waited for their activation too long, logs them out, and says how many they were. */
export async function purgeAccounts(
  deps: { data: Pick<DataStore, 'admins'>; announcer: Announcer },
  nowMs: number,
): Promise<number> {
  const { data, announcer } = deps
  let removed = 0
  for (const { adminId, temporarySinceMs } of await data.admins.find({ authorized: false })) {
    if (nowMs < temporarySinceMs + ACTIVATION_LIMIT_MS) continue
    // Only as it was found: it may be activated, or get another day, in this moment.
    if ((await data.admins.delete({ adminId, authorized: false, temporarySinceMs })) === 0) continue
    announcer.accountChanged({ adminId, kind: 'deleted' })
    removed++
  }
  return removed
}

/** Letters, digits, signs and spaces; nothing invisible, nothing that turns the direction of writing. */
const LOGIN = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u

/** In which logins are compared: whatever its case and form, a name is taken once. */
export function loginKey(login: string): string {
  return login.normalize('NFKC').trim().toLowerCase()
}

function loginTaken(field: string): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'login_taken' })
}

function passwordWrong(field: string): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'password_wrong' })
}

/** At least 8 characters, with an upper-case and a lower-case letter and a digit. */
export function isStrongPassword(password: string): boolean {
  return [/^.{8,}$/su, /\p{Lu}/u, /\p{Ll}/u, /\p{Nd}/u].every((rule) => rule.test(password))
}

function refuseWeak(password: string, field: string): void {
  if (!isStrongPassword(password)) throw new Failure('BAD_REQUEST', { field, reason: 'password_weak' })
}

/** Those that there are, in their order; every helper may see the statistics. */
function known(wanted: readonly string[]): Privilege[] {
  return allPrivileges.filter((privilege) => privilege === 'stats' || wanted.includes(privilege))
}

/** Without the hash. */
function shown(record: Readonly<AdminRecord>): HelperAdmin {
  const { adminId, login, privileges, authorized, createdAt, updatedAt } = record
  return { adminId, login, privileges: [...privileges], authorized, createdAt, updatedAt }
}
