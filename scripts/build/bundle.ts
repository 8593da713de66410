import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Not bundled: native modules, packages that read files beside them, and optional packages. */
export const leftOutside = [
  '@node-rs/argon2',
  '@resvg/resvg-js',
  '@fastify/swagger-ui',
  'msgpackr-extract',
  'ffmpeg-static',
  '*.node',
]

/** How programs are bundled, for operators and for tests. */
export const bundled = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // For dependencies written as CommonJS.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'error',
} satisfies BuildOptions

/**
 * Bundles each of these sources, named from the root, into one program and parts that it loads when it needs them. It behaves the
 * same but starts with a fraction of the work and of the memory, because no file has to be found and compiled at run time.
 *
 * @param outdir lies below the root, where packages that are not bundled can be found.
 * @returns paths of the files that were written.
 */
export async function bundlePrograms(sources: string[], outdir: string): Promise<string[]> {
  const { metafile } = await build({
    ...bundled,
    entryPoints: sources.map((source) => join(root, source)),
    outbase: root,
    outdir,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    external: leftOutside,
    plugins: [ownAddresses, packagesWithoutLines],
    metafile: true,
    absWorkingDir: root,
  })
  return Object.keys(metafile.outputs).map((path) => join(root, path))
}

/** A source finds the files beside it by its own address, not by that of the bundle. */
export const ownAddresses: Plugin = {
  name: 'own addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/]@fastify[\\/]swagger-ui[\\/].*\.js$/ }, async ({ path }) => {
      const define = { __dirname: JSON.stringify(dirname(path)) }
      return { contents: (await transform(await readFile(path, 'utf8'), { define })).code }
    })
    onLoad({ filter: /[\\/](apps|packages|scripts|tests|tools)[\\/].*\.ts$/ }, async ({ path }) => {
      if (/[\\/]node_modules[\\/]/.test(path)) return null
      const source = await readFile(path, 'utf8')
      if (!source.includes('import.meta.')) return null
      const define = {
        'import.meta.url': JSON.stringify(pathToFileURL(path).href),
        'import.meta.filename': JSON.stringify(path),
      }
      const options = { loader: 'ts', format: 'esm', sourcemap: 'inline', sourcefile: path, define } as const
      return { contents: (await transform(source, options)).code, loader: 'js' }
    })
  },
}

/** In packages, stack traces show the file only; a map of all their lines would be four times as large. */
const packagesWithoutLines: Plugin = {
  name: 'packages without lines',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' })
      const address = `data:application/json;base64,${Buffer.from(map).toString('base64')}`
      return { contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=${address}` }
    })
  },
}
