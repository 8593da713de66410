import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundled, leftOutside, ownAddresses } from '../../../scripts/build/bundle.ts'
import { keep } from './kept.ts'
import { root } from './processes.ts'

/** Programs that tests start as processes or load into one. */
export const startedByTests = [
  'apps/api/src/main.ts',
  'apps/stream-worker/src/main.ts',
  'apps/jobs/src/main.ts',
  'apps/jobs/src/monitor/main.ts',
  'scripts/start.ts',
  'scripts/station.ts',
  'packages/adapters/src/jobs/worker/worker.ts',
  'packages/adapters/src/process/log.ts',
  'packages/adapters/src/media/local.ts',
  'tests/suites/air-recorder.ts',
  'tests/suites/data-writer.ts',
  'tests/suites/doomed-jobs.ts',
] as const

/** tap leaves the packages of its scope out of the traces of failures. */
const bundledTap = '@tapjs/bundled'

/** Tools that the tests load. */
const tools = [bundledTap, 'playwright-core', 'axe-core', 'esbuild', 'vite', 's3rver']

/** Folder in which `npm test` has put its builds for all test files. */
const { BUILT_FOR_TESTS } = process.env

const programs = once(async () => {
  if (BUILT_FOR_TESTS) return BUILT_FOR_TESTS
  const folders = await Promise.all(
    ['apps', 'packages'].map(async (folder) =>
      (await readdir(join(root, folder))).map((name) => `${folder}/${name}`),
    ),
  )
  const state = await stateOf([...folders.flat(), 'scripts', 'tests/suites'])
  return keep(`programs-${state}`, (outdir) => buildPrograms([...startedByTests], outdir))
})

/**
 * Bundles each of these sources, named from the root, into one program. It behaves the same but starts with a fraction
 * of the work, because no file has to be found and compiled at run time.
 *
 * @param outdir lies below the root, where packages that are not bundled can be found.
 */
export async function buildPrograms(sources: string[], outdir: string): Promise<void> {
  await buildTap(join(outdir, 'node_modules', bundledTap))
  await build({
    ...bundled,
    entryPoints: sources.map((source) => join(root, source)),
    outbase: root,
    outdir,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    external: [...leftOutside, ...tools],
    alias: { tap: bundledTap },
    plugins: [ownAddresses, largeCommonJs],
  })
}

/** Bundles tap, whose hundred modules take longer to load than most tests to run. */
async function buildTap(outdir: string): Promise<void> {
  await build({
    ...bundled,
    entryPoints: [{ in: 'tap', out: 'index' }],
    inject: [join(root, 'tests/harness/processes/cpu-time.ts')],
    outdir,
    alias: { 'async-hook-domain': join(root, 'tests/harness/processes/uncaught-errors.ts') },
  })
  await writeFile(join(outdir, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }))
}

/** Path of a source's bundle; the build is kept for the next test file. */
export async function programOf(source: (typeof startedByTests)[number]): Promise<string> {
  return join(await programs(), source.replace(/\.ts$/, '.js'))
}

/** Where a run of all tests keeps the page, in the folder of its builds. */
export const pageIn = (built: string) => join(built, 'page')

/** Path of the listener page, built from the current sources and kept as well. */
export const builtPage = once(async () => {
  if (BUILT_FOR_TESTS && existsSync(pageIn(BUILT_FOR_TESTS))) return pageIn(BUILT_FOR_TESTS)
  const state = await stateOf(['apps/web', 'packages/contracts'])
  return keep(`page-${state}`, async (outDir) => {
    const { build } = await import('vite')
    await build({ root: join(root, 'apps/web'), build: { outDir }, logLevel: 'silent' })
  })
})

/**
 * Large packages that are not bundled are required: Node.js reads all of a CommonJS file that is imported to find out its
 * names, which takes longer than to run it.
 */
const largeCommonJs: Plugin = {
  name: 'large CommonJS packages are required',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(playwright-core|axe-core|esbuild)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : { path, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Changes with every change to the packages or to sources in these folders. */
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
