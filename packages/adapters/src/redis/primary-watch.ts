import { BlockList, isIP, type Socket } from 'node:net'
import { Redis, type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis'
import type { SentinelGroup } from '../config/servers/addresses.ts'

const LOOK_EVERY_MS = 1_000

interface Named {
  host: string
  port: number
}

/** Options of a connection to a sentinel, besides its address. */
type SentinelOptions = Pick<
  SentinelConnectionOptions,
  'sentinelPassword' | 'sentinelTLS' | 'connectTimeout' | 'sentinelCommandTimeout'
>

interface PrimaryWatch {
  /** Ends this connection once it leads to a server that is no longer the primary. */
  add(stream: Socket): void
}

const watches = new WeakMap<SentinelGroup, PrimaryWatch>()

/**
 * A connector that leaves a server which another one has replaced. A primary that hung for a moment, or was given up by mistake,
 * is told by the sentinels after ten seconds only: until then it refuses all writes, and its readers hear nothing new.
 */
export function connectorTo(group: SentinelGroup): NonNullable<RedisOptions['Connector']> {
  return class extends SentinelConnector {
    constructor(options: unknown) {
      super(options as SentinelConnectionOptions)
    }

    override async connect(...given: Parameters<SentinelConnector['connect']>) {
      const stream = await super.connect(...given)
      watchOf(group, this.options).add(stream)
      return stream
    }
  }
}

/** All connections of a process share one watch. */
function watchOf(group: SentinelGroup, options: SentinelOptions): PrimaryWatch {
  const watch = watches.get(group) ?? openWatch(group, options)
  watches.set(group, watch)
  return watch
}

function openWatch({ sentinels, name }: SentinelGroup, options: SentinelOptions): PrimaryWatch {
  const streams = new Set<Socket>()
  let clients: Redis[] = []
  let timer: NodeJS.Timeout | null = null

  const look = async () => {
    const answers = await Promise.all(clients.map((client) => namedBy(client, name)))
    const named = answers.filter((answer) => answer !== null)
    // Some sentinels are told of a new primary a moment later than others; one that is cut off from them is not told at all.
    if (named.length * 2 <= sentinels.length) return
    for (const stream of streams) if (isElsewhere(stream, named)) stream.destroy()
  }
  const begin = () => {
    clients = sentinels.map((address) => openSentinel(address, options))
    timer = setInterval(() => void look(), LOOK_EVERY_MS).unref()
  }
  const end = () => {
    if (timer) clearInterval(timer)
    timer = null
    for (const client of clients.splice(0)) client.disconnect()
  }
  return {
    add(stream) {
      streams.add(stream)
      if (timer === null) begin()
      stream.once('close', () => {
        streams.delete(stream)
        if (streams.size === 0) end()
      })
    },
  }
}

function openSentinel(address: Named, options: SentinelOptions): Redis {
  const { sentinelPassword, sentinelTLS, connectTimeout, sentinelCommandTimeout } = options
  const client = new Redis({
    ...address,
    ...(sentinelPassword && { password: sentinelPassword }),
    ...(sentinelTLS && { tls: sentinelTLS }),
    connectTimeout,
    commandTimeout: sentinelCommandTimeout,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    disableClientInfo: true,
    retryStrategy: () => LOOK_EVERY_MS,
  })
  // Connections to servers tell of sentinels that cannot be reached.
  return client.on('error', () => {})
}

/** The primary by the word of one sentinel; null when it has none. */
async function namedBy(client: Redis, name: string): Promise<Named | null> {
  if (client.status !== 'ready') return null
  try {
    const answer = (await client.call('SENTINEL', 'get-master-addr-by-name', name)) as [string, string] | null
    return answer && { host: answer[0], port: Number(answer[1]) }
  } catch (error) {
    // A connection that passes nothing is made anew.
    if (/timed out/.test(String(error))) client.disconnect(true)
    return null
  }
}

/** True when a connection is open and leads to none of these; names that are no addresses may mean any. */
function isElsewhere({ remoteAddress, remotePort }: Socket, named: Named[]): boolean {
  if (remoteAddress === undefined) return false
  const family = isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4'
  return named.every(({ host, port }) => {
    if (isIP(host) === 0) return false
    const addresses = new BlockList()
    addresses.addAddress(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
    return port !== remotePort || !addresses.check(remoteAddress, family)
  })
}
