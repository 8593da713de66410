import type { Access, AdminAccess, Capabilities, Route } from '@solstice/contracts'
import { type Admin, Failure, holds, type MediaKey, type StationClock } from '@solstice/station'
import type { FastifyRequest } from 'fastify'
import type { AdminTokens } from './admin-tokens.ts'
import type { Origins } from './client-address.ts'
import type { Pass, Tokens } from './tokens.ts'

/** A listener whose art token is good. */
export interface Listener extends Pass {
  artToken: string
}

/** A listener who may also fetch audio files. */
export interface AudioListener extends Listener {
  audioToken: string
}

/** Who may fetch a file: an admin, or whoever was given a token for this one. */
export type FileCaller = { admin: Admin } | { file: MediaKey }

/** What the access rule of a route finds out about the caller. */
export type Caller<A extends Access = Access> = A extends 'public'
  ? undefined
  : A extends 'art'
    ? Listener
    : A extends 'art+audio'
      ? AudioListener
      : A extends 'file'
        ? FileCaller
        : Admin

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
  origins: Origins
  capabilities: Capabilities
  clock: StationClock
}): Gate {
  const { tokens, adminTokens, origins, capabilities, clock } = deps

  const listenerOf = (artToken: string | undefined, graceMs: number): Listener => {
    const pass = artToken ? tokens.readArtToken(artToken, clock.nowMs(), graceMs) : null
    if (!artToken || !pass) throw new Failure('ART_TOKEN_INVALID')
    return { ...pass, artToken }
  }
  const audioListenerOf = (request: FastifyRequest, graceMs: number): AudioListener => {
    const artToken = header(request, 'x-art-token') ?? query(request, 'artToken')
    const audioToken = header(request, 'x-audio-token') ?? query(request, 'audioToken')
    const listener = listenerOf(artToken, graceMs)
    const pass = audioToken ? tokens.readAudioToken(audioToken, clock.nowMs(), graceMs) : null
    if (!audioToken || pass?.uid !== listener.uid) throw new Failure('AUDIO_TOKEN_INVALID')
    return { ...listener, audioToken }
  }

  const adminOf = async (token: string | undefined): Promise<Admin | null> => {
    const adminId = token ? adminTokens.read(token) : null
    return adminId === null ? null : deps.findAdmin(adminId)
  }
  const loggedIn = async (request: FastifyRequest): Promise<Admin> => {
    const mayUseCookie = !isWrite(request) || comesFromUs(request)
    const byCookie = await adminOf(cookie(request))
    const byBearer = byCookie && mayUseCookie ? null : await adminOf(bearer(request))
    const admin = mayUseCookie ? (byCookie ?? byBearer) : (byBearer ?? byCookie)
    if (!admin) throw new Failure('UNAUTHORIZED')
    if (!mayUseCookie && !byBearer) throw new Failure('FORBIDDEN', { reason: 'origin' })
    return admin
  }
  const fileCallerOf = async (request: FastifyRequest): Promise<FileCaller> => {
    const inQuery = query(request, 'adminToken')
    for (const token of [bearer(request), inQuery, cookie(request)]) {
      const admin = await adminOf(token)
      if (!admin) continue
      if (!admin.authorized) throw new Failure('FORBIDDEN', { reason: 'not_active' })
      return { admin }
    }
    const file = inQuery ? adminTokens.readForFile(inQuery, clock.nowMs()) : null
    if (file === null) throw new Failure('UNAUTHORIZED')
    return { file }
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
      default: {
        const admin = await loggedIn(request)
        refuseUnless(admin, access)
        return admin
      }
    }
  }

  return {
    knows: (access) =>
      typeof access === 'string'
        ? plainRules.has(access)
        : ['all', 'any', 'perSection'].some((key) => key in access),
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

const plainRules = new Set<Access>(['public', 'art', 'art+audio', 'file', 'session', 'admin', 'super'])

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

function isForAdmins({ path, access }: Route): boolean {
  return path.startsWith('/api/admin/') || !['public', 'art', 'art+audio'].includes(access as string)
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
