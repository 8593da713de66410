import { join, resolve } from 'node:path'
import { build, defineConfig, type Plugin, type ResolvedConfig } from 'vite'
import { compressFiles } from './build/compress.ts'

/** Where `npm run dev` finds a station to talk to. */
const station = process.env.STATION_URL ?? 'http://127.0.0.1:3001'

const oxc = { jsx: { runtime: 'automatic', importSource: 'preact' } } as const

/** Adds what the API needs to the build: the renderer of the pages, and compressed copies of the files. */
function forStation(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'for-station',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async writeBundle() {
      const outDir = resolve(config.root, config.build.outDir)
      await compressFiles(outDir)
      await build({
        configFile: false,
        root: config.root,
        logLevel: config.logLevel,
        publicDir: false,
        oxc,
        // Nothing is installed beside the built pages.
        ssr: { noExternal: true },
        build: {
          ssr: 'src/server.tsx',
          outDir: join(outDir, '.server'),
          target: 'node20',
          minify: false,
          rolldownOptions: { output: { codeSplitting: false } },
        },
      })
    },
  }
}

export default defineConfig({
  oxc,
  plugins: [forStation()],
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: {
    port: Number(process.env.VITE_PORT) || 3000,
    proxy: { '/api': station, '/socket.io': { target: station, ws: true } },
  },
})
