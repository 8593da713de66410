import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { listening } from '@solstice/contracts'
import { defaultSettings, type Mount, mountId } from '@solstice/station'
import Fastify from 'fastify'
import { pino } from 'pino'
import { refuse, refuseConnection } from '../../../apps/api/src/http/errors.ts'
import { useShortcuts } from '../../../apps/api/src/http/shortcuts.ts'
import { createOrigins } from '../../../apps/api/src/limits/client-address.ts'
import { createAirMirror } from '../../../apps/api/src/stream/mirror.ts'
import { createStreams } from '../../../apps/api/src/stream/streams.ts'
import { type HandMadeAir, handMadeAir } from '../air/hand-made-air.ts'
import type { Teardown } from '../processes/processes.ts'
import { waiting } from '../until.ts'

/**
 * A server that fans out airs made by hand: at `/stream` that of the mount under test, at `/short` the same by a shortcut, at `/first`
 * that of the first one, which is the same unless told otherwise. @param options.isBeside an MP3 beside the first, as other codecs always
 * are.
 */
export async function station(
  t: Teardown,
  kbits = 128,
  {
    trustProxyHops = 0,
    silentMs = 30_000,
    lateMs = 1_000,
    codec = 'mp3' as Mount['codec'],
    isBeside = false,
  } = {},
) {
  const mount: Mount = { codec, bitrate: kbits }
  const isFirst = codec === 'mp3' && !isBeside
  const air = handMadeAir(kbits, undefined, codec)
  const first = isFirst ? air : handMadeAir()
  const bus: HandMadeAir['bus'] = {
    ...first.bus,
    frames: (signal, id) => (id ? air : first).bus.frames(signal),
  }
  const mirror = createAirMirror({
    bus,
    log: pino({ level: 'silent' }),
    config: { otherMounts: isFirst ? [] : [mount] },
  })
  const config = {
    streamBitrate: isFirst ? kbits : 128,
    publicServerUrl: '',
    clientOrigins: ['http://page.example'],
    trustProxyHops,
  }
  const { directory, ...names } = defaultSettings.branding
  const uiSettings = { ...names, artistArts: defaultSettings.artistArts }
  const streams = createStreams(
    {
      mirror,
      clock: air.clock,
      config,
      origins: createOrigins(config),
      settings: { now: () => uiSettings, directory: () => directory },
      onTaken: () => {},
      silentMs,
      lateMs,
    },
    2,
  )
  const fanOut = isFirst ? streams.first : streams.others.get(mountId(mount))!
  const app = Fastify({ clientErrorHandler: refuseConnection })
  useShortcuts(app)
  app.setErrorHandler(refuse)
  app.shortcuts.add(listening.getPublicStream, '/short', fanOut.take)
  for (const [path, one] of [
    ['/stream', fanOut],
    ['/short', fanOut],
    ['/first', streams.first],
  ] as const) {
    app.get(path, async (request, reply) => {
      const { from } = request.query as { from?: string }
      const isForAllSites = request.headers['x-public'] === '1'
      await one.serve(request, reply, { ...(from !== undefined && { from: Number(from) }), isForAllSites })
      return reply
    })
  }
  app.get('/late', () => turn('late'))
  const sockets: Socket[] = []
  app.server.on('connection', (socket) => sockets.push(socket))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await streams.close()
    await app.close()
    await mirror.close()
  })
  const port = (app.server.address() as { port: number }).port
  const mirrorOf = isFirst ? mirror : mirror.others[0]!.mirror
  return { air, first, mirror: mirrorOf, fanOut, app, port, sockets }
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
