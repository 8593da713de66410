import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { build } from 'vite'

/** Compressed bytes beyond what the first view, or the panel, has fetched already. */
const MOST_OF_SHELL = 45_000
const MOST_OF_PART = 30_000

/** The page as built for production, and the scripts that each module brings along. */
async function buildPage(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-web-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const root = fileURLToPath(new URL('..', import.meta.url))
  const built = await build({ root, build: { outDir: folder, emptyOutDir: true }, logLevel: 'silent' })
  const { output } = built as Extract<typeof built, { output: unknown }>
  const chunks = output.filter((file) => file.type === 'chunk')
  /** The chunk of a module, and all that it imports statically. */
  const scriptsOf = (isModule: (path: string) => boolean): Set<string> => {
    const found = new Set(
      chunks.filter(({ facadeModuleId }) => isModule(facadeModuleId ?? '')).map(({ fileName }) => fileName),
    )
    for (const name of found)
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) found.add(next)
    return found
  }
  const parts = chunks
    .map(({ facadeModuleId }) => facadeModuleId ?? '')
    .filter((path) => /-part\.tsx$/.test(path))
  const sizeOf = async (names: Iterable<string>) => {
    const scripts = await Promise.all([...names].map((name) => readFile(join(folder, name))))
    return scripts.reduce((sum, script) => sum + brotliCompressSync(script).length, 0)
  }
  return { folder, scriptsOf, sizeOf, parts }
}

t.test('what is fetched to show a page is small', async (t) => {
  const { folder, scriptsOf, sizeOf, parts } = await buildPage(t)

  await t.test('the first view is under 60 KB of compressed script, and has no schemas in it', async (t) => {
    const assets = await readdir(join(folder, 'assets'))
    // The entry and its static imports; other pages are fetched when they are opened.
    const first = new Set(/assets\/[^"]+\.js/.exec(await readFile(join(folder, 'index.html'), 'utf8')))
    for (const path of first) {
      const script = await readFile(join(folder, path), 'utf8')
      for (const [, name] of script.matchAll(/(?:\bimport|from)\s*"\.\/([^"]+\.js)"/g))
        first.add(`assets/${name}`)
    }
    const scripts = await Promise.all([...first].map((path) => readFile(join(folder, path))))
    t.ok(scripts.length < assets.filter((name) => name.endsWith('.js')).length)
    const size = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0)
    t.ok(scripts.length > 0 && size < 60_000, `${size} bytes`)
    t.notMatch(Buffer.concat(scripts).toString(), /\/api\/public\/config",summary|minLength/)
    for (const name of ['index.html', 'manifest.webmanifest', 'sw.js', 'icon-192.png', 'icon-512.png'])
      t.ok((await readFile(join(folder, name))).length > 0, name)
  })

  await t.test('the shell of the panel and each of its parts are small', async (t) => {
    const first = scriptsOf((path) => path.endsWith('/index.html'))
    const shell = scriptsOf((path) => path.endsWith('/admin-page.tsx'))
    t.ok(first.size > 0 && shell.size > 0 && parts.length > 1)
    const ofShell = await sizeOf(without(shell, first))
    t.ok(ofShell <= MOST_OF_SHELL, `shell: ${ofShell} bytes`)
    for (const part of parts) {
      const size = await sizeOf(
        without(
          scriptsOf((path) => path === part),
          shell,
          first,
        ),
      )
      t.ok(size > 0 && size <= MOST_OF_PART, `${basename(part)}: ${size} bytes`)
    }
  })
})

const without = (names: Set<string>, ...others: Set<string>[]) =>
  [...names].filter((name) => !others.some((other) => other.has(name)))
