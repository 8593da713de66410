import { webhooks } from '@solstice/contracts'
import type { FastifyInstance } from 'fastify'
import type { EventFollowers } from '../background/event-followers.ts'
import { implement } from '../http/implement.ts'

/** Events of the station, as they happen. */
export function eventRoutes(app: FastifyInstance, { events }: { events: EventFollowers }): void {
  const route = webhooks.followEvents
  implement(app, route, async ({ caller, request, reply }) => {
    await events.follow(caller.adminId, { request, reply }, () => app.gate.admit(route, request, 0))
    request.log.info({ req: request }, 'events followed')
    return reply
  })
}
