import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Teardown } from '../processes/processes.ts'

/** A connection to a local server that can be made to fail. */
export interface Line {
  readonly port: number
  /** Connections open through it. */
  readonly open: number
  /** Number of connections that it broke at a commit. */
  readonly cuts: number
  /** Swallows all traffic in both directions and closes nothing, like a pulled cable. Swallowed bytes are lost. */
  isHanging: boolean
  /** Becomes hanging as soon as it has passed on bytes that contain this. */
  hangAfter(text: string): void
  /** Delays traffic to the server by this long. */
  delayMs: number
  /** Breaks the connection at the next commit, before or after passing it on, and holds the reply back. */
  cutAtCommit(isDelivered: boolean): void
  cutAll(): void
}

export async function openLine(t: Teardown, port: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let cut: { isDelivered: boolean } | null = null
  let cuts = 0
  let fatal: string | null = null
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    let isMute = false
    const pass = (bytes: Buffer) => {
      if (!line.isHanging && far.writable) far.write(bytes)
    }
    near.on('data', (bytes: Buffer) => {
      if (cut && bytes.includes('commit')) {
        const { isDelivered } = cut
        cut = null
        cuts++
        isMute = true
        if (isDelivered) far.end(bytes)
        else far.destroy()
        if (!isDelivered) near.destroy()
        else far.on('close', () => near.destroy())
        return
      }
      if (line.delayMs > 0) setTimeout(pass, line.delayMs, bytes)
      else pass(bytes)
      if (fatal !== null && bytes.includes(fatal)) {
        fatal = null
        line.isHanging = true
      }
    })
    far.on('data', (bytes) => {
      if (!isMute && !line.isHanging) near.write(bytes)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const line = {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size / 2
    },
    get cuts() {
      return cuts
    },
    isHanging: false,
    hangAfter(text: string) {
      fatal = text
    },
    delayMs: 0,
    cutAtCommit(isDelivered: boolean) {
      cut = { isDelivered }
    },
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
  }
  t.teardown(() => {
    line.cutAll()
    server.close()
  })
  return line
}
