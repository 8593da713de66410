import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type OutgoingHttpHeaders } from 'node:http2'
import { get, type RequestOptions, request } from 'node:https'
import { json, text } from 'node:stream/consumers'
import { frameBytes } from '@solstice/station'
import { io } from 'socket.io-client'
import t from 'tap'
import { SUPER_ADMIN } from '../harness/people/admin.ts'
import { logIn, minuteOfFrames, uploadTrack } from '../harness/people/uploads.ts'
import { freePort } from '../harness/processes/processes.ts'
import { startCaddy } from '../harness/servers/caddy.ts'
import { startNginx } from '../harness/servers/nginx.ts'
import { prepareStation } from '../harness/stations/station.ts'

const HEARD_FRAMES = 200

t.test('a domain is enough: Caddy puts the station behind HTTPS, and nothing else changes', async (t) => {
  const station = await prepareStation(t, [{ name: 'Song', hz: 440, seconds: 60 }], {
    ...SUPER_ADMIN,
    TRUST_PROXY_HOPS: '1',
    PUBLIC_SERVER_URL: 'https://localhost',
    DEMO_LIBRARY: 'false',
  })
  const port = await freePort()
  const [api, worker] = await Promise.all([
    station.startApi(port),
    station.startWorker(),
    station.startJobs(),
  ])
  await worker.printed(/the station is on air/)
  const nginx = await startNginx(t, [port], { isBehindProxy: true })
  const caddy = await startCaddy(t, nginx.port)
  const ca = caddy.agent.options.ca
  const ask = (path: string, options: RequestOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(caddy.url + path, { agent: caddy.agent, ...options }, resolve).once('error', reject)
    })

  await t.test('HTTP clients are redirected to HTTPS, and stay there', async (t) => {
    const plain = await fetch(`${caddy.plainUrl}/api/public/config?a=b`, { redirect: 'manual' })
    t.equal(plain.status, 308)
    t.match(plain.headers.get('location'), /^https:\/\/localhost(:\d+)?\/api\/public\/config\?a=b$/)
    const answer = await ask('/api/public/config')
    t.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
    t.match(await json(answer), { capabilities: {} })
  })

  await t.test('the endless stream arrives unchunked, as players need it', async (t) => {
    const stream = await ask('/api/stream/public.mp3', { headers: { 'icy-metadata': '1' } })
    t.teardown(() => stream.destroy())
    t.match(stream.headers, {
      'content-type': 'audio/mpeg',
      server: 'Icecast 2.4.4',
      'icy-metaint': '16000',
    })
    t.notOk('transfer-encoding' in stream.headers)
    const pure = await ask('/api/stream/public.mp3')
    t.teardown(() => pure.destroy())
    t.ok(await framesFrom(pure, HEARD_FRAMES), 'frame follows frame')
  })

  await t.test('a WebSocket is passed through with the address of its client', async (t) => {
    const uidOf = async (url: string, extraHeaders: Record<string, string>) => {
      const socket = io(url, {
        transports: ['websocket'],
        forceNew: true,
        extraHeaders,
        ...(url.startsWith('https:') && { agent: caddy.agent as unknown as string }),
      })
      t.teardown(() => socket.disconnect())
      const told = new Promise<{ uid: string }>((resolve) => socket.once('listener_uid', resolve))
      await once(socket as unknown as NodeJS.EventEmitter, 'connect')
      socket.emit('listener_init')
      return (await told).uid
    }
    const six = caddy.url.replace('localhost', '[::1]')
    const uid = await uidOf(six, { host: new URL(caddy.url).host, 'x-forwarded-for': '203.0.113.7' })
    t.equal(uid, await uidOf(api.url, { 'x-forwarded-for': '::1' }), 'not one that it claims, nor of a proxy')
  })

  await t.test('an upload of 80 MB passes, and one byte more is refused with a message', async (t) => {
    const token = await logIn(api.url, SUPER_ADMIN.ADMIN_LOGIN, SUPER_ADMIN.ADMIN_PASS)
    const piece = await minuteOfFrames(t)
    const most = 80 * 2 ** 20
    const taken = await uploadTrack(caddy.url, token, 'Long.mp3', piece, most, caddy.agent)
    t.match(taken, { status: 200 }, taken.body)
    const refused = await refusalOf(caddy.url, String(ca), {
      ':method': 'POST',
      ':path': '/api/admin/upload-song-file',
      authorization: `Bearer ${token}`,
      'content-type': 'audio/mpeg',
      'content-length': String(most + 1),
      'x-file-name': 'Longer.mp3',
    })
    t.match(refused, { error: { code: 'PAYLOAD_TOO_LARGE' } })
  })

  await t.test('an admin logs in from the station’s page, and from no other', async (t) => {
    const logInFrom = (origin: string) =>
      post(
        `${caddy.url}/api/admin/login`,
        { login: SUPER_ADMIN.ADMIN_LOGIN, password: SUPER_ADMIN.ADMIN_PASS },
        {
          agent: caddy.agent,
          headers: { origin, 'content-type': 'application/json' },
        },
      )
    t.equal((await logInFrom('https://localhost')).statusCode, 200)
    t.equal((await logInFrom('https://else.example')).statusCode, 403)
  })
})

/** Sends the request over HTTP/2, as browsers do, and keeps sending until the reply arrives. */
async function refusalOf(url: string, ca: string, headers: OutgoingHttpHeaders): Promise<unknown> {
  const session = connect(url, { ca, servername: 'localhost' })
  try {
    const sending = session.request(headers)
    const piece = Buffer.alloc(65_536)
    const send = () => {
      while (!sending.destroyed && sending.write(piece)) {}
    }
    sending.on('drain', send)
    sending.once('response', () => sending.off('drain', send))
    send()
    return JSON.parse(await text(sending))
  } finally {
    session.destroy()
  }
}

async function post(url: string, body: object, options: RequestOptions): Promise<IncomingMessage> {
  const sending = request(url, { method: 'POST', ...options }).end(JSON.stringify(body))
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  await text(answer)
  return answer
}

/** True when the bytes begin with this many whole frames, one after another. */
async function framesFrom(stream: IncomingMessage, count: number): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0)
  let frames = 0
  for await (const bytes of stream) {
    rest = Buffer.concat([rest, bytes as Buffer])
    while (rest.length >= 4) {
      const length = frameBytes(rest, 0)
      if (!length) return false
      if (length > rest.length) break
      rest = rest.subarray(length)
      if (++frames === count) return true
    }
  }
  return false
}
