import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { root } from './processes.ts'

export type App = 'api' | 'stream-worker' | 'jobs'

const apps: App[] = ['api', 'stream-worker', 'jobs']
const folder = join(root, '.build/programs')
const FORGOTTEN_AFTER_MS = 3_600_000
/** Natively compiled, with files of their own beside them, or looked for only where they are installed. */
const leftOutside = ['@node-rs/argon2', '@fastify/swagger-ui', 'msgpackr-extract', 'ffmpeg-static', '*.node']

let made: Promise<string> | null = null

/**
 * Where an app lies as one program, made of the sources as they are now: it does the same, but starts with a fraction of
 * the work, since nothing has to be found and translated file by file. What was made is kept for the next test file.
 */
export async function programOf(app: App): Promise<string> {
  made ??= makePrograms()
  return join(await made, `${app}/src/main.js`)
}

async function makePrograms(): Promise<string> {
  const programs = join(folder, await stateOfSources())
  if (await isThere(programs)) return programs
  const unfinished = join(folder, `unfinished-${randomUUID()}`)
  await build({
    entryPoints: apps.map((app) => join(root, `apps/${app}/src/main.ts`)),
    outbase: join(root, 'apps'),
    outdir: unfinished,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // For what is written for CommonJS.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    external: leftOutside,
    plugins: [ownAddresses],
    logLevel: 'error',
  })
  // Another test file may have been quicker.
  await rename(unfinished, programs).catch(() => rm(unfinished, { recursive: true }))
  await forgetOld()
  return programs
}

/** A source finds the files beside it by its own address, not by that of the program. */
const ownAddresses: Plugin = {
  name: 'own addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](apps|packages)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const address = JSON.stringify(pathToFileURL(path).href)
      return { contents: source.replaceAll('import.meta.url', address), loader: 'ts' }
    })
  },
}

/** Changes with every change of anything that goes into the programs. */
async function stateOfSources(): Promise<string> {
  const packages = await readdir(join(root, 'packages'))
  const folders = [...apps.map((app) => `apps/${app}/src`), ...packages.map((name) => `packages/${name}/src`)]
  const sources = await Promise.all(
    folders.map(async (name) =>
      (await readdir(join(root, name), { recursive: true }))
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
        .map((path) => join(root, name, path)),
    ),
  )
  const files = [...sources.flat().sort(), join(root, 'package-lock.json'), import.meta.filename]
  const states = await Promise.all(
    files.map(async (path) => {
      const { mtimeMs, size } = await stat(path)
      return `${path} ${mtimeMs} ${size}\n`
    }),
  )
  return createHash('sha256').update(states.join('')).digest('hex').slice(0, 16)
}

async function forgetOld() {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const madeAtMs = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - madeAtMs > FORGOTTEN_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
