import { isIPv4, isIPv6 } from 'node:net'

/** An IP address in its one spelling: IPv6 in lower case with zeros compressed, IPv4 within IPv6 as IPv4; null when the text is none. */
export function readAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical(address))
  if (!mapped) return canonical(address)
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/**
 * The network counted as one client: an IPv4 address itself, or the /64 of an IPv6 address. That is a household, which
 * changes the rest of its address at will.
 */
export function networkOf(address: string): string {
  return isIPv6(address) ? prefixOf(address, 4) : address
}

/** The network that one customer of a provider may have: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function providerNetworkOf(address: string): string {
  return isIPv6(address) ? prefixOf(address, 3) : `${address.split('.').slice(0, 3).join('.')}.0/24`
}

/** The network of the first groups of an IPv6 address. */
function prefixOf(address: string, groups: number): string {
  const [head = [], tail = []] = canonical(address)
    .split('::')
    .map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, groups).join(':')}::/${groups * 16}`
}

/** Lower case, zeros compressed as in RFC 5952. */
function canonical(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1)
}
