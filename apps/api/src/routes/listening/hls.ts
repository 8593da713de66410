import { randomBytes } from 'node:crypto'
import type { Config } from '@solstice/adapters'
import { type FailureCode, listening } from '@solstice/contracts'
import { Failure, type MountId } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Hls } from '../../hls/hls.ts'
import { isUnchanged } from '../../http/conditional.ts'
import { keepRefusal } from '../../http/errors.ts'
import { type ImplementOptions, implement } from '../../http/implement.ts'
import { addressOf } from '../../limits/client-address.ts'
import { createRequestPace } from '../../limits/request-pace.ts'
import type { OpenCount } from '../../limits/shared-counts.ts'

/** While a cache fetches a new one, players get a playlist of up to 3 s. */
const PLAYLIST_MAX_AGE = 'public, max-age=1, stale-while-revalidate=2'
const SEGMENT_MAX_AGE = 'public, max-age=31536000, immutable'
/** A crowd that asks for what isn't there yet is one request, too. */
const REFUSAL_MAX_AGE = 'public, max-age=1'
/** Refusals that are the same for everybody. */
const KEPT_REFUSALS: readonly FailureCode[] = ['NOT_FOUND', 'STREAM_NOT_READY']
/** A thousand listeners behind one address ask for a playlist and a segment each, every 6 s. */
const PACE = { name: 'hls', turns: 4_000, windowS: 10 }

export interface HlsDeps {
  config: Pick<Config, 'streamMode' | 'trustProxyHops'>
  hls: Hls
  openCount: OpenCount
}

/** The broadcast in segments of 6 s, for players and caches. */
export function hlsRoutes(app: FastifyInstance, { config, hls, openCount }: HlsDeps): void {
  const addressIn = ({ raw }: FastifyRequest) => addressOf(raw, config.trustProxyHops)
  const pace = createRequestPace(PACE, openCount)
  const options: ImplementOptions = {
    async limit(request) {
      pace.take(addressIn(request))
      if (!config.streamMode) throw new Failure('STREAM_OFF')
    },
  }

  implement(
    app,
    listening.getHls,
    async ({ reply }) => {
      const text = await keptWhenRefused(reply, () => hls.master(randomBytes(8).toString('base64url')))
      return forAll(reply, listening.getHls.reply.bytes, PLAYLIST_MAX_AGE).send(text)
    },
    options,
  )

  implement(
    app,
    listening.getHlsMount,
    async ({ params, query, request, reply }) => {
      const { text, etag } = await keptWhenRefused(reply, () => hls.playlist(params.mount))
      if (request.method === 'GET')
        hls.listeners.seen(params.mount as MountId, {
          listener: query.listener,
          address: addressIn(request),
          agent: request.headers['user-agent'],
        })
      forAll(reply, listening.getHlsMount.reply.bytes, PLAYLIST_MAX_AGE).header('etag', etag)
      return isUnchanged(request, etag) ? reply.code(304).send() : reply.send(text)
    },
    options,
  )

  for (const [codec, route] of [
    ['mp3', listening.getHlsMp3Segment],
    ['aac', listening.getHlsAacSegment],
  ] as const) {
    implement(
      app,
      route,
      async ({ params, request, reply }) => {
        const { bytes, etag } = await keptWhenRefused(reply, () => {
          if (!params.mount.startsWith(`${codec}-`)) throw new Failure('NOT_FOUND')
          return hls.segment(params.mount, params.segment)
        })
        forAll(reply, route.reply.bytes, SEGMENT_MAX_AGE).header('etag', etag)
        return isUnchanged(request, etag) ? reply.code(304).send() : reply.send(bytes)
      },
      options,
    )
  }
}

/** Lets caches keep for a moment that something isn't there. */
async function keptWhenRefused<Answer>(
  reply: FastifyReply,
  find: () => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Failure && KEPT_REFUSALS.includes(error.code)) {
      withHeadForAll(reply)
      keepRefusal(reply, REFUSAL_MAX_AGE)
    }
    throw error
  }
}

/** The same head for every page that asks, so that a cache keeps one copy. */
function forAll(reply: FastifyReply, type: string, cacheControl: string): FastifyReply {
  return withHeadForAll(reply).header('cache-control', cacheControl).type(type)
}

function withHeadForAll(reply: FastifyReply): FastifyReply {
  return reply
    .removeHeader('vary')
    .removeHeader('access-control-allow-credentials')
    .header('access-control-allow-origin', '*')
}
