/** Counts what each address has open. */
export interface Crowd {
  hasRoom(address: string): boolean
  /** Counts one in; what it gives back counts it out. */
  enter(address: string): () => void
}

/** A proxy on this machine stands for everybody, so that this machine always has room. */
export function createCrowd(most: number): Crowd {
  const counts = new Map<string, number>()
  return {
    hasRoom: (address) => isThisMachine(address) || (counts.get(address) ?? 0) < most,
    enter(address) {
      counts.set(address, (counts.get(address) ?? 0) + 1)
      return () => {
        const left = (counts.get(address) ?? 1) - 1
        if (left === 0) counts.delete(address)
        else counts.set(address, left)
      }
    },
  }
}

function isThisMachine(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}
