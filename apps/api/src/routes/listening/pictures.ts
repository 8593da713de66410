import { listening } from '@solstice/contracts'
import {
  artistKey,
  type DataStore,
  Failure,
  findArt,
  findArtColor,
  type MediaStorage,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Picture } from '../../background/avatars.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import { refuseEscape } from '../library/artwork.ts'
import { linkReply, sendWrapped } from './wrapped.ts'

export interface PictureDeps {
  data: DataStore
  media: MediaStorage
  clock: WallClock
  origins: Origins
  avatars: ReadonlyMap<string, Picture>
}

/** A larger image would have to be held in memory as a whole to be wrapped. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024

/** Pictures of artists, and avatars. */
export function pictureRoutes(app: FastifyInstance, deps: PictureDeps): void {
  const { data, media, clock, origins, avatars } = deps

  implement(app, listening.getArtUrl, async ({ query, caller, request, reply }) => {
    const key = await findArt(data, query.artist)
    if (key === null) {
      if (query.absent) return { url: null }
      throw new Failure('NOT_FOUND')
    }
    const color = await findArtColor(data, query.artist)
    const link = await media.link(key)
    if (link) return { ...linkReply(reply, link), ...(color && { color }) }
    return {
      ...(color && { color }),
      url: `${origins.ownOrigin(request.raw)}/api/artist-art/${encodeURIComponent(artistKey(query.artist))}`,
      ttl: Math.max(0, Math.floor((caller.expiresAtMs - clock.nowMs()) / 1000)),
    }
  })

  implement(app, listening.getArtistArt, async ({ params, caller, reply }) => {
    refuseEscape(params.artist)
    const key = await findArt(data, params.artist)
    const stat = key === null ? null : await media.stat(key)
    if (key === null || !stat || stat.size > MAX_IMAGE_BYTES) throw new Failure('NOT_FOUND')
    const image = Buffer.concat(await (await media.open(key)).toArray())
    return sendWrapped(reply.header('x-art-mime', 'image/jpeg'), image, caller)
  })

  implement(app, listening.getAvatar, ({ params, caller, reply }) => {
    if (!/^(?!\.|.*\.\.)[\w.-]+$/.test(params.filename))
      throw new Failure('BAD_REQUEST', { field: 'filename' })
    const avatar = avatars.get(params.filename)
    if (!avatar) throw new Failure('NOT_FOUND')
    return sendWrapped(reply.header('x-art-mime', avatar.mime), avatar.bytes, caller)
  })
}
