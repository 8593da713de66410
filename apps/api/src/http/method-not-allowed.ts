import type { Route } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'

/** Answers OPTIONS on every path of `routes` with 204, and methods that the path does not have with 405; both with `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const url of new Set(routes.map((route) => route.path))) {
    const own: string[] = routes.filter((route) => route.path === url).map((route) => route.method)
    const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    const allow = allowed.join(', ')
    app.route({
      url,
      // One route for them all: each costs as much of the start as a route of the contract.
      method: [...app.supportedMethods.filter((method) => !allowed.includes(method)), 'OPTIONS'],
      config: { contract: 'internal' },
      schema: { hide: true },
      onRequest: async ({ method }, reply) => {
        reply.header('allow', allow)
        if (method !== 'OPTIONS') throw new Failure('METHOD_NOT_ALLOWED')
      },
      handler: (_, reply) => reply.code(204).send(),
    })
  }
}
