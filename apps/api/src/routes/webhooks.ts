import { webhooks } from '@solstice/contracts'
import {
  createWebhook,
  type DataStore,
  deleteWebhook,
  editWebhook,
  type JobQueue,
  type Log,
  listMessages,
  listWebhooks,
  replayMessage,
  testWebhook,
  type WebhookDeps,
} from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import { implement } from '../http/implement.ts'

const MAX_PAGE = 100

export interface WebhookRouteDeps extends WebhookDeps {
  data: Pick<DataStore, 'webhooks' | 'webhookMessages'>
  jobs: Pick<JobQueue, 'add'>
  log: Log
}

/** The addresses that are told of events, and the messages to them. */
export function outgoingWebhookRoutes(app: FastifyInstance, deps: WebhookRouteDeps): void {
  const { data, jobs, log } = deps
  const ok = true as const
  /** A webhook is told of what happens after the next sweep. */
  const sweepSoon = () =>
    jobs.add('sweep-events', {}, { id: 'sweep-events', requeueIfActive: true }).catch((error) => {
      log.warn({ err: error }, 'events not swept: they will be in a few seconds')
    })

  implement(app, webhooks.listWebhooks, async () => ({ ok, webhooks: await listWebhooks(data) }))

  implement(app, webhooks.createWebhook, async ({ caller, body }) => {
    const created = await createWebhook(deps, caller, body)
    await sweepSoon()
    return { ok, ...created }
  })

  implement(app, webhooks.editWebhook, async ({ caller, params, body }) => {
    const webhook = await editWebhook(deps, caller, params.id, body)
    await sweepSoon()
    return { ok, webhook }
  })

  implement(app, webhooks.deleteWebhook, async ({ caller, params }) => {
    await deleteWebhook(deps, caller, params.id)
    return { ok }
  })

  implement(app, webhooks.testWebhook, async ({ params }) => ({
    ok,
    message: await testWebhook(deps, params.id),
  }))

  implement(app, webhooks.listWebhookMessages, async ({ params, query }) => ({
    ok,
    ...(await listMessages(deps, params.id, { ...query, limit: Math.min(query.limit, MAX_PAGE) })),
  }))

  implement(app, webhooks.replayWebhookMessage, async ({ params }) => ({
    ok,
    message: await replayMessage(deps, params),
  }))
}
