import { readFileSync } from 'node:fs'

/** Reads a Lua script. Its header lists KEYS, ARGV and the result; pass the files of functions that it calls before it. */
export function readScript(...files: URL[]): string {
  return files.map((file) => readFileSync(file, 'utf8')).join('\n')
}
