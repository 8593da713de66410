import { readFileSync } from 'node:fs'

const manifest = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')

/** The version of Solstice that this process runs. */
export const solsticeVersion = (JSON.parse(manifest) as { version: string }).version
