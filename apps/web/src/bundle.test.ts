import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { build } from 'vite'
import { compressFiles } from '../build/compress.ts'

/** Compressed bytes of scripts and style sheets. */
const MOST_BEFORE_SOUND = 60_000
/** Compressed bytes beyond what the first view, or the panel, has fetched already. */
const MOST_OF_SHELL = 45_000
const MOST_OF_PART = 30_000
const MOST_OF_PLAYER = 15_000

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
  const scriptsIn = async (page: string) => {
    const html = await readFile(join(folder, `${page}.html`), 'utf8')
    return new Set(html.replace(/<link [^>]*hreflang[^>]*>/g, '').match(/assets\/[^"]+\.js/g))
  }

  await t.test('a listener fetches under 60 KB before the first sound, and no schemas', async (t) => {
    const first = await scriptsIn('index')
    const page = await readFile(join(folder, 'index.html'), 'utf8')
    const styles = page.match(/assets\/[^"]+\.css/g) ?? []
    t.ok(first.size > 0 && styles.length > 0)
    const texts = [...page.matchAll(/<link [^>]*hreflang="(\w+)"[^>]* href="\/([^"]+)"/g)]
    t.same(texts.map(([, language]) => language).sort(), ['en', 'uk'])
    for (const [, language, path] of texts) {
      const size = await sizeOf([...first, ...styles, path!])
      t.ok(size < MOST_BEFORE_SOUND, `${language}: ${size} bytes`)
    }
    const scripts = await Promise.all([...first].map((path) => readFile(join(folder, path), 'utf8')))
    t.notMatch(scripts.join(), /\/api\/public\/config",summary|minLength/)
  })

  await t.test('each page is told at once which scripts it needs, and gets none of another', async (t) => {
    const player = await scriptsIn('index')
    t.same([...scriptsOf((path) => path.endsWith('/index.html'))].sort(), [...player].sort(), 'preloaded')
    const [own] = player
    for (const page of ['guest', 'embed', 'login', 'panel', 'status', 'lost', 'away']) {
      const scripts = await scriptsIn(page)
      t.ok(scripts.size > 0 && !scripts.has(own!), `${page} has its own`)
      const hasSocket = [...scripts].some((path) => path.includes('/socket-'))
      t.equal(hasSocket, page === 'guest' || page === 'panel', page)
    }
  })

  await t.test('the player for other sites is one file of at most 15 KB', async (t) => {
    const script = await readFile(join(folder, 'solstice-player.js'))
    const size = brotliCompressSync(script).length
    t.ok(size > 1_000 && size <= MOST_OF_PLAYER, `${size} bytes`)
    t.notMatch(script.toString(), /\bimport\b|minLength/)
  })

  await t.test('files are compressed as browsers accept it, every time alike', async (t) => {
    const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:js|css)$/.test(name))
    for (const name of names.filter((name) => !name.startsWith('.'))) {
      const bytes = await readFile(join(folder, name))
      if (bytes.length < 1000) continue
      const [br, gz] = await Promise.all(['br', 'gz'].map((end) => readFile(join(folder, `${name}.${end}`))))
      t.ok(brotliDecompressSync(br!).equals(bytes) && gunzipSync(gz!).equals(bytes), name)
    }
    const again = await mkdtemp(join(tmpdir(), 'solstice-web-'))
    t.teardown(() => rm(again, { recursive: true }))
    const [name] = await scriptsIn('index')
    await copyFile(join(folder, name!), join(again, 'a.js'))
    await compressFiles(again)
    for (const end of ['br', 'gz'])
      t.ok(
        (await readFile(join(again, `a.js.${end}`))).equals(await readFile(join(folder, `${name}.${end}`))),
      )
  })

  await t.test('what the pages need beside them is there', async (t) => {
    for (const name of [
      ...[
        'guest.html',
        'login.html',
        'panel.html',
        'status.html',
        'lost.html',
        'away.html',
        '.server/server.js',
      ],
      ...['sw.js', 'favicon.ico', 'apple-touch-icon.png', 'icon-192.png', 'icon-512.png'],
    ])
      t.ok((await readFile(join(folder, name))).length > 0, name)
  })

  await t.test('the service worker names its build, so that a new one is noticed', async (t) => {
    const worker = await readFile(join(folder, 'sw.js'), 'utf8')
    t.match(worker, /const BUILD = '[0-9a-f]{16}'/)
    t.ok(gunzipSync(await readFile(join(folder, 'sw.js.gz'))).equals(Buffer.from(worker)))
  })

  await t.test('the shell of the panel and each of its parts are small', async (t) => {
    const first = scriptsOf((path) => path.endsWith('/index.html'))
    const shell = scriptsOf((path) => path.endsWith('/panel.html'))
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
