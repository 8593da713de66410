const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/i

/** Redis servers of which sentinels name the primary. */
export interface SentinelGroup {
  sentinels: { host: string; port: number }[]
  /** Name of the group at the sentinels. */
  name: string
  /** '' = the sentinels want none. */
  sentinelPassword: string
  /** Credentials, database and encryption of the servers; its host is not used. */
  url: string
}

/** One Redis by its address, or the primary of a group. */
export type RedisAddress = string | SentinelGroup

/** Where Redis is, without secrets. */
export function shownAddress(address: RedisAddress): string {
  if (typeof address === 'string') return new URL(address).host
  return `${address.name} at ${address.sentinels.map(({ host, port }) => `${host}:${port}`).join(', ')}`
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
