import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { defaultSettings, type Mount } from '@solstice/station'
import Fastify from 'fastify'
import { pino } from 'pino'
import { refuse } from '../../../apps/api/src/http/errors.ts'
import { createOrigins } from '../../../apps/api/src/limits/client-address.ts'
import { createConnectionCounter } from '../../../apps/api/src/limits/connection-counter.ts'
import { createFanOut } from '../../../apps/api/src/stream/fan-out.ts'
import { createMountMirror } from '../../../apps/api/src/stream/mount-mirror.ts'
import { handMadeAir } from '../air/hand-made-air.ts'
import type { Teardown } from '../processes/processes.ts'
import { waiting } from '../until.ts'

type Test = Teardown

/** A server that fans out an air made by hand. */
export async function station(
  t: Test,
  kbits = 128,
  { trustProxyHops = 0, silentMs = 30_000, lateMs = 1_000, codec = 'mp3' as Mount['codec'] } = {},
) {
  const air = handMadeAir(kbits, undefined, codec)
  const mount: Mount = { codec, bitrate: kbits }
  const { mirror, follow } = createMountMirror({ bus: air.bus, log: pino({ level: 'silent' }) }, mount)
  const over = new AbortController()
  const following = follow(over.signal)
  const config = {
    publicServerUrl: '',
    clientOrigins: ['http://page.example'],
    trustProxyHops,
  }
  const { directory, ...names } = defaultSettings.branding
  const uiSettings = { ...names, artistArts: defaultSettings.artistArts }
  const origins = createOrigins(config)
  const fanOut = createFanOut({
    mirror,
    mount,
    mode: () => 'day',
    clock: air.clock,
    config,
    origins,
    settings: { now: () => uiSettings, directory: () => directory },
    counter: createConnectionCounter(2),
    silentMs,
    lateMs,
  })
  const app = Fastify()
  app.setErrorHandler(refuse)
  app.get('/stream', async (request, reply) => {
    const { from } = request.query as { from?: string }
    const isForAllSites = request.headers['x-public'] === '1'
    await fanOut.serve(request, reply, { ...(from !== undefined && { from: Number(from) }), isForAllSites })
    return reply
  })
  app.get('/late', () => turn('late'))
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await fanOut.close()
    await app.close()
    over.abort()
    await following
  })
  const port = (app.server.address() as { port: number }).port
  return { air, mirror, fanOut, app, port, sockets }
}

/** A player: asks for the stream over a bare connection and keeps what it got. */
export async function listen(port: number, path = '/stream', headers: string[] = [], method = 'GET') {
  const socket = connect(port, '127.0.0.1')
  let parts: Buffer[] = []
  let length = 0
  const bytes = () => {
    if (parts.length > 1) parts = [Buffer.concat(parts)]
    return parts[0] ?? Buffer.alloc(0)
  }
  let isOver = false
  const told = waiting()
  socket.on('data', (part) => {
    parts.push(part)
    length += part.length
    told.changed()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isOver = true
    told.changed()
  })
  socket.write([`${method} ${path} HTTP/1.1`, 'Host: radio.example', ...headers, '', ''].join('\r\n'))
  /** @throws when the stream ends before it is so. */
  const untilItGot = (what: string, isThere: () => boolean) =>
    told.until(what, () => {
      if (isThere()) return true
      if (isOver) throw new Error(`the stream ended ${length} bytes in, before ${what}`)
      return false
    })
  await untilItGot('the head of an answer', () => bytes().includes('\r\n\r\n'))
  const bodyAt = bytes().indexOf('\r\n\r\n') + 4
  const head = bytes().toString('latin1', 0, bodyAt)
  return {
    socket,
    head,
    closed: () => told.until('the end of the stream', () => isOver),
    firstFrame: Number(/X-Stream-Frame: (\d+)/.exec(head)?.[1]),
    get body() {
      return bytes().subarray(bodyAt)
    },
    got: (count: number) => untilItGot(`${count} bytes of the body`, () => length - bodyAt >= count),
  }
}
