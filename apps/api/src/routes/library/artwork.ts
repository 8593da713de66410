import { Readable } from 'node:stream'
import { artwork, messages } from '@solstice/contracts'
import {
  type Audit,
  type DataStore,
  deleteArt,
  Failure,
  findArt,
  type JobQueue,
  type Log,
  listArts,
  type MediaStorage,
  putArt,
  requireArtist,
  schedulePictures,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { sendFile } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'

/** The images of artists, for admins. */
export function artworkRoutes(
  app: FastifyInstance,
  deps: { data: DataStore; media: MediaStorage; audit: Audit; jobs: Pick<JobQueue, 'add'>; log: Log },
): void {
  const { data, media } = deps

  implement(app, artwork.listArtistArts, async () => ({ items: [...(await listArts(data))] }))

  implement(app, artwork.uploadArtistArt, async ({ query, body, caller }) => {
    const artist = requireArtist(query.artist)
    // In the path of a later request such a name would look like an escape.
    if (artist.includes('..')) throw new Failure('BAD_REQUEST', { field: 'artist' })
    const image = Buffer.concat(await Readable.from(body).toArray())
    const item = await putArt(deps, caller, artist, image)
    schedulePictures(deps)
    return { ok: true as const, item, message: messages.ART_SAVED }
  })

  implement(app, artwork.deleteArtistArt, async ({ params, caller }) => {
    refuseEscape(params.artist)
    return {
      ok: true as const,
      item: await deleteArt(deps, caller, params.artist),
      message: messages.ART_DELETED,
    }
  })

  implement(app, artwork.getArtistArtFile, async ({ params, request, reply }) => {
    refuseEscape(params.artist)
    const key = await findArt(data, params.artist)
    if (key === null) throw new Failure('NOT_FOUND')
    return sendFile(request, reply, media, key, { contentType: 'image/jpeg' })
  })
}

/** @throws Failure BAD_REQUEST when the artist in a path could lead to another folder. */
export function refuseEscape(artist: string): void {
  if (/[/\\\p{Cc}]|\.\./u.test(artist)) throw new Failure('BAD_REQUEST', { field: 'artist' })
}
