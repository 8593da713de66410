import { privilegeOfEvent, type WebhookEventType, webhooks } from '@solstice/contracts'
import { type Admin, holds } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { EventFollowers } from '../background/event-followers.ts'
import { implement } from '../http/implement.ts'

/** Events of the station, as they happen: those that the account may know of. */
export function eventRoutes(app: FastifyInstance, { events }: { events: EventFollowers }): void {
  const route = webhooks.followEvents
  implement(app, route, async ({ caller, request, reply }) => {
    const admit = async () => seesOf(await app.gate.admit(route, request, 0))
    await events.follow(caller.adminId, { request, reply }, admit)
    request.log.info({ req: request }, 'events followed')
    return reply
  })
}

const seesOf = (admin: Admin) => (type: string) => {
  const needed = privilegeOfEvent[type as WebhookEventType]
  return needed === undefined || holds(admin, needed)
}
