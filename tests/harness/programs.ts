import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { keep } from './kept.ts'
import { root } from './processes.ts'

export type App = 'api' | 'stream-worker' | 'jobs'

const apps: App[] = ['api', 'stream-worker', 'jobs']
/** Natively compiled, with files of their own beside them, or looked for only where they are installed. */
const leftOutside = ['@node-rs/argon2', '@fastify/swagger-ui', 'msgpackr-extract', 'ffmpeg-static', '*.node']

const programs = once(async () => {
  const packages = await readdir(join(root, 'packages'))
  const folders = [...apps.map((app) => `apps/${app}`), ...packages.map((name) => `packages/${name}`)]
  return keep(`programs-${await stateOf(folders)}`, async (outdir) => {
    await build({
      entryPoints: apps.map((app) => join(root, `apps/${app}/src/main.ts`)),
      outbase: join(root, 'apps'),
      outdir,
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
  })
})

/**
 * Where an app lies as one program, made of the sources as they are now: it does the same, but starts with a fraction of
 * the work, since nothing has to be found and translated file by file. What was made is kept for the next test file.
 */
export async function programOf(app: App): Promise<string> {
  return join(await programs(), `${app}/src/main.js`)
}

/** Where the listener page lies as it is built of the sources as they are now; kept as well. */
export const builtPage = once(async () => {
  const state = await stateOf(['apps/web', 'packages/contracts'])
  return keep(`page-${state}`, async (outDir) => {
    const { build } = await import('vite')
    await build({ root: join(root, 'apps/web'), build: { outDir }, logLevel: 'silent' })
  })
})

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

/** Changes with every change of the sources in these folders and of the packages. */
async function stateOf(folders: string[]): Promise<string> {
  const paths = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => !/[\\/](dist|node_modules)[\\/]/.test(path.slice(root.length))),
    ),
  )
  const files = [...paths.flat().sort(), join(root, 'package-lock.json'), import.meta.filename]
  const states = await Promise.all(
    files.map(async (path) => {
      const { mtimeMs, size } = await stat(path)
      return `${path} ${mtimeMs} ${size}\n`
    }),
  )
  return createHash('sha256').update(states.join('')).digest('hex').slice(0, 16)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}
