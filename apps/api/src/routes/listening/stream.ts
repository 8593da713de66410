import type { Config } from '@solstice/adapters'
import { listening } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { Shortcut } from '../../http/shortcuts.ts'
import type { FanOut } from '../../stream/fan-out.ts'
import { createJoinLog, type JoinLog } from '../../stream/join-log.ts'
import { mountRoutes } from '../../stream/paths.ts'
import type { Streams } from '../../stream/streams.ts'

export interface StreamDeps {
  config: Pick<Config, 'streamMode'>
  streams: Streams
}

/** The broadcast, in each of its mounts. */
export function streamRoutes(app: FastifyInstance, { config, streams }: StreamDeps): void {
  const joins = createJoinLog(app.log)
  app.addHook('onClose', async () => joins.flush())
  const serve = serveWith(joins)
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
  addShortcuts(app, { config, streams }, joins)
}

/** Answers for a stream, and logs who joins it. */
function serveWith(joins: JoinLog) {
  return async (
    fanOut: FanOut,
    request: FastifyRequest,
    reply: FastifyReply,
    options: Parameters<FanOut['serve']>[2],
  ): Promise<FastifyReply> => {
    await fanOut.serve(request, reply, options)
    // The connection has left HTTP, so the usual log line of a request never comes.
    if (request.method === 'HEAD') request.log.info({ req: request }, 'stream probed')
    else joins.joined(request.raw, request.id)
    return reply
  }
}

/** Most listeners ask for a whole stream and nothing else, and a crowd of them comes at once. */
function addShortcuts(app: FastifyInstance, { config, streams }: StreamDeps, joins: JoinLog): void {
  if (!config.streamMode) return
  const answerWith =
    (fanOut: FanOut): Shortcut =>
    (request, response, requestId) => {
      const isTaken = fanOut.take(request, response, requestId)
      if (isTaken) joins.joined(request, requestId)
      return isTaken
    }
  app.shortcuts.add(listening.getPublicStream, listening.getPublicStream.path, answerWith(streams.first))
  for (const [id, fanOut] of streams.others) {
    const [codec, bitrate] = id.split('-') as [keyof typeof mountRoutes, string]
    const route = mountRoutes[codec]
    app.shortcuts.add(route, route.path.replace(':bitrate', bitrate), answerWith(fanOut))
  }
}
