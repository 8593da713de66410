import { networkOf } from '@solstice/station'

/** Counts what each network has open: whoever has one IPv6 address has all of its /64. */
export interface ConnectionCounter {
  hasRoom(address: string): boolean
  /** Counts a connection; call the returned function exactly once when it closes. */
  acquire(address: string): () => void
}

/** A proxy on this machine stands for everybody, so that this machine always has room. */
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

function isThisMachine(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
