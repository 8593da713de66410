import type { FastifyRequest } from 'fastify'

/** Admin tokens of a request in the order in which they count: the first valid one decides. */
export function adminTokensOf(request: FastifyRequest): string[] {
  return [cookieToken(request), bearerToken(request)].filter((token) => token !== undefined)
}

export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

export function cookieToken({ cookies }: FastifyRequest): string | undefined {
  return cookies.adminToken || undefined
}

/** `undefined` also when the header is empty. */
export function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  return headers[name]?.toString() || undefined
}

/** `undefined` also when the parameter is empty or repeated. Works before the query is validated. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name]
  return typeof value === 'string' && value ? value : undefined
}
