import { networkOf } from '@solstice/station'
import { countAlone, type SharedCount } from './shared-counts.ts'

/** Counts open connections per network: the owner of one IPv6 address owns its whole /64. */
export interface ConnectionCounter {
  hasRoom(address: string): boolean
  /** Counts a connection; call the returned function exactly once when it closes. */
  acquire(address: string): () => void
}

/** This machine always has room, because a proxy on it connects for everybody. */
export function createConnectionCounter(
  max: number,
  count: SharedCount = countAlone('', max),
): ConnectionCounter {
  return {
    hasRoom: (address) => isThisMachine(address) || count.of(networkOf(address)) < max,
    acquire(address) {
      const network = networkOf(address)
      count.add(network, 1)
      return () => count.add(network, -1)
    },
  }
}

/** True for an address of the loopback interface. */
export function isThisMachine(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
