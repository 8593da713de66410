import { readFileSync } from 'node:fs'

/** The text of a Lua script. Its head lists KEYS, ARGV and the result; functions that it needs stand in files before it. */
export function readScript(...files: URL[]): string {
  return files.map((file) => readFileSync(file, 'utf8')).join('\n')
}
