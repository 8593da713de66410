import { createHash, createHmac, hkdfSync, randomUUID } from 'node:crypto'
import type { JWT } from '@fastify/jwt'
import { areSecretsEqual } from '@solstice/adapters'
import { type Admin, type MediaKey, type Session, type StationClock, SUPER_ADMIN_ID } from '@solstice/station'

/** Life of an admin token, in seconds: 12 hours. */
export const ADMIN_TOKEN_TTL_S = 12 * 60 * 60
const FILE_TOKEN_TTL_MS = 10 * 60 * 1000
/** How far the clocks of replicas may differ. */
const SKEW_S = 60
const MAX_TOKEN_LENGTH = 4_096
/** The expiry is checked here, by the station's clock instead of the wall clock. */
const READING = { algorithms: ['HS256' as const], ignoreExpiration: true }

/** Tokens of admins. Permissions are read from the store at every request, never from the token. */
export interface AdminTokens {
  /** Starts a new session. */
  issue(admin: Admin): string
  /** The session of a token; null when the token is invalid or expired. `Sessions` knows whether the session was ended. */
  read(token: string): Session | null
  /** A token that opens one file for ten minutes, for players that cannot send headers. */
  issueForFile(key: MediaKey, nowMs: number): string
  /** The file that a token opens; null when the token is invalid or expired. */
  readForFile(token: string, nowMs: number): MediaKey | null
}

/**
 * Times are the station's clock, so setting the wall clock does not change how long a token lasts.
 *
 * @param jwt of `@fastify/jwt`; file tokens have a key of their own.
 */
export function createAdminTokens(jwt: JWT, jwtSecret: string, clock: StationClock): AdminTokens {
  const fileKey = Buffer.from(hkdfSync('sha256', jwtSecret, '', 'solstice file tokens', 32))
  const signFile = (claims: string) =>
    `${claims}.${createHmac('sha256', fileKey).update(claims).digest('base64url')}`

  return {
    issue({ role, adminId, login, privileges, authorized }) {
      const iat = Math.floor(clock.nowMs() / 1000)
      const claims = { role, adminId, login, privileges, authorized, jti: randomUUID(), iat }
      return jwt.sign({ ...claims, exp: iat + ADMIN_TOKEN_TTL_S })
    },
    read(token) {
      if (token.length > MAX_TOKEN_LENGTH) return null
      try {
        const claims = jwt.verify<Record<string, unknown>>(token, READING)
        if (!isInOneSpelling(token, claims)) return null
        const { role, adminId, iat, exp, jti = digestOf(token) } = claims
        if (typeof adminId !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null
        const nowS = clock.nowMs() / 1000
        if (typeof jti !== 'string' || iat > nowS + SKEW_S || exp <= nowS) return null
        if (role !== (adminId === SUPER_ADMIN_ID ? 'super_admin' : 'admin')) return null
        return { id: jti, adminId, begunAtMs: iat * 1000, expiresAtMs: exp * 1000 }
      } catch {
        return null
      }
    },
    issueForFile(key, nowMs) {
      return signFile(`${Buffer.from(key).toString('base64url')}.${Math.floor(nowMs) + FILE_TOKEN_TTL_MS}`)
    },
    readForFile(token, nowMs) {
      if (token.length > MAX_TOKEN_LENGTH) return null
      const [, key, expiresAtMs] = /^([\w-]+)\.(\d{1,15})\.[\w-]+$/.exec(token) ?? []
      if (!key || !expiresAtMs || !areSecretsEqual(token, signFile(`${key}.${expiresAtMs}`))) return null
      return nowMs < Number(expiresAtMs) ? Buffer.from(key, 'base64url').toString() : null
    },
  }
}

/** A session id for tokens of older versions, which name none. Without the signature, as that has several spellings. */
function digestOf(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url')
}

/** Rejects what other parsers might read differently, such as a repeated claim or a key in the header. */
function isInOneSpelling(token: string, claims: object): boolean {
  const [head = '', body = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { alg, typ } = JSON.parse(head) as { alg: unknown; typ: unknown }
  return JSON.stringify({ alg, typ }) === head && JSON.stringify(claims) === body
}
