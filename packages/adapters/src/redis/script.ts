import { readFileSync } from 'node:fs'

/** The text of a Lua script that stands in a file of its own. Its head lists KEYS, ARGV and the result. */
export function readScript(file: URL): string {
  return readFileSync(file, 'utf8')
}
