import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Compressed {
  type: string
  bytes: Buffer
}

const PREFIX = '/api/docs'
const compress = promisify(gzip)

/**
 * Serves the API reference at `/api/docs` without a login: it reveals nothing that the API's replies do not. Each file is
 * generated and compressed once, because the document is 2 MB.
 *
 * @param limit counts a request against the client's address. @throws Failure RATE_LIMITED
 */
export async function serveReference(
  app: FastifyInstance,
  limit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Promise<void> {
  const files = new Map<string, Compressed>()
  /** Files being generated: the first request generates, the others wait for it. */
  const underway = new Map<string, { request: FastifyRequest; done: Promise<void>; end(): void }>()
  const begin = (path: string, request: FastifyRequest) => {
    let end = () => {}
    const done = new Promise<void>((resolve) => {
      end = resolve
    })
    underway.set(path, { request, done, end })
  }
  const send = (reply: FastifyReply, { type, bytes }: Compressed) =>
    reply.headers({
      'content-type': type,
      'content-encoding': 'gzip',
      'content-length': bytes.length,
      'cache-control': 'public, max-age=3600',
      vary: 'Accept-Encoding',
    })

  await app.register(async (docs) => {
    docs.addHook('onRequest', async (request, reply) => {
      await limit(request, reply)
      const path = pathOf(request)
      // JSON is valid YAML; a YAML form would block the process for half a second.
      if (path === `${PREFIX}/yaml`) return reply.redirect(`${PREFIX}/json`)
      if (!takesGzip(request)) return
      await underway.get(path)?.done
      const file = files.get(path)
      if (file) return send(reply, file).send(file.bytes)
      if (!underway.has(path)) begin(path, request)
    })
    docs.addHook('onResponse', async (request) => {
      const making = underway.get(pathOf(request))
      if (making?.request !== request) return
      underway.delete(pathOf(request))
      making.end()
    })
    docs.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode !== 200 || reply.hasHeader('content-encoding') || !takesGzip(request))
        return payload
      const type = String(reply.getHeader('content-type'))
      const file = { type, bytes: await compress(await bytesOf(payload)) }
      files.set(pathOf(request), file)
      send(reply, file)
      return file.bytes
    })
    await docs.register(swaggerUi, {
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
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0]!

function takesGzip({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && /\bgzip\b/.test(String(headers['accept-encoding']))
}

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.from(payload as string)
  const pieces: Uint8Array[] = []
  for await (const piece of payload as AsyncIterable<Uint8Array>) pieces.push(piece)
  return Buffer.concat(pieces)
}
