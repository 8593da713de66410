import { listening } from '@solstice/contracts'
import {
  coverIdsOf,
  type DataStore,
  Failure,
  findCoverFile,
  type MediaKey,
  type MediaStorage,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Tokens } from '../../auth/tokens.ts'
import { type ImplementOptions, implement } from '../../http/implement.ts'
import { perAddress } from '../../limits/per-address.ts'
import type { RequestLimits } from '../../limits/request-limits.ts'

export interface CoverDeps {
  config: { trustProxyHops: number }
  data: Pick<DataStore, 'covers' | 'trackCovers'>
  media: Pick<MediaStorage, 'open'>
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'covers'>
}

/** All pages ask for the same few images when a track begins. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** Covers of tracks, for everybody: which a track has, and the images, which never change under their addresses. */
export function coverRoutes(app: FastifyInstance, deps: CoverDeps): void {
  const { data } = deps
  const read = keepFiles(deps.media)
  const options: ImplementOptions = {
    limit: perAddress(deps, deps.limits.covers),
  }

  implement(
    app,
    listening.findCovers,
    async ({ body }) => ({ covers: await coverIdsOf(data, body.tracks) }),
    options,
  )

  implement(
    app,
    listening.getCover,
    async ({ params, request, reply }) => {
      reply.removeHeader('access-control-allow-credentials')
      reply.header('access-control-allow-origin', '*')
      const key = await findCoverFile(data, params.id, Number(params.size))
      if (key === null) throw new Failure('NOT_FOUND')
      const etag = `"${key.slice(key.lastIndexOf('/') + 1)}"`
      const known = request.headers['if-none-match']?.includes(etag)
      const image = known ? null : await read(key)
      reply.header('cache-control', 'public, max-age=31536000, immutable').header('etag', etag)
      return image ? reply.type('image/webp').send(image) : reply.code(304).send()
    },
    options,
  )
}

/** Reads files, and keeps those that were asked for last in memory. Requests for one file share a read. */
function keepFiles(media: Pick<MediaStorage, 'open'>): (key: MediaKey) => Promise<Buffer> {
  const kept = new Map<MediaKey, Buffer>()
  const reading = new Map<MediaKey, Promise<Buffer>>()
  let bytes = 0

  const keep = (key: MediaKey, file: Buffer) => {
    kept.set(key, file)
    bytes += file.length
    for (const [oldest, { length }] of kept) {
      if (bytes <= MAX_KEPT_BYTES) return
      kept.delete(oldest)
      bytes -= length
    }
  }
  const readNow = async (key: MediaKey) => {
    const file = Buffer.concat(await (await media.open(key)).toArray())
    keep(key, file)
    return file
  }
  return async (key) => {
    const file = kept.get(key)
    if (file) {
      // A map is in order of insertion: this one is the youngest now.
      kept.delete(key)
      kept.set(key, file)
      return file
    }
    const begun = reading.get(key) ?? readNow(key).finally(() => reading.delete(key))
    reading.set(key, begun)
    return begun
  }
}
