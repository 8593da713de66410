const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/i

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

/**
 * An address of its own for each host of `postgres://user:password@one:5432,two:5432/database?target_session_attrs=read-write`,
 * as libpq understands it; pg knows addresses of one host only.
 */
export function addressesOf(url: string): [string, ...string[]] {
  const [, start, hosts = '', rest = ''] = ADDRESS.exec(url) ?? []
  if (start === undefined) return [url]
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`)
  return [first!, ...others]
}

/** Hosts, ports and database of an address, without credentials. */
export function shownServers(url: string): string {
  const addresses = addressesOf(url).map((address) => new URL(address))
  return `${addresses.map(({ host }) => host).join(',')}${addresses[0]!.pathname}`
}
