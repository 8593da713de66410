import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import { hasBody } from './bodies/request-bodies.ts'
import { requestId } from './request-log.ts'

/** Answers a request on its own; false leaves it untouched, and the framework answers, or refuses, it as usual. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse, requestId: string) => boolean

declare module 'fastify' {
  interface FastifyInstance {
    shortcuts: Shortcuts
  }
}

export interface Shortcuts {
  /** @throws Error unless anybody may call the route: no access rule is asked on the way. */
  add(route: Route, path: string, shortcut: Shortcut): void
}

/**
 * Lets public routes answer plain `GET` requests before the framework sees them. A crowd that joins the stream costs half as much without
 * its hooks, whose work for such a request is known beforehand. To be called before anything else listens to the server's requests.
 */
export function useShortcuts(app: FastifyInstance): void {
  const byUrl = new Map<string, Shortcut>()
  const { server } = app
  const usual = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const shortcut = byUrl.get(request.url ?? '')
    if (shortcut && isPlain(request) && shortcut(request, response, requestId(request))) return
    for (const answer of usual) answer.call(server, request, response)
  })
  app.decorate('shortcuts', {
    add(route, path, shortcut) {
      if (route.access !== 'public' || route.method !== 'GET' || route.capability)
        throw new Error(`${route.method} ${route.path} is not for everybody: it has no shortcut`)
      byUrl.set(path, shortcut)
    },
  })
}

function isPlain(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.expect === undefined && !hasBody(request)
}
