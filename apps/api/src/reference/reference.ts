import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import { Failure } from '@solstice/station'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'

const PREFIX = '/api/docs'
const COPIED_HEADERS = ['content-type', 'content-security-policy'] as const
const [compress, decompress] = [promisify(gzip), promisify(gunzip)]

interface ReferenceFile {
  headers: Record<string, unknown>
  compressed: Buffer
}

/**
 * Serves the API reference at `/api/docs` without a login: it reveals nothing that the API's replies do not. The pages are seldom
 * read, so what makes them is loaded with the first request. Each file is generated and compressed once, because the document is 2 MB.
 *
 * @param limit counts a request against the client's address. @throws Failure RATE_LIMITED
 */
export async function serveReference(
  app: FastifyInstance,
  limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Promise<void> {
  let pages: Promise<FastifyInstance> | undefined
  const files = new Map<string, Promise<ReferenceFile>>()
  const make = async (path: string): Promise<ReferenceFile> => {
    pages ??= openPages(app)
    const { statusCode, headers, rawPayload } = await (await pages).inject(path)
    if (statusCode !== 200) throw new Failure('NOT_FOUND')
    const copied = Object.fromEntries(COPIED_HEADERS.map((name) => [name, headers[name]]))
    return { headers: copied, compressed: await compress(rawPayload) }
  }
  /** However many ask for it at once. @throws Failure NOT_FOUND */
  const fileAt = (path: string) => {
    const known = files.get(path)
    if (known) return known
    const made = make(path)
    files.set(path, made)
    made.catch(() => files.delete(path))
    return made
  }
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?', 1)
    // JSON is valid YAML; a YAML form would block the process for half a second.
    if (path === `${PREFIX}/yaml`) return reply.redirect(`${PREFIX}/json`)
    const { headers, compressed } = await fileAt(path)
    reply.headers({ ...headers, 'cache-control': 'public, max-age=3600', vary: 'Accept-Encoding' })
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding']))) return decompress(compressed)
    reply.header('content-encoding', 'gzip')
    return compressed
  }
  for (const url of [PREFIX, `${PREFIX}/*`])
    app.get(url, { onRequest: limit, schema: { hide: true } }, answer)
}

/** An app of its own, which serves the pages to `app` alone. */
async function openPages(app: FastifyInstance): Promise<FastifyInstance> {
  const { default: swaggerUi } = await import('@fastify/swagger-ui')
  const pages = Fastify()
  pages.decorate('swagger', () => app.swagger())
  await pages.register(async (inner) => {
    // Called, not registered: it would miss the plugin that `app` has for it.
    await (swaggerUi as unknown as FastifyPluginAsync<FastifySwaggerUiOptions>)(inner, {
      routePrefix: PREFIX,
      uiConfig: { deepLinking: true, docExpansion: 'list' },
      staticCSP: {
        'default-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'style-src': ["'self'", "'unsafe-inline'"],
        'object-src': ["'none'"],
        'frame-ancestors': ["'self'"],
      },
    })
  })
  await pages.ready()
  return pages
}
