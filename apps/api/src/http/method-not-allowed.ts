import type { Route } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { pathPattern } from './path-pattern.ts'

/**
 * Answers OPTIONS on every path of `routes` with 204, and methods that the path does not have with 405; both with `Allow`. To be
 * called before the scopes of other routes are opened.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const allowedAt = methodsByPath(routes)
  // A hook: a route for each path and method would double the time that the API takes to start.
  app.addHook('onRequest', async ({ method, url, routeOptions }, reply) => {
    if (routeOptions.config.contract) return
    const allowed = allowedAt(decoded(url.split(/[?#]/, 1)[0]!))
    if (allowed.length === 0) return
    reply.header('allow', [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
    if (method !== 'OPTIONS') throw new Failure('METHOD_NOT_ALLOWED')
    return reply.code(204).send()
  })
}

/** @returns reads the methods at an address; none where no route is. */
function methodsByPath(routes: readonly Route[]): (address: string) => string[] {
  const methods = new Map<string, Set<string>>()
  for (const { path, method } of routes) methods.set(path, (methods.get(path) ?? new Set()).add(method))
  const patterns = [...methods.keys()].filter((path) => path.includes(':')).map(withPattern)
  return (address) => {
    const variable = patterns.filter(({ pattern }) => pattern.test(address)).map(({ path }) => path)
    return [...new Set([address, ...variable].flatMap((path) => [...(methods.get(path) ?? [])]))]
  }
}

const withPattern = (path: string) => ({ path, pattern: pathPattern(path) })

/** As the router reads it. */
function decoded(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address
  }
}
