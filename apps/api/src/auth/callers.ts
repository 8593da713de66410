import type { Access } from '@solstice/contracts'
import {
  type Actor,
  type Admin,
  type Client,
  Failure,
  type LoggedIn,
  type MediaKey,
  type Sessions,
  type StationClock,
} from '@solstice/station'
import type { FastifyRequest } from 'fastify'
import type { Origins } from '../limits/client-address.ts'
import type { AdminTokens } from './admin-tokens.ts'
import { adminTokensOf, bearerToken, cookieToken, headerOf, queryOf } from './credentials.ts'
import type { TokenClaims, Tokens } from './tokens.ts'

/** A listener with a valid art token. */
export interface ListenerCaller extends TokenClaims {
  artToken: string
}

/** A listener who may also fetch audio files. */
export interface AudioCaller extends ListenerCaller {
  audioToken: string
}

/** An admin, or anybody with a token for this one file. */
export type FileCaller = { admin: Admin } | { file: MediaKey }

/** The caller as the access rule of a route identifies it. */
export type Caller<A extends Access = Access> = A extends 'public' | 'operator'
  ? undefined
  : A extends 'art'
    ? ListenerCaller
    : A extends 'art+audio'
      ? AudioCaller
      : A extends 'file'
        ? FileCaller
        : LoggedIn

export interface CallerDeps {
  tokens: Tokens
  adminTokens: AdminTokens
  findAdmin: (adminId: string) => Promise<Admin | null>
  sessions: Pick<Sessions, 'resume'>
  clientOf: (request: FastifyRequest) => Client
  origins: Origins
  clock: StationClock
}

/** Identifies the caller of a request. Each method throws a `Failure` of status 401, or 403, when it cannot. */
export interface Callers {
  /** @param graceMs how long ago the token may have expired. */
  listener(request: FastifyRequest, graceMs: number): ListenerCaller
  audioListener(request: FastifyRequest, graceMs: number): AudioCaller
  admin(request: FastifyRequest): Promise<LoggedIn>
  ofFile(request: FastifyRequest): Promise<FileCaller>
}

/**
 * Tokens of listeners are read from the header first, then from the query; those of admins from the cookie, then as a
 * bearer, and the first valid one counts. The cookie alone authorizes a write only for pages of ours.
 */
export function createCallers(deps: CallerDeps): Callers {
  const { tokens, adminTokens, sessions, clientOf, origins, clock } = deps

  const listenerOf = (artToken: string | undefined, graceMs: number): ListenerCaller => {
    const claims = artToken ? tokens.readArtToken(artToken, clock.nowMs(), graceMs) : null
    if (!artToken || !claims) throw new Failure('ART_TOKEN_INVALID')
    return { ...claims, artToken }
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

  return {
    listener: (request, graceMs) =>
      listenerOf(headerOf(request, 'x-art-token') ?? queryOf(request, 'token'), graceMs),

    audioListener(request, graceMs) {
      const artToken = headerOf(request, 'x-art-token') ?? queryOf(request, 'artToken')
      const audioToken = headerOf(request, 'x-audio-token') ?? queryOf(request, 'audioToken')
      const listener = listenerOf(artToken, graceMs)
      const claims = audioToken ? tokens.readAudioToken(audioToken, clock.nowMs(), graceMs) : null
      if (!audioToken || claims?.uid !== listener.uid) throw new Failure('AUDIO_TOKEN_INVALID')
      return { ...listener, audioToken }
    },

    async admin(request) {
      // Browsers attach the cookie to requests of any page; only someone who knows a bearer token can send it.
      const mayUseCookie = !isWrite(request) || comesFromUs(request, origins)
      const admin = await firstAdmin(request, mayUseCookie ? adminTokensOf(request) : [bearerToken(request)])
      if (admin) return admin
      if (!mayUseCookie && (await adminOf(request, cookieToken(request))))
        throw new Failure('FORBIDDEN', { reason: 'origin' })
      throw new Failure('UNAUTHORIZED')
    },

    async ofFile(request) {
      const inQuery = queryOf(request, 'adminToken')
      const admin = await firstAdmin(request, [bearerToken(request), inQuery, cookieToken(request)])
      if (admin?.authorized) return { admin }
      const file = inQuery ? adminTokens.readForFile(inQuery, clock.nowMs()) : null
      if (file !== null) return { file }
      throw admin ? new Failure('FORBIDDEN', { reason: 'not_active' }) : new Failure('UNAUTHORIZED')
    },
  }
}

/** An admin as jobs and the audit log name it. */
export function actorOf({ adminId, login }: Admin): Actor {
  return { adminId, login }
}

export function isWrite({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

/** True when the browser names an origin of ours, or the same origin; a page elsewhere can forge neither header. */
function comesFromUs({ headers, raw }: FastifyRequest, origins: Origins): boolean {
  return headers.origin === undefined
    ? headers['sec-fetch-site'] === 'same-origin'
    : origins.isAllowedOrigin(headers.origin, raw)
}
