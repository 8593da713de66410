import { createHmac } from 'node:crypto'
import { type Access, allRoutes, type FailureCode, failures, type Route } from '@solstice/contracts'
import type { Test } from 'tap'
import type { OpenApp } from '../stations/app.ts'
import { SUPER_ADMIN } from './admin.ts'

export const named = ({ method, path }: Route) => `${method} ${path}`

/** Access of routes that admins have no part in. */
export const forOthers: Access[] = ['public', 'art', 'art+audio', 'operator']

export const adminRoutes = allRoutes.filter(({ access }) => !forOthers.includes(access))

export const SECRET = 'a secret that only this test knows'

export const everything = {
  STREAM_MODE: 'true',
  RADIO_HOSTS_MODE: 'true',
  ...SUPER_ADMIN,
  JWT_SECRET: SECRET,
}

export const REFUSALS = new Set<number>([401, 403])

export type Headers = Record<string, string>

/** A route's URL, its parameters filled with names of nothing that exists. */
export function url({ path, query }: Route, asked: Record<string, string> = {}): string {
  const required = (query as { required?: string[] } | undefined)?.required ?? []
  const values = required.map((name) => [name, name === 'mode' ? 'day' : 'nothing'])
  const filled = path.replace(/:(\w+)/g, 'nothing')
  return `${filled}?${new URLSearchParams({ ...Object.fromEntries(values), ...asked })}`
}

/** Sends requests to any route and returns what matters of the reply. */
export function asker({ app }: OpenApp) {
  return async (route: Route, headers: Headers = {}, query: Record<string, string> = {}) => {
    const answer = await app.inject({ method: route.method, url: url(route, query), headers })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    const body = isJson ? (answer.json() as { error?: { code: FailureCode; capability?: string } }) : {}
    return { status: answer.statusCode, code: body?.error?.code, capability: body?.error?.capability }
  }
}

type Asker = ReturnType<typeof asker>

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

export const cookie = (token: string): Headers => ({ cookie: `adminToken=${token}` })

export const refusal = (code: FailureCode) => ({ status: failures[code].status, code })

/** Fails when an admin with these headers is turned away, or answered against the route's contract. */
export async function passes(t: Test, ask: Asker, route: Route, headers: Headers, who: string) {
  const { status, code } = await ask(route, headers)
  t.notOk(REFUSALS.has(status), `${who} passes (${status} ${code ?? ''})`)
  const expected: FailureCode[] = [...route.failures, 'BAD_REQUEST', 'FEATURE_UNAVAILABLE']
  if (code === undefined) t.ok(status < 400, `${who} is answered (${status})`)
  else t.ok(expected.includes(code), `${who} is refused as the route says (${code})`)
  // No payment provider is configured.
  t.equal(code === 'FEATURE_UNAVAILABLE', route.capability === 'donations')
}

/** A JWT with any header and claims, signed with HMAC by default. */
export function forge(
  header: object | string,
  claims: object | string,
  sign = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64url'),
): string {
  const encoded = [header, claims].map((part) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'),
  )
  return `${encoded.join('.')}.${sign(encoded.join('.'))}`
}

export const HS256 = { alg: 'HS256', typ: 'JWT' }

export const nowS = () => Math.floor(Date.now() / 1000)

/** Claims of the super admin's token. */
export const claims = (more: object = {}) => ({
  role: 'super_admin',
  adminId: 'super',
  login: 'admin',
  privileges: [],
  authorized: true,
  iat: nowS(),
  exp: nowS() + 43_200,
  ...more,
})
