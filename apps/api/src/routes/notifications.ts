import { notifications } from '@solstice/contracts'
import {
  addNotification,
  type DataStore,
  type JobQueue,
  moveSubscription,
  type PushServices,
  removeNotification,
  type WallClock,
} from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Tokens } from '../auth/tokens.ts'
import { implement } from '../http/implement.ts'
import { addressOf } from '../limits/client-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { AirMirror } from '../stream/mirror.ts'

/** Time for which a page may keep the station's key, seconds. */
const KEY_AGE_S = 300

export interface NotificationDeps {
  config: { trustProxyHops: number }
  data: DataStore
  jobs: Pick<JobQueue, 'add'>
  pushServices: PushServices
  clock: WallClock
  mirror: AirMirror
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'notifications'>
  log: Logger
}

/** Tells browsers when a track is next: the station's key, and the wishes of listeners. */
export function notificationRoutes(app: FastifyInstance, deps: NotificationDeps): void {
  const { config, data, jobs, pushServices, clock, mirror, tokens, limits, log } = deps
  const uidOf = ({ raw }: FastifyRequest) => tokens.uidOf(addressOf(raw, config.trustProxyHops))
  const options: Parameters<typeof implement>[3] = {
    limit: (request, reply) => limits.notifications(uidOf(request), reply),
  }

  implement(
    app,
    notifications.getPushKey,
    async ({ reply }) => {
      reply.header('cache-control', `public, max-age=${KEY_AGE_S}`)
      return { publicKey: await pushServices.publicKey() }
    },
    options,
  )

  implement(
    app,
    notifications.addNotification,
    async ({ body, request }) => {
      const nowMs = clock.nowMs()
      const { endpoint, keys } = body.subscription
      const wish = {
        uid: uidOf(request),
        device: { endpoint, ...keys },
        song: body.song,
        lang: body.lang,
        nowMs,
      }
      const id = await addNotification({ data, pushServices }, mirror.at(nowMs), wish)
      // The track may be next already; otherwise whoever follows the queue sees to it.
      jobs
        .add('sweep-notifications', {}, { id: 'sweep-notifications', requeueIfActive: true })
        .catch((error) => {
          log.warn({ err: error }, 'notifications not swept: they will be within a minute')
        })
      return { ok: true as const, id }
    },
    options,
  )

  implement(
    app,
    notifications.moveSubscription,
    async ({ body: { endpoint, subscription } }) => {
      const device = { endpoint: subscription.endpoint, ...subscription.keys }
      await moveSubscription({ data, pushServices }, { endpoint, device })
      return { ok: true as const }
    },
    options,
  )

  implement(
    app,
    notifications.removeNotification,
    async ({ params, request }) => {
      await removeNotification(data, { id: params.id, uid: uidOf(request) })
      return { ok: true as const }
    },
    options,
  )
}
