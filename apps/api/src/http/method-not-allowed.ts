import type { Route } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'

/** Answers OPTIONS on every path of `routes` with 204, and methods that the path does not have with 405; both with `Allow`. */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  for (const url of new Set(routes.map((route) => route.path))) {
    const own: string[] = routes.filter((route) => route.path === url).map((route) => route.method)
    const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS']
    const allow = allowed.join(', ')
    const options = { url, config: { contract: 'internal' as const }, schema: { hide: true } }
    app.route({
      ...options,
      method: 'OPTIONS',
      handler: (_, reply) => reply.code(204).header('allow', allow).send(),
    })
    app.route({
      ...options,
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      onRequest: async (_, reply) => {
        reply.header('allow', allow)
        throw new Failure('METHOD_NOT_ALLOWED')
      },
      handler: () => undefined,
    })
  }
}
