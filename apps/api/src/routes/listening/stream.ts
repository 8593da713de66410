import type { Config } from '@solstice/adapters'
import { listening } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { FanOut } from '../../stream/fan-out.ts'
import { mountRoutes } from '../../stream/paths.ts'
import type { Streams } from '../../stream/streams.ts'

export interface StreamDeps {
  config: Pick<Config, 'streamMode'>
  streams: Streams
}

/** The broadcast, in each of its mounts. */
export function streamRoutes(app: FastifyInstance, { config, streams }: StreamDeps): void {
  for (const route of [listening.getStream, listening.getPublicStream]) {
    implement(app, route, async ({ query, request, reply }) => {
      if (!config.streamMode) throw new Failure('STREAM_OFF')
      const isForAllSites = route === listening.getPublicStream
      return serve(streams.first, request, reply, { ...query, isForAllSites })
    })
  }
  for (const codec of ['mp3', 'aac', 'opus'] as const) {
    implement(app, mountRoutes[codec], async ({ params, query, request, reply }) => {
      if (!config.streamMode) throw new Failure('STREAM_OFF')
      const fanOut = streams.others.get(`${codec}-${params.bitrate}`)
      if (!fanOut) throw new Failure('NOT_FOUND')
      return serve(fanOut, request, reply, { ...query, isForAllSites: true })
    })
  }
  implement(app, listening.getOpusStream, async ({ query, request, reply }) => {
    if (!config.streamMode) throw new Failure('STREAM_OFF')
    const [, fanOut] = [...streams.others].find(([id]) => id.startsWith('opus-')) ?? []
    if (!fanOut) throw new Failure('NOT_FOUND')
    return serve(fanOut, request, reply, { ...query, isForAllSites: true })
  })
}

async function serve(
  fanOut: FanOut,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Parameters<FanOut['serve']>[2],
): Promise<FastifyReply> {
  await fanOut.serve(request, reply, options)
  // The connection has left HTTP, so the usual log line of a request never comes.
  const isHead = request.method === 'HEAD'
  request.log.info({ req: request }, isHead ? 'stream probed' : 'stream listener joined')
  return reply
}
