import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { build } from 'vite'

t.test('the first view is under 60 KB of compressed script, and has no schemas in it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'solstice-web-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const root = fileURLToPath(new URL('..', import.meta.url))
  await build({ root, build: { outDir: folder, emptyOutDir: true }, logLevel: 'silent' })
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
