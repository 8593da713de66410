import { Readable } from 'node:stream'
import type { Track } from '@solstice/contracts'
import { Failure, type MediaKey, type MediaStorage } from '@solstice/station'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FileCaller } from '../auth/callers.ts'
import { readRange } from './byte-range.ts'

/** Links to tracks of unknown length last this long. */
const MAX_UNKNOWN_MS = 600_000

/** @throws Failure UNAUTHORIZED when the caller's token is for another file, or the file does not exist. */
export function refuseOtherFile(caller: FileCaller, key: MediaKey | null): void {
  if ('file' in caller && caller.file !== key) throw new Failure('UNAUTHORIZED')
}

/**
 * Sends a stored file, or the requested range of it.
 *
 * @param absent code of the refusal when the file does not exist.
 * @throws Failure RANGE_NOT_SATISFIABLE, or `absent`.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  media: Pick<MediaStorage, 'stat' | 'open'>,
  key: MediaKey,
  { contentType = 'audio/mpeg', absent = 'NOT_FOUND' as 'NOT_FOUND' | 'TRACK_NOT_FOUND' } = {},
): Promise<FastifyReply> {
  const stat = await media.stat(key)
  if (!stat) throw new Failure(absent)
  // Replies carry no validators, so a range that depends on one gets the whole file.
  const asked = request.headers['if-range'] === undefined ? request.headers.range : undefined
  const range = readRange(asked, stat.size)
  addVary(reply, 'Range')
  reply.header('cache-control', 'no-store').header('accept-ranges', 'bytes').type(contentType)
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${stat.size}`)
    throw new Failure('RANGE_NOT_SATISFIABLE')
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${stat.size}`)
  const { start, end } = range ?? { start: 0, end: stat.size - 1 }
  reply.header('content-length', end - start + 1)
  // An empty stream, because Fastify would set the length of an empty body to 0.
  if (request.method === 'HEAD' || stat.size === 0) return reply.send(Readable.from([]))
  return reply.send(await media.open(key, { start, end }))
}

/**
 * Redirects to a link that outlives the track, or sends the file where the storage has no links.
 *
 * @throws Failure as `sendFile`, STORAGE_URL_FAILED.
 */
export async function sendTrack(
  request: FastifyRequest,
  reply: FastifyReply,
  media: MediaStorage,
  track: Readonly<Track>,
): Promise<FastifyReply> {
  // Links are signed for GET only, so HEAD is answered here.
  const isAsked = request.method === 'HEAD'
  const link = isAsked ? null : await media.link(track.storageKey, { lastsS: longestMs(track) / 1000 })
  if (!link) return sendFile(request, reply, media, track.storageKey, { absent: 'TRACK_NOT_FOUND' })
  return reply.header('cache-control', 'no-store').redirect(link.url, 302)
}

/** Playing time of a track, in ms. */
export function longestMs({ duration }: Readonly<Track>): number {
  return duration === null ? MAX_UNKNOWN_MS : duration * 1000
}

function addVary(reply: FastifyReply, field: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others ? `${others}, ${field}` : field)
}
