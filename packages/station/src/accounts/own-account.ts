import { Failure } from '../core/failure.ts'
import { dateNow } from '../core/wall-clock.ts'
import type { AdminRecord } from '../ports/data/data-store.ts'
import { type Admin, SUPER_ADMIN_ID } from './admins.ts'
import { refuseWeak } from './credentials.ts'
import { type AccountDeps, readFreeLogin } from './helpers.ts'
import type { LoggedIn } from './sessions.ts'

/** Replaces a temporary password; all other sessions of the account end. @throws Failure UNAUTHORIZED, BAD_REQUEST */
export async function activate(
  deps: AccountDeps,
  self: LoggedIn,
  { tempPassword, newPassword }: { tempPassword: string; newPassword: string },
): Promise<void> {
  const { passwords, sessions, announcer, audit } = deps
  const own = await ownRecord(deps, self)
  const { adminId, login } = own
  if (own.authorized) throw new Failure('BAD_REQUEST', { field: 'account', reason: 'already_active' })
  await prove(deps, own, { password: tempPassword, field: 'tempPassword' })
  refuseWeak(newPassword, 'newPassword')
  const passwordHash = await passwords.hash(newPassword)
  await change(deps, own, { field: 'tempPassword', changes: { passwordHash, authorized: true } })
  await sessions.endAll(adminId, self.session.id)
  announcer.accountChanged({ adminId, kind: 'privileges' })
  announcer.tell('super-admin', 'admin_authorized', { adminId, login, authorized: true })
  await audit.record(self, 'admin_activate', { login })
}

/** @throws Failure UNAUTHORIZED, BAD_REQUEST */
export async function changeLogin(
  deps: AccountDeps,
  self: LoggedIn,
  { newLogin, currentPassword }: { newLogin: string; currentPassword: string },
): Promise<void> {
  const own = await ownRecord(deps, self)
  await prove(deps, own, { password: currentPassword, field: 'currentPassword' })
  const wanted = { text: newLogin, field: 'newLogin', ownId: self.adminId }
  const names = await readFreeLogin(deps, wanted)
  try {
    await change(deps, own, { field: 'currentPassword', changes: names })
  } catch (error) {
    // Another replica may have given the name away meanwhile; the store takes it once.
    await readFreeLogin(deps, wanted)
    throw error
  }
  await deps.audit.record(self, 'admin_login_change', { newLogin: names.login })
}

/** Changes the password; all other sessions of the account end. @throws Failure UNAUTHORIZED, BAD_REQUEST */
export async function changePassword(
  deps: AccountDeps,
  self: LoggedIn,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const { passwords, sessions, audit } = deps
  const own = await ownRecord(deps, self)
  await prove(deps, own, { password: currentPassword, field: 'currentPassword' })
  refuseWeak(newPassword, 'newPassword')
  const passwordHash = await passwords.hash(newPassword)
  await change(deps, own, { field: 'currentPassword', changes: { passwordHash } })
  await sessions.endAll(self.adminId, self.session.id)
  await audit.record(self, 'admin_password_change', {})
}

/** @throws Failure UNAUTHORIZED when the account is gone; BAD_REQUEST for the super admin, whom the configuration changes. */
async function ownRecord({ data }: AccountDeps, { adminId }: Admin): Promise<AdminRecord> {
  if (adminId === SUPER_ADMIN_ID)
    throw new Failure('BAD_REQUEST', { field: 'account', reason: 'super_admin' })
  const record = await data.admins.get(adminId)
  if (!record) throw new Failure('UNAUTHORIZED')
  return record
}

async function prove(
  { passwords }: AccountDeps,
  { passwordHash }: AdminRecord,
  { password, field }: { password: string; field: string },
): Promise<void> {
  if (!(await passwords.isRight(password, passwordHash))) throw passwordWrong(field)
}

/** Changes a record unless its password is another one than was proven. */
async function change(
  { data, clock }: AccountDeps,
  { adminId, passwordHash }: AdminRecord,
  { field, changes }: { field: string; changes: Partial<AdminRecord> },
): Promise<void> {
  const updatedAt = dateNow(clock)
  if ((await data.admins.update({ adminId, passwordHash }, { ...changes, updatedAt })) === 0)
    throw passwordWrong(field)
}

function passwordWrong(field: string): Failure {
  return new Failure('BAD_REQUEST', { field, reason: 'password_wrong' })
}
