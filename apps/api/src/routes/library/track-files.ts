import { createHash } from 'node:crypto'
import { trackEditor } from '@solstice/contracts'
import { type DataStore, Failure, type JobQueue, type MediaStorage, readWaveform } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { sendFile } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'
import { attachment } from './attachment.ts'

export interface TrackFileDeps {
  data: DataStore
  media: MediaStorage
  jobs: JobQueue
}

/** A track's file, and its waveform. */
export function trackFileRoutes(app: FastifyInstance, deps: TrackFileDeps): void {
  implement(app, trackEditor.downloadTrack, async ({ query, request, reply }) => {
    const track = await deps.data.tracks.get(query.songId)
    if (!track) throw new Failure('TRACK_NOT_FOUND')
    reply.header('content-disposition', attachment(`${track.artist} - ${track.title}.mp3`))
    return sendFile(request, reply, deps.media, track.storageKey, { absent: 'TRACK_NOT_FOUND' })
  })

  implement(app, trackEditor.getPeaks, async ({ query, request, reply }) => {
    const { duration, peaks } = await readWaveform(deps, query.songId)
    const body = { ok: true as const, duration, peaks: peaks && [...peaks] }
    if (!peaks) return reply.code(202).send(body)
    const etag = `"${createHash('sha256').update(peaks).update(`${duration}`).digest('base64url').slice(0, 22)}"`
    // Asked for each time, since another file may come under this id; a token that has ended opens nothing.
    reply.header('cache-control', 'private, no-cache').header('etag', etag)
    // A proxy that compresses marks the tag as weak.
    return request.headers['if-none-match']?.includes(etag) ? reply.code(304).send() : body
  })
}
