import { networkOf } from '@solstice/station'

/** Counts open connections per network: the owner of one IPv6 address owns its whole /64. */
export interface ConnectionCounter {
  hasRoom(address: string): boolean
  /** Counts a connection; call the returned function exactly once when it closes. */
  acquire(address: string): () => void
}

/** This machine always has room, because a proxy on it connects for everybody. */
export function createConnectionCounter(max: number): ConnectionCounter {
  const counts = new Map<string, number>()
  return {
    hasRoom: (address) => isThisMachine(address) || (counts.get(networkOf(address)) ?? 0) < max,
    acquire(address) {
      const network = networkOf(address)
      counts.set(network, (counts.get(network) ?? 0) + 1)
      return () => {
        const left = (counts.get(network) ?? 1) - 1
        if (left === 0) counts.delete(network)
        else counts.set(network, left)
      }
    },
  }
}

/** True for an address of the loopback interface. */
export function isThisMachine(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
