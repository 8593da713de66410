import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { openRedis } from '../../../packages/adapters/src/redis/connection.ts'
import { freePort, type Teardown } from '../processes/processes.ts'
import { until } from '../until.ts'
import { openLine } from './line.ts'
import { startServer } from './sentinels.ts'

const NAME = 'solstice'

/** The connections of one process of a station. */
export interface RedisLink {
  env: { REDIS_SENTINELS: string; REDIS_SENTINEL_NAME: string }
  /** Lets nothing pass and loses nothing, as while the process is suspended. */
  suspend(): void
  resume(): void
}

/** Two Redis servers, one of which follows the other, and a stand-in for their sentinels that fails over when it is told to. */
export interface RedisPair {
  openLink(t: Teardown): Promise<RedisLink>
  /** Nothing that is written from now on reaches the other server. */
  cutTail(): void
  /** Makes the other server the primary and breaks all connections; resolves when the pair is whole again. */
  failOver(): Promise<void>
  /** Runs a command on the primary; resolves with its reply as text. */
  call(command: string, ...args: string[]): Promise<string>
}

export async function startRedisPair(t: Teardown): Promise<RedisPair> {
  const openServer = async () => {
    const port = await freePort()
    await startServer(t, port, { primary: null, isStrict: true })
    const redis = await openRedis(`redis://127.0.0.1:${port}`, pino({ level: 'silent' }), true)
    t.teardown(() => redis.disconnect())
    const call = async (command: string, ...args: string[]) => String(await redis.call(command, ...args))
    // The other server follows this one through the line.
    return { call, port, line: await openLine(t, port) }
  }
  let [primary, other] = await Promise.all([openServer(), openServer()])
  const gates = new Set<Set<Socket>>()
  const follow = async () => {
    await other.call('replicaof', '127.0.0.1', String(primary.line.port))
    await until('the other server follows the primary', async () =>
      /state=online/.test(await primary.call('info', 'replication')),
    )
  }
  await follow()

  return {
    async openLink(t) {
      let isSuspended = false
      const sockets = new Set<Socket>()
      const gate = await listen(t, (near) => {
        const far = connect(primary.port, '127.0.0.1')
        for (const [socket, peer] of [
          [near, far],
          [far, near],
        ] as const) {
          sockets.add(socket)
          socket.on('error', () => {}).on('data', (bytes) => peer.writable && peer.write(bytes))
          socket.on('close', () => {
            sockets.delete(socket)
            peer.destroy()
          })
          if (isSuspended) socket.pause()
        }
      })
      gates.add(sockets)
      const sentinel = await listen(t, (socket) => answerAsSentinel(socket, portOf(gate)))
      return {
        env: { REDIS_SENTINELS: `127.0.0.1:${portOf(sentinel)}`, REDIS_SENTINEL_NAME: NAME },
        suspend() {
          isSuspended = true
          for (const socket of sockets) socket.pause()
        },
        resume() {
          isSuspended = false
          for (const socket of sockets) socket.resume()
        },
      }
    },
    cutTail() {
      primary.line.isHanging = true
    },
    async failOver() {
      await other.call('replicaof', 'no', 'one')
      primary.line.cutAll()
      primary.line.isHanging = false
      ;[primary, other] = [other, primary]
      for (const sockets of gates) for (const socket of sockets) socket.destroy()
      await follow()
    },
    call: (...args) => primary.call(...args),
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function listen(t: Teardown, onSocket: (socket: Socket) => void): Promise<Server> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of open) socket.destroy()
  })
  return server
}

/** Names a primary on this machine to all who ask. */
function answerAsSentinel(socket: Socket, port: number): void {
  const named = `*2\r\n$9\r\n127.0.0.1\r\n$${String(port).length}\r\n${port}\r\n`
  socket.on('data', (bytes) => {
    for (const command of bytes.toString().split(/(?=\*\d+\r\n)/))
      socket.write(
        /get-master-addr/i.test(command) ? named : /sentinels\r\n/i.test(command) ? '*0\r\n' : '+OK\r\n',
      )
  })
}
