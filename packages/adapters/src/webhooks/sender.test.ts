import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { openWebhookSender } from './sender.ts'

const KEY = Buffer.alloc(32, 7)
const SECRET = `whsec_${KEY.toString('base64')}`
const MESSAGE = { id: 'msg_1', body: '{"type":"track.started","name":"Тиша"}', secret: SECRET }

/** The signature of `MESSAGE` as the specification describes it, without the library that signs. */
const signatureOf = (key: Buffer, timestamp: string) =>
  `v1,${createHmac('sha256', key).update(`${MESSAGE.id}.${timestamp}.${MESSAGE.body}`).digest('base64')}`

async function openReceiver(t: Test, answer: { status: number; headers?: Record<string, string> }) {
  const taken: { request: IncomingMessage; body: string }[] = []
  const server = createServer(async (request, response) => {
    taken.push({ request, body: await text(request) })
    response.writeHead(answer.status, answer.headers).end('x'.repeat(200_000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

t.test('messages are signed as the specification says', async (t) => {
  const receiver = await openReceiver(t, { status: 200 })
  const answer = await openWebhookSender(['127.0.0.1']).send(receiver.url, MESSAGE)
  t.same(answer, { status: 200, error: null }, 'a long answer is not read to its end')
  const [{ request, body }] = receiver.taken as [(typeof receiver.taken)[0]]
  const headers = request.headers as Record<string, string>
  t.equal(body, MESSAGE.body)
  t.equal(headers['webhook-id'], MESSAGE.id)
  t.match(headers['webhook-timestamp'], /^\d{10}$/)
  t.equal(headers['webhook-signature'], signatureOf(KEY, headers['webhook-timestamp']!))
  t.not(headers['webhook-signature'], signatureOf(Buffer.alloc(32, 8), headers['webhook-timestamp']!))
})

t.test('redirects are not followed', async (t) => {
  const target = await openReceiver(t, { status: 200 })
  const receiver = await openReceiver(t, { status: 307, headers: { location: target.url } })
  t.match(await openWebhookSender(['127.0.0.1']).send(receiver.url, MESSAGE), { status: 307 })
  t.equal(target.taken.length, 0)
})

t.test('only https at public addresses is accepted, and hosts that the operator named', async (t) => {
  const sender = openWebhookSender(['hooks.lan'])
  for (const url of ['http://hooks.lan:8080/x', 'https://hooks.lan/x', 'https://93.184.216.34/x'])
    t.equal(await sender.accepts(url), true, url)
  for (const url of [
    'http://93.184.216.34/x',
    'https://93.184.216.34:8443/x',
    'https://user:secret@93.184.216.34/x',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://10.1.2.3/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://2130706433/x',
    'ftp://hooks.lan/x',
    'nonsense',
  ])
    t.equal(await sender.accepts(url), false, url)
})

t.test('an address that is no longer allowed is not reached', async (t) => {
  const receiver = await openReceiver(t, { status: 200 })
  const sender = openWebhookSender([])
  t.match(await sender.send(receiver.url, MESSAGE), { status: null, error: 'not_public' })
  t.match(await sender.send('https://127.0.0.1/x', MESSAGE), { status: null, error: 'not_public' })
  t.equal(receiver.taken.length, 0)
})
