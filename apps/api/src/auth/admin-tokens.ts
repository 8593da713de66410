import { createHash, createHmac, hkdfSync, randomUUID } from 'node:crypto'
import type { JWT } from '@fastify/jwt'
import { areSecretsEqual } from '@solstice/adapters'
import { type Admin, type MediaKey, type Session, type StationClock, SUPER_ADMIN_ID } from '@solstice/station'

/** Life of an admin token, in seconds: 12 hours. */
export const ADMIN_TOKEN_TTL_S = 12 * 60 * 60
const FILE_TOKEN_TTL_MS = 10 * 60 * 1000
/** Clocks of the replicas may differ by this much. */
const SKEW_S = 60
const MAX_TOKEN_LENGTH = 4_096
/** One algorithm, and no end by the wall clock. */
const READING = { algorithms: ['HS256' as const], ignoreExpiration: true }

/** Tokens of admins. What an admin may do is not read from them but from the store, at every request. */
export interface AdminTokens {
  /** A token of a new session. */
  issue(admin: Admin): string
  /** The session that a token is of, or null when it is not good now. Whether it was ended is known to `Sessions`. */
  read(token: string): Session | null
  /** A token that opens one file for ten minutes, for players that cannot send headers. */
  issueForFile(key: MediaKey, nowMs: number): string
  /** The file that a token opens, or null when it is not good now. */
  readForFile(token: string, nowMs: number): MediaKey | null
}

/**
 * Their times are of the station's clock, so that they last as long whoever sets the wall clock.
 *
 * @param jwt of `@fastify/jwt`. File tokens have a key of their own.
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

/** The id of the session of a token that names none, as those of versions before; a signature has several spellings. */
function digestOf(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url')
}

/** Nothing in it that other readers might understand differently: no claim twice, nothing about keys in the header. */
function isInOneSpelling(token: string, claims: object): boolean {
  const [head = '', body = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  const { alg, typ } = JSON.parse(head) as { alg: unknown; typ: unknown }
  return JSON.stringify({ alg, typ }) === head && JSON.stringify(claims) === body
}
