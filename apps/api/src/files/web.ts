import { stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

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
  await app.register(fastifyStatic, {
    root,
    index: false,
    dotfiles: 'ignore',
    preCompressed: true,
    allowedPath: (path) => !/(?:\/|\.(?:html|br|gz))$/.test(path),
    cacheControl: false,
    setHeaders(reply, path) {
      // Names of built assets contain a hash of their content.
      const forEver = path.startsWith(assets)
      reply.header('cache-control', forEver ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
