import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** The web component for other sites. */
const PLAYER = 'solstice-player.js'
const builtWithUs = fileURLToPath(new URL('../../../web/dist', import.meta.url))

/** @param folder the built web client (`WEB_DIST`); null = where the build puts it. @returns null when nothing is built there. */
export async function builtFolder(folder: string | null): Promise<string | null> {
  const root = folder ?? builtWithUs
  return stat(join(root, 'index.html')).then(
    () => root,
    () => null,
  )
}

/** Serves the files of the built web client, compressed as the build left them. Its pages are filled, so they are no files. */
export async function serveBuiltFiles(app: FastifyInstance, root: string): Promise<void> {
  const assets = join(root, 'assets') + sep
  const player = join(root, PLAYER)
  await app.register(fastifyStatic, {
    root,
    index: false,
    dotfiles: 'ignore',
    preCompressed: true,
    allowedPath: (path) => !/(?:\/|\.(?:html|br|gz))$/.test(path),
    cacheControl: false,
    setHeaders(reply, path) {
      if (path.startsWith(player)) return forOtherSites(reply)
      // Names of built assets contain a hash of their content.
      const forEver = path.startsWith(assets)
      reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}

/** Any site may use it. A page that asks for a version of its own choice keeps that; others get a new one within the hour. */
function forOtherSites(reply: FastifyReply): void {
  const isVersion = /[?&]v=./.test(reply.request.url)
  const age = isVersion ? 'max-age=31536000, immutable' : 'max-age=3600, stale-while-revalidate=86400'
  reply.header('cache-control', `public, ${age}`)
  reply.header('access-control-allow-origin', '*')
  reply.removeHeader('access-control-allow-credentials')
}
