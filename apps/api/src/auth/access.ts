import { isOfOperator } from '@solstice/adapters'
import { type Access, type AdminAccess, type Capabilities, privileges, type Route } from '@solstice/contracts'
import { type Admin, Failure, holds } from '@solstice/station'
import type { FastifyRequest } from 'fastify'
import { type Caller, type CallerDeps, createCallers, isWrite } from './callers.ts'

/** The access check before every route: who asks, whether they may, and whether the station has what they ask for. */
export interface Gate {
  /** True when an access rule is one that `admit` can check. */
  knows(access: Access): boolean
  /**
   * @param graceMs how long ago the tokens of a listener may have expired.
   * @throws Failure when the request may not pass: 401, then 403, then 400 for a capability that is off.
   */
  admit<R extends Route>(route: R, request: FastifyRequest, graceMs: number): Promise<Caller<R['access']>>
}

/** @param deps.metricsToken admits operators; without one only programs of this machine are admitted. */
export function createGate(deps: CallerDeps & { capabilities: Capabilities; metricsToken?: string }): Gate {
  const { origins, capabilities, metricsToken = '' } = deps
  const callers = createCallers(deps)

  const callerOf = async (route: Route, request: FastifyRequest, graceMs: number): Promise<Caller> => {
    const { access } = route
    switch (access) {
      case 'public':
        return undefined
      case 'art':
        return callers.listener(request, graceMs)
      case 'art+audio':
        return callers.audioListener(request, graceMs)
      case 'file':
        return callers.ofFile(request)
      case 'operator':
        if (isOfOperator(request.raw, metricsToken)) return undefined
        throw new Failure(metricsToken ? 'UNAUTHORIZED' : 'FORBIDDEN')
      default: {
        const admin = await callers.admin(request)
        refuseUnless(admin, access)
        return admin
      }
    }
  }

  return {
    knows: isRule,
    async admit(route, request, graceMs) {
      const caller = await callerOf(route, request, graceMs)
      const isOfAdmins = isForAdmins(route)
      if (isOfAdmins && isWrite(request) && !origins.isAllowedOrigin(request.headers.origin, request.raw))
        throw new Failure('FORBIDDEN', { reason: 'origin' })
      if (route.capability && !capabilities[route.capability])
        throw new Failure('FEATURE_UNAVAILABLE', { capability: route.capability })
      return caller as Caller<(typeof route)['access']>
    },
  }
}

const forOthers: Access[] = ['public', 'art', 'art+audio', 'operator']
const plainRules = new Set<unknown>([...forOthers, 'file', 'session', 'admin', 'super'])
const grantable = new Set<unknown>(privileges)

/** A rule by privileges must name at least one, and only privileges that an admin can hold. */
function isRule(access: unknown): boolean {
  if (typeof access !== 'object' || access === null) return plainRules.has(access)
  const [[kind, needed] = [], ...more] = Object.entries(access)
  return (
    more.length === 0 &&
    ['all', 'any', 'perSection'].includes(kind ?? '') &&
    Array.isArray(needed) &&
    needed.length > 0 &&
    needed.every((privilege) => grantable.has(privilege))
  )
}

/** @throws Failure FORBIDDEN or SUPER_ADMIN_ONLY */
function refuseUnless(admin: Admin, access: AdminAccess): void {
  if (access === 'session') return
  if (access === 'super' && admin.role !== 'super_admin') throw new Failure('SUPER_ADMIN_ONLY')
  if (!admin.authorized) throw new Failure('FORBIDDEN', { reason: 'not_active' })
  if (typeof access === 'string' || 'perSection' in access) return
  const isHeld =
    'all' in access
      ? access.all.every((privilege) => holds(admin, privilege))
      : access.any.some((privilege) => holds(admin, privilege))
  if (!isHeld) throw new Failure('FORBIDDEN')
}

/** True when a route is for admins, or logs somebody in as one. */
export function isForAdmins({ path, access }: Route): boolean {
  return path.startsWith('/api/admin/') || !forOthers.includes(access)
}
