import type { Config } from '@solstice/adapters'
import { listening } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../../http/implement.ts'
import type { FanOut } from '../../stream/fan-out.ts'

export interface StreamDeps {
  config: Pick<Config, 'streamMode'>
  fanOut: FanOut
}

/** The broadcast. */
export function streamRoutes(app: FastifyInstance, { config, fanOut }: StreamDeps): void {
  for (const route of [listening.getStream, listening.getPublicStream]) {
    implement(app, route, async ({ query, request, reply }) => {
      if (!config.streamMode) throw new Failure('STREAM_OFF')
      await fanOut.serve(request, reply, query)
      // The connection has left HTTP, so the usual log line of a request never comes.
      const isHead = request.method === 'HEAD'
      request.log.info({ req: request }, isHead ? 'stream probed' : 'stream listener joined')
      return reply
    })
  }
}
