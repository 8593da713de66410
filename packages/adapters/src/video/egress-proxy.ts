import { promises as dns, type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, BlockList, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { timeLimit } from '@solstice/station'

const HTTPS = 443
/** Per address of a host. */
const CONNECT_TIMEOUT_MS = 15_000
/** A downloader fetches a few fragments at a time. */
const MAX_CONNECTIONS = 32

/** IPv4 ranges outside of the public internet (RFC 6890 and its registry). */
const reserved = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  reserved.addSubnet(network, bits, 'ipv4')

/** Of IPv6 only global unicast, without the ranges in it that embed IPv4 addresses or are reserved. */
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, bits, 'ipv6')

const everyAddress = (host: string): Promise<LookupAddress[]> => dns.lookup(host, { all: true })

/**
 * Resolves a host name, or an address.
 *
 * @param lookup asks the servers of names.
 * @throws Error when there is no address, or one of them is not public: loopback, private, link-local, cloud metadata.
 */
export async function publicAddresses(host: string, lookup = everyAddress): Promise<LookupAddress[]> {
  const found = await lookup(host.replace(/^\[(.*)\]$/, '$1'))
  if (!arePublic(found)) throw new Error(`${host} is not a public address`)
  return found
}

/** True when there are addresses, and all of them are public. */
export function arePublic(addresses: readonly LookupAddress[]): boolean {
  const isPublic = ({ address, family }: LookupAddress) =>
    family === 4
      ? !reserved.check(address, 'ipv4')
      : unicast.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
  return addresses.length > 0 && addresses.every(isPublic)
}

/**
 * Runs `use` with an HTTP proxy on loopback that connects to port 443 of public addresses only, whatever redirects or DNS
 * say: for programs that must not reach the network of this machine. A name is resolved once, and the connection goes to
 * the address that was checked.
 *
 * @param addressesOf throws when a host must not be reached.
 */
export async function withEgressProxy<T>(
  use: (proxyUrl: string) => Promise<T>,
  { addressesOf = publicAddresses, port: only = HTTPS } = {},
): Promise<T> {
  const server = createServer((_, response) => response.writeHead(403).end())
  server.maxConnections = MAX_CONNECTIONS
  const sockets = new Set<Duplex>()
  const keep = (socket: Duplex) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  server.on('connection', keep)
  server.on('connect', async (request, client, head) => {
    const [, host, port] = /^(.+):(\d+)$/.exec(request.url ?? '') ?? []
    try {
      if (Number(port) !== only) throw new Error(`only port ${only} may be reached`)
      const remote = await connectTo(await addressesOf(host!), only)
      keep(remote)
      if (client.destroyed) return void remote.destroy()
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      remote.write(head)
      client.pipe(remote).pipe(client)
      client.once('close', () => remote.destroy())
      remote.once('close', () => client.destroy())
    } catch {
      client.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
}

async function connectTo(addresses: LookupAddress[], port: number): Promise<Socket> {
  let refusal: unknown
  for (const { address, family } of addresses) {
    const socket = connect({ host: address, port, family })
    try {
      await once(socket, 'connect', { signal: timeLimit(CONNECT_TIMEOUT_MS) })
      return socket
    } catch (error) {
      socket.destroy()
      refusal = error
    }
  }
  throw refusal
}
