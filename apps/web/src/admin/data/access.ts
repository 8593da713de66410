import type { Capability, Privilege, PublicConfig } from '@solstice/contracts'

/** Conditions for using something: all that are given must hold; none given = every activated admin. */
export interface AccessRule {
  /** One of these privileges is enough. */
  anyOf?: readonly Privilege[]
  allOf?: readonly Privilege[]
  /** One of these is enough. */
  capabilities?: readonly Capability[]
  /** The station has live hosting. */
  hosting?: true
  /** The super admin only. */
  super?: true
}

/** The privileges that are missing: all of them are needed, or one of them with `isAny`. */
export interface Denial {
  is: 'denied'
  missing: readonly Privilege[]
  isAny?: true
}

/** `denied` is greyed, with what is missing; `hidden` is not there on this station. */
export type Verdict = { is: 'open' } | Denial | { is: 'hidden' }

/** The account of this window. */
export interface Account {
  login: string
  role: 'super_admin' | 'admin'
  privileges: readonly string[]
  authorized: boolean
}

export function accessTo(rule: AccessRule, account: Account, config: PublicConfig): Verdict {
  const { anyOf, allOf = [], capabilities } = rule
  if (capabilities && !capabilities.some((name) => config.capabilities[name])) return { is: 'hidden' }
  if (rule.hosting && !config.radioHostsMode) return { is: 'hidden' }
  const isSuper = account.role === 'super_admin'
  if (rule.super && !isSuper) return { is: 'hidden' }
  const has = (privilege: Privilege) => isSuper || account.privileges.includes(privilege)
  const missing = allOf.filter((privilege) => !has(privilege))
  if (missing.length) return { is: 'denied', missing }
  return anyOf && !anyOf.some(has) ? { is: 'denied', missing: anyOf, isAny: true } : { is: 'open' }
}
