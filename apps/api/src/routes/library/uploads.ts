import { type LyricsStatus, messages, uploads } from '@solstice/contracts'
import {
  commitTrack,
  decodeFilename,
  Failure,
  isMode,
  isTrackTaken,
  lyricsStatus,
  receiveTrack,
  type UploadDeps,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'

const lyricsMessages = {
  synced: messages.LYRICS_SYNCED,
  plain: messages.LYRICS_PLAIN,
  none: messages.LYRICS_NONE,
} as const satisfies Record<LyricsStatus, object>

/** New tracks: is the name free, the file, its commit. */
export function uploadRoutes(app: FastifyInstance, deps: UploadDeps): void {
  implement(app, uploads.checkDuplicate, async ({ body: { trackId } }) => {
    if (!trackId?.trim()) throw new Failure('BAD_REQUEST', { field: 'trackId', reason: 'missing' })
    return { ok: true as const, exists: await isTrackTaken(deps.data, trackId) }
  })

  implement(app, uploads.uploadTrackFile, async ({ query, body, request }) => {
    const mode = query.mode ?? 'day'
    if (!isMode(mode)) throw new Failure('BAD_REQUEST', { field: 'mode' })
    const filename = decodeFilename(String(request.headers['x-file-name']))
    const metadata = await receiveTrack(deps, { mode, filename, content: body })
    return { ok: true as const, storageKey: metadata.storageKey, metadata }
  })

  implement(app, uploads.commitTrack, async ({ body: { metadata = {}, lyricsEntry }, caller }) => {
    const { track, lyrics } = await commitTrack(deps, caller, { metadata, lyrics: lyricsEntry })
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
