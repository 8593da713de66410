import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { defaultSettings } from '@solstice/station'
import Fastify from 'fastify'
import { pino } from 'pino'
import { refuse } from '../../../apps/api/src/http/errors.ts'
import { createOrigins } from '../../../apps/api/src/limits/client-address.ts'
import { createFanOut } from '../../../apps/api/src/stream/fan-out.ts'
import { createAirMirror } from '../../../apps/api/src/stream/mirror.ts'
import { handMadeAir } from '../air/hand-made-air.ts'
import type { Teardown } from '../processes/processes.ts'
import { waiting } from '../until.ts'

type Test = Teardown

/** A server that fans out an air made by hand. */
export async function station(
  t: Test,
  kbits = 128,
  { trustProxyHops = 0, silentMs = 30_000, lateMs = 1_000 } = {},
) {
  const air = handMadeAir(kbits)
  const mirror = createAirMirror({ bus: air.bus, log: pino({ level: 'silent' }) })
  const config = {
    streamBitrate: kbits as 128,
    publicServerUrl: '',
    clientOrigins: ['http://page.example'],
    trustProxyHops,
  }
  const { directory, ...names } = defaultSettings.branding
  const uiSettings = { ...names, artistArts: defaultSettings.artistArts }
  const origins = createOrigins(config)
  const fanOut = createFanOut({
    mirror,
    clock: air.clock,
    config,
    origins,
    uiSettings: () => uiSettings,
    maxPerAddress: 2,
    silentMs,
    lateMs,
  })
  const app = Fastify()
  app.setErrorHandler(refuse)
  app.get('/stream', async (request, reply) => {
    const { from } = request.query as { from?: string }
    await fanOut.serve(request, reply, from === undefined ? {} : { from: Number(from) })
    return reply
  })
  app.get('/late', () => turn('late'))
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await fanOut.close()
    await app.close()
    await mirror.close()
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
