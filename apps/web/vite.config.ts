import { join, resolve } from 'node:path'
import { build, defineConfig, type Plugin, type ResolvedConfig } from 'vite'
import { BASELINE } from './build/baseline.ts'
import { compressFiles } from './build/compress.ts'
import { framedPages } from './build/frame.ts'
import { stampWorker } from './build/stamp-worker.ts'

/** Where `npm run dev` finds a station to talk to. */
const station = process.env.STATION_URL ?? 'http://127.0.0.1:3001'

const oxc = { jsx: { runtime: 'automatic', importSource: 'preact' } } as const

/** The web component for other sites. */
const PLAYER = 'solstice-player.js'

/** The pages, each with scripts of its own. */
const pages = ['index', 'guest', 'embed', 'login', 'panel', 'status', 'lost', 'away']

/** What most pages have in common. */
const BASE = [
  /[\\/](?:preact|contracts)[\\/]/,
  /[\\/]web[\\/]src[\\/](?:ui[\\/]|styles[\\/]|(?:app|api)\.)/,
  /[\\/]web[\\/]src[\\/]listener[\\/](?:format|header[\\/]link|stage[\\/]horizon|sheets[\\/]lyrics[\\/]lyrics)\./,
  /[\\/]web[\\/]src[\\/]radio[\\/](?:library|timeline|connection[\\/]station-clock)\./,
]

/** In development, the pages at their paths; built ones are sent by the API. */
function pagesAtPaths(): Plugin {
  const fileOf = (path: string) => {
    const [, name = ''] = /^\/(?:en(?:\/|$))?(.*?)\/?$/.exec(path) ?? []
    if (name === '') return '/index.html'
    if (name === 'guest') return '/guest.html'
    if (name === 'embed') return '/embed.html'
    if (name === 'away') return '/away.html'
    if (name === 'status') return '/status.html'
    if (name === 'adlogin') return '/login.html'
    return /^adpanel(\/|$)/.test(name) ? '/panel.html' : '/lost.html'
  }
  return {
    name: 'pages-at-paths',
    configureServer({ middlewares }) {
      middlewares.use((request, _, next) => {
        const [path = '/'] = (request.url ?? '/').split('?')
        const isPage = request.headers.accept?.includes('text/html') && !/^\/(api|socket\.io)\/|\./.test(path)
        if (isPage) request.url = fileOf(path)
        if (path === '/solstice-player.js') request.url = '/src/embed/element.ts'
        next()
      })
    },
  }
}

/** The texts of one language, which the listener's page needs before it can be drawn. */
const TEXTS = /[\\/]listener[\\/]texts[\\/](uk|en)\.ts$/

/** Names the texts of each language in the listener's page; the API leaves the link to those of the page's own language. */
function textsPreloaded(): Plugin {
  return {
    name: 'texts-preloaded',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_, { path, bundle = {} }) => {
        if (path !== '/index.html') return []
        return Object.values(bundle).flatMap((file) => {
          const [, hreflang] = (file.type === 'chunk' && TEXTS.exec(file.facadeModuleId ?? '')) || []
          if (!hreflang) return []
          const attrs = { rel: 'modulepreload', crossorigin: true, hreflang, href: `/${file.fileName}` }
          return { tag: 'link', attrs, injectTo: 'head' as const }
        })
      },
    },
  }
}

/** Adds what the API needs to the build: the player for other sites, the renderer of the pages, and compressed copies of the files. */
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
      await build({
        configFile: false,
        root: config.root,
        logLevel: config.logLevel,
        publicDir: false,
        build: {
          outDir,
          emptyOutDir: false,
          target: BASELINE,
          // Other sites name it, so its name never changes, and it needs no other file.
          lib: { entry: 'src/embed/element.ts', formats: ['iife'], name: 'solstice', fileName: () => PLAYER },
        },
      })
      await stampWorker(outDir)
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
  plugins: [pagesAtPaths(), framedPages(), textsPreloaded(), forStation()],
  build: {
    target: BASELINE,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: pages.map((page) => `${page}.html`),
      // Few files for a first view: on a slow line a request costs more than what little of it a page doesn't use.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: (id) => BASE.some((own) => own.test(id)),
              minShareCount: 2,
              priority: 1,
            },
            { name: 'socket', test: /[\\/](?:socket\.io|engine\.io|@socket\.io|station-socket)/ },
          ],
        },
      },
    },
  },
  server: {
    port: Number(process.env.VITE_PORT) || 3000,
    proxy: {
      '/api': station,
      '/manifest.webmanifest': station,
      '/share.png': station,
      '/socket.io': { target: station, ws: true },
    },
  },
})
