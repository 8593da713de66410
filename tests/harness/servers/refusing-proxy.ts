import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Teardown } from '../processes/processes.ts'

/** A proxy of somebody's network: it passes everything on to a station, but what it refuses. Replicas take turns with its requests. */
export async function startRefusingProxy(t: Teardown, ...replicas: [string, ...string[]]) {
  let refused: RegExp | null = null
  const open = new Map<Duplex, string>()
  let turn = 0
  const mayPass = (path: string, connection: Duplex) => {
    if (refused?.test(path)) return false
    if (!open.has(connection)) connection.once('close', () => open.delete(connection))
    open.set(connection, path)
    return true
  }
  const onward = ({ url, method, headers }: IncomingMessage) =>
    request(replicas[turn++ % replicas.length] + url!, { method, headers, agent: false })

  const server = createServer((ask, answer) => {
    if (!mayPass(ask.url!, ask.socket)) return void answer.writeHead(403).end()
    const passed = onward(ask)
    passed.on('response', (told) => {
      told.on('error', () => answer.destroy())
      told.pipe(answer.writeHead(told.statusCode!, told.headers))
    })
    passed.on('error', () => answer.destroy())
    answer.once('close', () => passed.destroy())
    ask.pipe(passed)
  })
  server.on('upgrade', (ask: IncomingMessage, near: Socket, fromNear: Buffer) => {
    near.on('error', () => {})
    if (!mayPass(ask.url!, near)) return void near.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const passed = onward(ask)
    passed.on('error', () => near.destroy())
    passed.on('response', () => near.destroy())
    passed.on('upgrade', ({ rawHeaders }, far, fromFar) => {
      const lines = rawHeaders.map((text, i) => (i % 2 === 0 ? `\r\n${text}: ` : text)).join('')
      near.write(`HTTP/1.1 101 Switching Protocols${lines}\r\n\r\n`)
      // What came together with the head: on a busy machine the first message does.
      near.write(fromFar)
      far.write(fromNear)
      far.on('error', () => {})
      far.once('close', () => near.destroy())
      near.once('close', () => far.destroy())
      near.pipe(far).pipe(near)
    })
    passed.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = (paths: RegExp) => {
    for (const [connection, path] of open) if (paths.test(path)) connection.destroy()
  }
  t.teardown(() => {
    stop(/./)
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Refuses these paths from now on, and ends what is open of them; null = nothing. */
    refuse(paths: RegExp | null) {
      refused = paths
      if (paths) stop(paths)
    },
  }
}
