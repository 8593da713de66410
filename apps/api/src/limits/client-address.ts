import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import { hostname } from 'node:os'
import type { TLSSocket } from 'node:tls'
import type { Config } from '@solstice/adapters'
import { type Client, readAddress } from '@solstice/station'

/**
 * The address of the client as the outermost trusted proxy saw it: the `hops`-th entry from the right of `X-Forwarded-For`.
 * Entries further left can be forged and are ignored. A list that is too short gives its leftmost entry; no list, or an entry
 * that is no address, gives the address of the TCP connection.
 *
 * @param hops how many proxies stand in front of the service (`TRUST_PROXY_HOPS`).
 */
export function clientAddress(
  tcpAddress: string | undefined,
  xForwardedFor: string | undefined,
  hops: number,
): string {
  const seen = trustedEntry(xForwardedFor, hops)
  return (seen && addressIn(seen)) || addressIn(tcpAddress ?? '') || ''
}

/** The address of the client behind a request, whatever carries it. */
export function addressOf({ socket, headers }: IncomingMessage, hops: number): string {
  return clientAddress(socket.remoteAddress, headers['x-forwarded-for']?.toString(), hops)
}

/** The origin of a request as sessions show it. */
export function clientOf(request: IncomingMessage, hops: number): Client {
  return { address: addressOf(request, hops), userAgent: request.headers['user-agent'] ?? '' }
}

export interface Origins {
  /** Scheme and host under which this request reached the station, or `PUBLIC_SERVER_URL`. */
  ownOrigin(request: IncomingMessage): string
  /** True when a page of `origin` may use the station. A request without an origin comes from no page. */
  isAllowedOrigin(origin: string | undefined, request: IncomingMessage): boolean
  /** True when pages of another site than the one under which this request came may use the station. */
  allowsOtherSites(request: IncomingMessage): boolean
}

/**
 * Decides which pages may use the station, over HTTP and sockets: its own and those of `CLIENT_ORIGIN`. Its own page comes from
 * `PUBLIC_SERVER_URL` or, while that is not set, from the host that the request names. Anybody can point a domain at this
 * machine, so such a host counts only when it is an address, this machine's own name, or declared.
 *
 * @param options.machine host name of this machine.
 * @param options.onUndeclared called with origins refused because their host is not known.
 */
export function createOrigins(
  config: Pick<Config, 'publicServerUrl' | 'clientOrigins' | 'trustProxyHops'>,
  options: { machine?: string; onUndeclared?: (origin: string) => void } = {},
): Origins {
  const hops = config.trustProxyHops
  const isKnown = knownHosts(config.clientOrigins, options.machine ?? hostname())
  const listed = new Set(config.clientOrigins.map(readOrigin))
  const published = readOrigin(config.publicServerUrl)

  const readHost = rememberLast(readOrigin)
  const ownOrigin = (request: IncomingMessage) => {
    if (published) return published
    const forwarded = (name: string) => trustedEntry(request.headers[name]?.toString(), hops)
    const isEncrypted = (request.socket as TLSSocket).encrypted === true
    const scheme = isEncrypted ? 'https' : 'http'
    const host = request.headers.host ?? ''
    return (
      readHost(`${forwarded('x-forwarded-proto') ?? scheme}://${forwarded('x-forwarded-host') ?? host}`) ??
      readOrigin(`${scheme}://${host}`) ??
      'http://localhost'
    )
  }

  return {
    ownOrigin,
    isAllowedOrigin(origin, request) {
      if (origin === undefined) return true
      const asked = readOrigin(origin)
      if (asked === null) return false
      if (listed.has(asked)) return true
      if (asked !== ownOrigin(request)) return false
      if (published !== null || isKnown(asked)) return true
      options.onUndeclared?.(asked)
      return false
    },
    allowsOtherSites(request) {
      const own = new URL(ownOrigin(request)).hostname
      return [...listed].some((origin) => origin !== null && !areSameSite(new URL(origin).hostname, own))
    },
  }
}

/** The same function, which answers a text at once when it was asked for that one last: most requests name the same host. */
function rememberLast<Answer>(of: (text: string) => Answer): (text: string) => Answer {
  let last: { text: string; answer: Answer } | null = null
  return (text) => {
    if (last?.text !== text) last = { text, answer: of(text) }
    return last.answer
  }
}

/** Recognizes origins whose host is an address, `localhost`, this machine, or that of a listed page. */
function knownHosts(clientOrigins: readonly string[], machine: string): (origin: string) => boolean {
  const [label = ''] = machine.split('.')
  const names = ['localhost', machine, label, label && `${label}.local`].map((name) => name.toLowerCase())
  const listed = clientOrigins.map(readOrigin).filter((origin) => origin !== null)
  const known = new Set([...names, ...listed.map((origin) => new URL(origin).hostname)])
  return (origin) => {
    const host = new URL(origin).hostname
    return known.has(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0 || host.endsWith('.localhost')
  }
}

/**
 * True when two hosts belong to one site: they are equal, or share a registrable domain. Without the browsers' list of public
 * suffixes, the last label counts as public, and the last two when they look like `co.uk`.
 */
function areSameSite(one: string, other: string): boolean {
  if (one === other) return true
  const isName = (host: string) => !isIPv4(host) && !host.startsWith('[')
  if (!isName(one) || !isName(other)) return false
  const [labels, others] = [one, other].map((host) => host.split('.').reverse()) as [string[], string[]]
  const firstDifference = labels.findIndex((label, i) => label !== others[i])
  const shared = firstDifference === -1 ? labels.length : firstDifference
  const [country = '', kind = ''] = labels
  return shared > (country.length === 2 && kind.length <= 3 ? 2 : 1)
}

function trustedEntry(list: string | undefined, hops: number): string | undefined {
  if (hops === 0 || list === undefined) return undefined
  const entries = list.split(',')
  return entries[Math.max(0, entries.length - hops)]?.trim()
}

/** The address in an entry such as `1.2.3.4:5`, `[2001:db8::1]:443` or `::ffff:1.2.3.4`; null when there is none. */
function addressIn(entry: string): string | null {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(entry)
  const withPort = /^([\d.]+):\d{1,5}$/.exec(entry)
  return readAddress(bracketed?.[1] ?? withPort?.[1] ?? entry)
}

/** Scheme, host and port in canonical form; null when the text is not the URL of a web page's origin. */
function readOrigin(text: string): string | null {
  if (!/^https?:\/\/[\w.:[\]-]+\/?$/i.test(text) || !URL.canParse(text)) return null
  return new URL(text).origin
}
