import { list, quoted, type Setting } from '../setting.ts'

/** Servers as host:port, separated by commas; invalid ones are ignored. */
export function serverList(defaultPort: number, effect: string): Setting<{ host: string; port: number }[]> {
  return {
    fallback: [],
    example: '',
    values: `servers such as \`10.0.0.1:${defaultPort}\`, separated by commas`,
    effect,
    parse(given) {
      const found = list(given).map((name) => ({ name, server: serverOf(name, defaultPort) }))
      const value = found.flatMap(({ server }) => server ?? [])
      const wrong = found.filter(({ server }) => server === null).map(({ name }) => name)
      if (wrong.length === 0) return { value }
      return { value, warning: `${quoted(wrong)} is not a server such as 10.0.0.1:${defaultPort}; ignored` }
    },
  }
}

function serverOf(name: string, defaultPort: number): { host: string; port: number } | null {
  // A scheme without a port of its own, so that no port counts as left out.
  const address = `server://${name}`
  if (!URL.canParse(address)) return null
  const { hostname, port, href } = new URL(address)
  const isServer = hostname !== '' && href === `server://${hostname}${port && `:${port}`}`
  return isServer ? { host: hostname.replace(/^\[|\]$/g, ''), port: port ? Number(port) : defaultPort } : null
}
