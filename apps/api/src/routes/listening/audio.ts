import { areSecretsEqual } from '@solstice/adapters'
import { listening, type Track } from '@solstice/contracts'
import { type DataStore, Failure, type MediaStorage, type WallClock } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Tokens } from '../../auth/tokens.ts'
import { longestMs, refuseOtherFile, sendTrack } from '../../files/send-file.ts'
import { implement } from '../../http/implement.ts'
import type { Origins } from '../../limits/client-address.ts'
import { createFrameTables, FRAMES_PER_ENTRY } from './frame-tables.ts'
import { linkReply } from './wrapped.ts'

export interface AudioDeps {
  data: DataStore
  media: MediaStorage
  clock: WallClock
  tokens: Tokens
  origins: Origins
}

/** The audio of single tracks. */
export function audioRoutes(app: FastifyInstance, deps: AudioDeps): void {
  const { data, media, clock, tokens, origins } = deps

  implement(app, listening.getAudioKey, ({ caller, request, reply }) => {
    if (!areSecretsEqual(String(request.headers['x-listener-uid']), caller.uid))
      throw new Failure('ART_TOKEN_INVALID')
    reply.header('cache-control', 'no-store')
    return tokens.issueAudioToken(caller.uid, clock.nowMs())
  })

  implement(
    app,
    listening.getAudio,
    async ({ query, request, reply }) => sendTrack(request, reply, media, await findTrack(data, query.track)),
    {
      // Tokens that were valid when the track began also open its later ranges.
      graceMs: async ({ headers, query }) => {
        const { track: id } = query as { track?: unknown }
        if (headers.range === undefined || typeof id !== 'string') return 0
        const track = await data.tracks.get(id)
        return track ? longestMs(track) : 0
      },
    },
  )

  const framesOf = createFrameTables(media)
  implement(app, listening.getAudioFrames, async ({ query, reply }) => {
    const { storageKey } = await findTrack(data, query.track)
    reply.header('cache-control', 'no-store')
    return { every: FRAMES_PER_ENTRY, at: [...(await framesOf(storageKey))] }
  })

  implement(app, listening.getAudioUrl, async ({ query, caller, request, reply }) => {
    const track = await findTrack(data, query.track)
    const link = await media.link(track.storageKey, { lastsS: longestMs(track) / 1000 })
    if (link) return linkReply(reply, link)
    const { artToken, audioToken } = caller
    reply.header('cache-control', 'no-store')
    const own = new URLSearchParams({ track: track.id, artToken, audioToken })
    return { url: `${origins.ownOrigin(request.raw)}/api/audio/stream?${own}` }
  })

  implement(app, listening.getAdminAudio, async ({ query, caller, request, reply }) => {
    const track = await data.tracks.get(query.track)
    refuseOtherFile(caller, track?.storageKey ?? null)
    return sendTrack(request, reply, media, await findTrack(data, query.track))
  })
}

/** The track of an id that a client sent. @throws Failure BAD_REQUEST for one that tries to leave the library. */
async function findTrack(data: DataStore, id: string): Promise<Readonly<Track>> {
  const leavesItsPlace = id.split('/').some((part) => /^\.{0,2}$/.test(part))
  const isHostile = leavesItsPlace || /[\\\p{Cc}]|^[a-z]:/iu.test(id)
  if (isHostile) throw new Failure('BAD_REQUEST', { field: 'track' })
  const track = await data.tracks.get(id)
  if (!track) throw new Failure('TRACK_NOT_FOUND')
  return track
}
