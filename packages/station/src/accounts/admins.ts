import { privileges as allPrivileges, type Privilege } from '@solstice/contracts'
import type { DataStore } from '../ports/data/data-store.ts'

export const SUPER_ADMIN_ID = 'super'

/** An admin as the store knows it now, not as its token remembers it. */
export interface Admin {
  /** A uuid, or `super`. */
  adminId: string
  login: string
  role: 'super_admin' | 'admin'
  privileges: readonly Privilege[]
  /** True when a helper has replaced its temporary password. */
  authorized: boolean
}

/** The account with an id; null when there is none (any more). */
export async function findAdmin(
  data: Pick<DataStore, 'admins'>,
  superAdmin: { login: string } | null,
  adminId: string,
): Promise<Admin | null> {
  if (adminId === SUPER_ADMIN_ID) {
    if (!superAdmin) return null
    const { login } = superAdmin
    return { adminId, login, role: 'super_admin', privileges: allPrivileges, authorized: true }
  }
  const helper = await data.admins.get(adminId)
  if (!helper) return null
  const { login, privileges, authorized } = helper
  return { adminId, login, role: 'admin', privileges, authorized }
}

/** True when an admin has a privilege and may use it. */
export function holds({ role, authorized, privileges }: Admin, privilege: Privilege): boolean {
  return role === 'super_admin' || (authorized && privileges.includes(privilege))
}
