/** `npm run docs`: regenerates the configuration reference from the table of settings. */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
// The file rather than the package, which would load every adapter.
import { configurationGuide, envExample, withSettings } from '../packages/adapters/src/config/documents.ts'

const path = (name: string) => resolve(import.meta.dirname, '..', name)
await writeFile(path('.env.example'), envExample())
await writeFile(path('docs/configuration.md'), configurationGuide())
await writeFile(path('README.md'), withSettings(await readFile(path('README.md'), 'utf8')))
