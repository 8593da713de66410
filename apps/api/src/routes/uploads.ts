import { type LyricsStatus, messages, uploads } from '@solstice/contracts'
import { createTrackUploads, decodeFilename, Failure, isMode, lyricsStatus } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../http/implement.ts'

const lyricsMessages = {
  synced: messages.LYRICS_SYNCED,
  plain: messages.LYRICS_PLAIN,
  none: messages.LYRICS_NONE,
} as const satisfies Record<LyricsStatus, object>

/** New tracks: is the name free, the file, its commit. */
export function uploadRoutes(app: FastifyInstance, deps: Parameters<typeof createTrackUploads>[0]): void {
  const tracks = createTrackUploads(deps)

  implement(app, uploads.checkDuplicate, async ({ body: { trackId } }) => {
    if (!trackId?.trim()) throw new Failure('BAD_REQUEST', { field: 'trackId', reason: 'missing' })
    return { ok: true as const, exists: await tracks.isTaken(trackId) }
  })

  implement(app, uploads.uploadSongFile, async ({ query, body, request }) => {
    const mode = query.mode ?? 'day'
    if (!isMode(mode)) throw new Failure('BAD_REQUEST', { field: 'mode' })
    const filename = decodeFilename(String(request.headers['x-file-name']))
    const metadata = await tracks.receive(mode, filename, body)
    return { ok: true as const, storageKey: metadata.storageKey, metadata }
  })

  implement(app, uploads.commitSong, async ({ body: { metadata = {}, lyricsEntry }, caller }) => {
    const { track, lyrics } = await tracks.commit(metadata, lyricsEntry, caller)
    const status = lyricsStatus(lyrics)
    return {
      ok: true as const,
      track,
      lyricsStatus: status,
      lyricsFormat: status === 'none' ? null : status,
      lyricsMessage: lyricsMessages[status],
      message: messages.TRACK_ADDED,
    }
  })
}
