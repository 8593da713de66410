import { areSecretsEqual, type Config } from '@solstice/adapters'
import {
  type Capabilities,
  type LibraryItem,
  listening,
  privileges,
  type Track,
  xorWithToken,
} from '@solstice/contracts'
import {
  type Audit,
  artistKey,
  type DataStore,
  editLyrics,
  Failure,
  findArt,
  type Lyrics,
  libraryOf,
  type MediaLink,
  type MediaStorage,
  memoizeLast,
  type Payments,
  readDonationSettings,
  recentHistory,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { modeOnAir } from '../air/mode.ts'
import type { ListenerCaller } from '../auth/callers.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Picture } from '../background/avatars.ts'
import { longestMs, refuseOtherFile, sendTrack } from '../files/send-file.ts'
import { implement } from '../http/implement.ts'
import type { Origins } from '../limits/client-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { FanOut } from '../stream/fan-out.ts'
import type { AirMirror } from '../stream/mirror.ts'
import { refuseEscape } from './artwork.ts'

export interface ListeningDeps {
  config: Config
  capabilities: Capabilities
  payments: Payments
  data: DataStore
  media: MediaStorage
  audit: Audit
  clock: WallClock
  mirror: AirMirror
  fanOut: FanOut
  tokens: Tokens
  origins: Origins
  lyrics: Lyrics
  limits: Pick<RequestLimits, 'lyrics' | 'otherLyrics'>
  avatars: ReadonlyMap<string, Picture>
}

/** The largest image that is wrapped and sent in one piece. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024

/** What a listener needs: the station, its library and lyrics, pictures, and the sound. */
export function listeningRoutes(app: FastifyInstance, deps: ListeningDeps): void {
  const { config, capabilities, data, media, clock, mirror, tokens, origins } = deps

  const donationInfo = async () => {
    const { active } = deps.payments
    if (!capabilities.donations || !active) return null
    const { id: provider, displayName } = active
    const settings = await readDonationSettings(data, active)
    return { provider, displayName, ...settings, donationRetentionDays: config.donationRetentionDays }
  }

  implement(app, listening.getConfig, async () => ({
    dataProvider: config.dataProvider,
    musicSource: config.mediaStorage,
    nightMode: config.nightMode,
    streamMode: config.streamMode,
    radioHostsMode: config.radioHostsMode,
    allPrivileges: [...privileges],
    timeZone: config.timeZone,
    capabilities,
    donationInfo: await donationInfo(),
  }))

  implement(app, listening.getHistory, async () =>
    capabilities.history ? [...(await recentHistory(data, mirror.at(clock.nowMs())))] : [],
  )

  implement(app, listening.getLibrary, async ({ reply }) => {
    const tracks = await libraryOf(data, modeOnAir({ config, clock, mirror }))
    return reply.type('application/json; charset=utf-8').send(libraryAsJson(tracks))
  })

  implement(app, listening.getLyrics, async ({ query, caller, reply }) => {
    for (const field of ['title', 'artist'] as const) {
      if (!query[field].trim()) throw new Failure('BAD_REQUEST', { field })
    }
    const entry = await deps.lyrics.read(query, async (isOurs) => {
      await deps.limits.lyrics(caller.uid, reply)
      if (!isOurs) await deps.limits.otherLyrics('everybody', reply)
    })
    return sendWrapped(reply, Buffer.from(JSON.stringify(entry)), caller)
  })

  implement(app, listening.getArtUrl, async ({ query, caller, request, reply }) => {
    const key = await findArt(data, query.artist)
    if (key === null) throw new Failure('NOT_FOUND')
    const link = await media.link(key)
    if (link) return sendLink(reply, link)
    return {
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
    const avatar = deps.avatars.get(params.filename)
    if (!avatar) throw new Failure('NOT_FOUND')
    return sendWrapped(reply.header('x-art-mime', avatar.mime), avatar.bytes, caller)
  })

  implement(app, listening.getAudioKey, ({ caller, request, reply }) => {
    if (!areSecretsEqual(String(request.headers['x-listener-uid']), caller.uid))
      throw new Failure('ART_TOKEN_INVALID')
    reply.header('cache-control', 'no-store')
    return tokens.issueAudioToken(caller.uid, clock.nowMs())
  })

  implement(
    app,
    listening.getAudio,
    async ({ query, request, reply }) => {
      return sendTrack(request, reply, media, await findTrack(data, query.track))
    },
    {
      // A pair of tokens that was good when the track began also serves its later ranges.
      graceMs: async ({ headers, query }) => {
        const { track: id } = query as { track?: unknown }
        if (headers.range === undefined || typeof id !== 'string') return 0
        const track = await data.tracks.get(id)
        return track ? longestMs(track) : 0
      },
    },
  )

  implement(app, listening.getAudioUrl, async ({ query, caller, request, reply }) => {
    const track = await findTrack(data, query.track)
    const link = await media.link(track.storageKey, { lastsS: longestMs(track) / 1000 })
    if (link) return sendLink(reply, link)
    const { artToken, audioToken } = caller
    reply.header('cache-control', 'no-store')
    const own = new URLSearchParams({ track: track.id, artToken, audioToken })
    return { url: `${origins.ownOrigin(request.raw)}/api/audio/stream?${own}` }
  })

  implement(app, listening.setLyricsOffset, async ({ body: { offset, ...song }, caller }) => ({
    ok: true as const,
    offset: (await editLyrics(deps, caller, song, { offset })).offset,
  }))

  implement(app, listening.getAdminAudio, async ({ query, caller, request, reply }) => {
    const track = await data.tracks.get(query.track)
    refuseOtherFile(caller, track?.storageKey ?? null)
    return sendTrack(request, reply, media, await findTrack(data, query.track))
  })

  for (const route of [listening.getStream, listening.getPublicStream]) {
    implement(app, route, async ({ query, request, reply }) => {
      if (!config.streamMode) throw new Failure('STREAM_OFF')
      await deps.fanOut.serve(request, reply, query)
      // From here on the connection is out of HTTP's hands, so nothing else would name it in the log.
      const isHead = request.method === 'HEAD'
      request.log.info({ req: request }, isHead ? 'the stream was looked for' : 'a listener joins the stream')
      return reply
    })
  }
}

/** All listeners ask for the library again when it changes, so it is serialized once per change. */
const libraryAsJson = memoizeLast((tracks: readonly Readonly<Track>[]) => {
  const items: LibraryItem[] = tracks.map(({ id, title, artist }) => ({ id, title, artist }))
  return Buffer.from(JSON.stringify(items))
})

function sendLink(reply: FastifyReply, { url, ttlS }: MediaLink): { url: string; ttl: number } {
  reply.header('cache-control', 'no-store')
  return { url, ttl: ttlS }
}

function sendWrapped(reply: FastifyReply, bytes: Uint8Array, { artToken }: ListenerCaller): FastifyReply {
  return reply
    .type('application/octet-stream')
    .header('cache-control', 'no-store')
    .send(Buffer.from(xorWithToken(bytes, artToken)))
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
