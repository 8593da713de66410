import { addressesOf } from '../config/servers/addresses.ts'

/** The servers of an address, of which one accepts writes at a time, and the one that connections are made to. */
export interface Servers {
  /** Address of the one that is tried now. */
  readonly current: string
  /** With several, one may be a standby. */
  readonly areSeveral: boolean
  /** Another one is tried from now on, unless that is so already. */
  leave(address: string): void
}

export function createServers(url: string): Servers {
  const addresses = addressesOf(url)
  let at = 0
  return {
    get current() {
      return addresses[at]!
    },
    areSeveral: addresses.length > 1,
    leave(address) {
      if (address === addresses[at]) at = (at + 1) % addresses.length
    },
  }
}
