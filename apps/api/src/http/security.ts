import cors from '@fastify/cors'
import { allRoutes } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { Origins } from '../limits/client-address.ts'
import { pathPattern } from './path-pattern.ts'

const PREFLIGHT_MAX_AGE_S = 600
const EXPOSED_HEADERS = [
  'X-Art-Mime',
  'Accept-Ranges',
  'Content-Range',
  'Content-Length',
  'Content-Disposition',
  'Retry-After',
  'ETag',
  'X-Request-Id',
]

const forAllSites = allRoutes
  .filter(({ isForAllSites }) => isForAllSites)
  .map(({ path }) => pathPattern(path))

/**
 * Adds CORS for allowed origins, and what answers that are no pages may do in a browser. Pages have policies of their own.
 *
 * @param mediaOrigin origin of signed links to music and pictures; null when this server sends them itself.
 */
export async function secure(
  app: FastifyInstance,
  { origins, mediaOrigin }: { origins: Origins; mediaOrigin: string | null },
): Promise<void> {
  await app.register(cors, {
    delegator: ({ headers: { origin }, raw, url }, decide) => {
      const isAllowed = origins.isAllowedOrigin(origin, raw)
      const isForAnybody = !isAllowed && forAllSites.some((path) => path.test(url.split('?', 1)[0]!))
      decide(null, {
        origin: isForAnybody ? '*' : isAllowed,
        credentials: !isForAnybody,
        preflight: origin !== undefined,
        strictPreflight: false,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
        exposedHeaders: EXPOSED_HEADERS,
        maxAge: PREFLIGHT_MAX_AGE_S,
      })
    },
  })
  const mediaSources = ["'self'", 'data:', 'blob:', ...(mediaOrigin ? [mediaOrigin] : [])]
  // @fastify/helmet builds the policy anew for every request, a tenth of what a listener who joins costs.
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'self'"],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'"],
        scriptSrcAttr: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: mediaSources,
        mediaSrc: mediaSources,
        workerSrc: ["'self'", 'blob:'],
        // Older browsers do not count WebSockets of the same host as 'self'.
        connectSrc: ["'self'", (request) => origins.ownOrigin(request).replace(/^http/, 'ws')],
      },
    },
    // Only the proxy that terminates TLS knows whether this host is always reached over it.
    strictTransportSecurity: false,
    // Pages of other origins may play the stream.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })
  app.addHook('onRequest', (request, reply, done) => protect(request.raw, reply.raw, () => done()))
  app.addHook('onSend', async (_, reply) => {
    if (!reply.hasHeader('permissions-policy'))
      reply.header('permissions-policy', 'microphone=(), camera=(), geolocation=(), payment=(), usb=()')
  })
}
