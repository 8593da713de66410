import type { Route } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pathPattern } from './path-pattern.ts'

const refusedAt = new WeakMap<FastifyRequest, string>()

/** The path of the contract at which a request was refused for its method; undefined for any other. */
export const pathOfRefused = (request: FastifyRequest): string | undefined => refusedAt.get(request)

/**
 * Answers OPTIONS on every path of `routes` with 204, and methods that the path does not have with 405; both with `Allow`. To be
 * called before the scopes of other routes are opened.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const pathsAt = pathsByAddress(routes)
  const methodsOf = (path: string) =>
    routes.filter((route) => route.path === path).map(({ method }) => method)
  // A hook: a route for each path and method would double the time that the API takes to start.
  app.addHook('onRequest', async (request, reply) => {
    const { method, url, routeOptions } = request
    if (routeOptions.config.contract) return
    const paths = pathsAt(decoded(url.split(/[?#]/, 1)[0]!))
    if (paths.length === 0) return
    refusedAt.set(request, paths[0]!)
    const allowed: string[] = [...new Set(paths.flatMap(methodsOf))]
    reply.header('allow', [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
    if (method !== 'OPTIONS') throw new Failure('METHOD_NOT_ALLOWED')
    return reply.code(204).send()
  })
}

/** @returns finds the paths that an address matches; none where no route is. */
function pathsByAddress(routes: readonly Route[]): (address: string) => string[] {
  const paths = new Set(routes.map(({ path }) => path))
  const patterns = [...paths].filter((path) => path.includes(':')).map(withPattern)
  return (address) => {
    const variable = patterns.filter(({ pattern }) => pattern.test(address)).map(({ path }) => path)
    return paths.has(address) ? [address, ...variable] : variable
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
