import { isOfOperator } from '@solstice/adapters'
import { type Access, type AdminAccess, type Capabilities, privileges, type Route } from '@solstice/contracts'
import {
  type Admin,
  type Client,
  Failure,
  holds,
  type LoggedIn,
  type MediaKey,
  type Sessions,
  type StationClock,
} from '@solstice/station'
import type { FastifyRequest } from 'fastify'
import type { Origins } from '../limits/client-address.ts'
import type { AdminTokens } from './admin-tokens.ts'
import type { TokenClaims, Tokens } from './tokens.ts'

/** A listener whose art token is good. */
export interface ListenerCaller extends TokenClaims {
  artToken: string
}

/** A listener who may also fetch audio files. */
export interface AudioCaller extends ListenerCaller {
  audioToken: string
}

/** Who may fetch a file: an admin, or whoever was given a token for this one. */
export type FileCaller = { admin: Admin } | { file: MediaKey }

/** What the access rule of a route finds out about the caller. */
export type Caller<A extends Access = Access> = A extends 'public' | 'operator'
  ? undefined
  : A extends 'art'
    ? ListenerCaller
    : A extends 'art+audio'
      ? AudioCaller
      : A extends 'file'
        ? FileCaller
        : LoggedIn

/** Stands before every route: who asks, whether they may, and whether the station can. */
export interface Gate {
  /** Whether there is a guard for an access rule. */
  knows(access: Access): boolean
  /**
   * @param graceMs by how much the tokens of a listener may have outlived themselves.
   * @throws Failure when the request may not pass: 401, then 403, then 400 for what is off here.
   */
  admit<R extends Route>(route: R, request: FastifyRequest, graceMs: number): Promise<Caller<R['access']>>
}

/**
 * The guards of all access rules. Listeners' tokens are looked for in the header first, then in the query; an admin's
 * in the cookie, then as a bearer, where the first that is good counts. What changes something may not come from a
 * page of another origin, and with nothing but the cookie only from one of ours.
 */
export function createGate(deps: {
  tokens: Tokens
  adminTokens: AdminTokens
  findAdmin: (adminId: string) => Promise<Admin | null>
  sessions: Pick<Sessions, 'resume'>
  clientOf: (request: FastifyRequest) => Client
  origins: Origins
  capabilities: Capabilities
  clock: StationClock
  /** Lets operators in; without one only what asks from this machine is let in. */
  metricsToken?: string
}): Gate {
  const { tokens, adminTokens, sessions, clientOf, origins, capabilities, clock, metricsToken = '' } = deps

  const listenerOf = (artToken: string | undefined, graceMs: number): ListenerCaller => {
    const pass = artToken ? tokens.readArtToken(artToken, clock.nowMs(), graceMs) : null
    if (!artToken || !pass) throw new Failure('ART_TOKEN_INVALID')
    return { ...pass, artToken }
  }
  const audioListenerOf = (request: FastifyRequest, graceMs: number): AudioCaller => {
    const artToken = header(request, 'x-art-token') ?? query(request, 'artToken')
    const audioToken = header(request, 'x-audio-token') ?? query(request, 'audioToken')
    const listener = listenerOf(artToken, graceMs)
    const pass = audioToken ? tokens.readAudioToken(audioToken, clock.nowMs(), graceMs) : null
    if (!audioToken || pass?.uid !== listener.uid) throw new Failure('AUDIO_TOKEN_INVALID')
    return { ...listener, audioToken }
  }

  const adminOf = async (request: FastifyRequest, token: string | undefined): Promise<LoggedIn | null> => {
    const session = token ? adminTokens.read(token) : null
    const admin = session && (await deps.findAdmin(session.adminId))
    return admin && (await sessions.resume(session, clientOf(request))) ? { ...admin, session } : null
  }
  const firstAdmin = async (request: FastifyRequest, candidates: (string | undefined)[]) => {
    for (const token of candidates) {
      const admin = await adminOf(request, token)
      if (admin) return admin
    }
    return null
  }
  const loggedIn = async (request: FastifyRequest): Promise<LoggedIn> => {
    // A browser adds the cookie whoever makes it ask; a bearer is added only by who knows it.
    const mayUseCookie = !isWrite(request) || comesFromUs(request)
    const admin = await firstAdmin(request, mayUseCookie ? adminTokensOf(request) : [bearer(request)])
    if (admin) return admin
    if (!mayUseCookie && (await adminOf(request, cookie(request))))
      throw new Failure('FORBIDDEN', { reason: 'origin' })
    throw new Failure('UNAUTHORIZED')
  }
  const fileCallerOf = async (request: FastifyRequest): Promise<FileCaller> => {
    const inQuery = query(request, 'adminToken')
    const admin = await firstAdmin(request, [bearer(request), inQuery, cookie(request)])
    if (admin?.authorized) return { admin }
    const file = inQuery ? adminTokens.readForFile(inQuery, clock.nowMs()) : null
    if (file !== null) return { file }
    throw admin ? new Failure('FORBIDDEN', { reason: 'not_active' }) : new Failure('UNAUTHORIZED')
  }

  /** An origin of ours, or a browser's word that it is the same; a page elsewhere can make up neither. */
  const comesFromUs = ({ headers, raw }: FastifyRequest) =>
    headers.origin === undefined
      ? headers['sec-fetch-site'] === 'same-origin'
      : origins.isAllowedOrigin(headers.origin, raw)

  const callerOf = async (route: Route, request: FastifyRequest, graceMs: number): Promise<Caller> => {
    const { access } = route
    switch (access) {
      case 'public':
        return undefined
      case 'art':
        return listenerOf(header(request, 'x-art-token') ?? query(request, 'token'), graceMs)
      case 'art+audio':
        return audioListenerOf(request, graceMs)
      case 'file':
        return fileCallerOf(request)
      case 'operator':
        if (isOfOperator(request.raw, metricsToken)) return undefined
        throw new Failure(metricsToken ? 'UNAUTHORIZED' : 'FORBIDDEN')
      default: {
        const admin = await loggedIn(request)
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

/** Privileges that a rule asks for have to be named, and be ones that somebody can hold. */
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

/** The tokens of an admin that came with a request, in the order in which they count: the first that is good. */
export function adminTokensOf(request: FastifyRequest): string[] {
  return [cookie(request), bearer(request)].filter((token) => token !== undefined)
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

/** Whether a route is for admins, or makes somebody one. */
export function isForAdmins({ path, access }: Route): boolean {
  return path.startsWith('/api/admin/') || !forOthers.includes(access)
}

function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
}

function cookie(request: FastifyRequest): string | undefined {
  return request.cookies.adminToken || undefined
}

function header(request: FastifyRequest, name: string): string | undefined {
  return request.headers[name]?.toString() || undefined
}

function query(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' && value ? value : undefined
}
