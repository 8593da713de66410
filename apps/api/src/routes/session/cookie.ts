import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import type { Origins } from '../../limits/client-address.ts'

export const ADMIN_COOKIE = 'adminToken'

/** Options of the cookie that carries an admin's token. */
export function adminCookie(
  { raw, headers }: FastifyRequest,
  { origins, isProduction }: { origins: Origins; isProduction: boolean },
): CookieSerializeOptions {
  // Two hosts that we take for one site may be two for the browser, which then says so.
  const isCrossSite = origins.allowsOtherSites(raw) || headers['sec-fetch-site'] === 'cross-site'
  return {
    httpOnly: true,
    path: '/',
    secure: isProduction,
    sameSite: isProduction && isCrossSite ? 'none' : 'lax',
  }
}
