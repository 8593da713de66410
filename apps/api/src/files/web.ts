import { readFile, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const builtWithUs = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** Pages of the client, which shows its own not-found page for every other path. */
const pages = /^\/(?:en\/?)?(?:(?:guest|adlogin|adpanel(?:\/[a-z-]+)?)\/?)?$/
/** Paths for programs, whose 404 is never a page. */
const programs = /^\/(?:api|webhooks|socket\.io|healthz|readyz|metrics)(?:\/|$)/

/**
 * Serves the built web client at `/`, and answers unknown paths: a browser gets the client, anything else NOT_FOUND. Without a
 * built client everything gets NOT_FOUND.
 *
 * @param folder the built client (`WEB_DIST`); null = where the build puts it.
 */
export async function serveWeb(app: FastifyInstance, folder: string | null): Promise<void> {
  const root = folder ?? builtWithUs
  const index = join(root, 'index.html')
  const isBuilt = await stat(index).catch(() => null)

  if (!isBuilt) app.log.warn({ folder: root }, 'web client not found; `npm run build` builds it')
  else {
    const assets = join(root, 'assets') + sep
    await app.register(fastifyStatic, {
      root,
      index: 'index.html',
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders(reply, path) {
        // Names of built assets contain a hash of their content.
        const forEver = path.startsWith(assets)
        reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }

  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!
    if (!isBuilt || !wantsPage(request) || programs.test(path)) throw new Failure('NOT_FOUND')
    return reply
      .code(pages.test(path) ? 200 : 404)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await readFile(index))
  })
}

function wantsPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '')
}
