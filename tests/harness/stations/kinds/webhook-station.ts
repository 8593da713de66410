import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { WebhookMessage } from '@solstice/contracts'
import { recordPlayed } from '@solstice/station'
import { Webhook } from 'standardwebhooks'
import type { Test } from 'tap'
import { processorsOf } from '../../../../apps/jobs/src/processors/index.ts'
import { asAdmin, SUPER_ADMIN } from '../../people/admin.ts'
import { openApp } from '../app.ts'

export const ENV = {
  ...SUPER_ADMIN,
  WEBHOOK_LOCAL_HOSTS: '127.0.0.1',
  NIGHT_MODE: 'false',
  LYRICS_API_URL: '',
}
export const DAY_MS = 86_400_000

/** A station that tells a server of the test's own, which keeps what it is told. The webhooks go after each test. */
export async function openWebhookStation(t: Test) {
  const station = await openApp(t, ENV)
  const { ports } = station
  const { data } = ports
  const { ask, token } = await asAdmin(station)
  const base = await station.app.listen({ port: 0, host: '127.0.0.1' })
  const processors = processorsOf(ports)

  /** Answers with `status`; null = not at all. */
  const receiver = {
    status: 204 as number | null,
    taken: [] as { headers: IncomingHttpHeaders; body: string }[],
    news: new EventEmitter(),
    held: [] as ServerResponse[],
  }
  const server = createServer(async (request, response) => {
    receiver.taken.push({ headers: request.headers, body: await text(request) })
    if (receiver.status === null) receiver.held.push(response)
    else response.writeHead(receiver.status).end()
    receiver.news.emit('taken')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`

  const sweep = () => processors['sweep-events']({}, null as never)
  const deliver = (webhookId: string) =>
    processors['deliver-webhooks']({ webhookId }, { stopping: new AbortController().signal } as never)

  /** A webhook that is told of what happens from now on. */
  async function subscribe(types: string[]) {
    const { status, body } = await ask('POST /api/admin/webhooks', { url, types })
    t.equal(status, 200)
    await sweep()
    return { id: body.webhook.id as string, secret: body.secret as string }
  }

  async function messages(id: string): Promise<WebhookMessage[]> {
    return (await ask(`GET /api/admin/webhooks/${id}/messages`)).body.messages
  }

  const idsTaken = () => receiver.taken.map(({ headers }) => headers['webhook-id'])
  const track = { id: 'day/low.mp3', title: 'Low', artist: 'Tide', album: '', year: null, durationMs: 1 }

  /** Records that a track began `laterMs` from now. */
  const play = (title: string, laterMs = 0) =>
    recordPlayed(data, {
      ...{ track: { ...track, title }, mode: 'day', startedAtMs: Math.ceil(ports.clock.nowMs()) + laterMs },
    })

  /** What the webhook was told, each message verified. */
  const toldTo = (secret: string) =>
    receiver.taken.map(
      ({ headers, body }) =>
        new Webhook(secret).verify(body, headers as never) as { type: string; data: object },
    )

  t.beforeEach(() => {
    receiver.status = 204
    receiver.taken.length = 0
  })
  t.afterEach(async () => {
    for (const { id } of await data.webhooks.find()) await ask(`DELETE /api/admin/webhooks/${id}`)
  })
  return {
    ...{
      station,
      ports,
      data,
      ask,
      token,
      base,
      receiver,
      url,
      sweep,
      deliver,
      subscribe,
      messages,
      idsTaken,
      play,
      toldTo,
    },
  }
}
