import { Failure } from '../core/failure.ts'
import type { Passwords } from '../ports/accounts.ts'
import type { DataStore } from '../ports/data/data-store.ts'
import { type Admin, findAdmin, SUPER_ADMIN_ID } from './admins.ts'
import { loginKey } from './credentials.ts'

/** The account that the configuration alone sets up and changes. */
export interface SuperAdmin {
  login: string
  passwordHash: string
}

interface LogInDeps {
  data: Pick<DataStore, 'admins'>
  superAdmin: SuperAdmin | null
  passwords: Passwords
}

/** @param configured.pass plain text unless `isHashed`. */
export async function readSuperAdmin(
  { passwords }: { passwords: Passwords },
  configured: { login: string; pass: string; isHashed: boolean } | null,
): Promise<SuperAdmin | null> {
  if (!configured) return null
  const { login, pass, isHashed } = configured
  return { login, passwordHash: isHashed ? pass : await passwords.hash(pass) }
}

/** The account with a login, also when it may not log in; null when there is none. */
export async function accountIdOf(
  { data, superAdmin }: Pick<LogInDeps, 'data' | 'superAdmin'>,
  login: string,
): Promise<string | null> {
  const key = loginKey(login)
  if (superAdmin && key === loginKey(superAdmin.login)) return SUPER_ADMIN_ID
  const [helper] = await data.admins.find({ loginKey: key })
  return helper?.adminId ?? null
}

/** @throws Failure INVALID_CREDENTIALS, after as much work as a right password makes. */
export async function logIn(
  { data, superAdmin, passwords }: LogInDeps,
  { login, password }: { login: string; password: string },
): Promise<Admin> {
  const key = loginKey(login)
  const [helper] = await data.admins.find({ loginKey: key })
  // Both every time, so that the response time does not reveal whose login it is, or whether it exists.
  const [isOfSuperAdmin, isOfHelper] = await Promise.all([
    passwords.isRight(password, superAdmin?.passwordHash ?? null),
    passwords.isRight(password, helper?.passwordHash ?? null),
  ])
  const isSuperAdmin = superAdmin !== null && isOfSuperAdmin && key === loginKey(superAdmin.login)
  const adminId = isSuperAdmin ? SUPER_ADMIN_ID : isOfHelper ? helper?.adminId : undefined
  const admin = adminId === undefined ? null : await findAdmin(data, superAdmin, adminId)
  if (!admin) throw new Failure('INVALID_CREDENTIALS')
  return admin
}
