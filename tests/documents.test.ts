import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { root } from './harness/processes/processes.ts'

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const exists = new Set(tracked.flatMap((file) => [file, ...foldersAbove(file)]))
const documents = tracked.filter((file) => file.endsWith('.md') && existsSync(join(root, file)))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'))
}

t.test('the map names every folder of the sources, and no other', async (t) => {
  const isSource = (folder: string) =>
    /^(packages|apps)\/[^/]+\/src/.test(folder) || /^(deploy|scripts|tools|tests)(\/|$)/.test(folder)
  const folders = [...exists].filter(
    (path) => isSource(path) && !tracked.includes(path) && !path.startsWith('tests/fixtures/'),
  )
  const tree = /## The tree\n+```\n(.*?)```/s.exec(read('ARCHITECTURE.md'))?.[1] ?? ''
  t.same(new Set(namedIn(tree)), new Set(folders))
})

/** Paths of an indented tree with one folder per line. */
function namedIn(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, name] = /^( *)(\S+?)\/? {2,}\S/.exec(line) ?? []
    if (indent === undefined || name === undefined) return []
    above.length = indent.length / 2
    above.push(name)
    return above.join('/')
  })
}

for (const document of documents) {
  t.test(`${document}: every link and path resolves`, async (t) => {
    const text = read(document).replaceAll(/```.*?```/gs, '')
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target!)) continue
      const [path, anchor] = target!.split('#')
      const file = path ? normalize(join(dirname(document), decodeURI(path))).replace(/\/$/, '') : document
      t.ok(exists.has(file), `${target} exists`)
      if (anchor && file.endsWith('.md'))
        t.ok(anchorsOf(read(file)).includes(anchor), `${target} has its heading`)
    }
    if (document === 'CHANGELOG.md') return
    for (const [, path] of text.matchAll(/`((?:packages|apps|scripts|tools|tests|deploy|docs)\/[\w./-]+)`/g))
      t.ok(exists.has(path!.replace(/\/$/, '')), `${path} exists`)
  })
}

/** Anchors of the headings, as GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  )

t.test('every test that the page on reliability names exists', async (t) => {
  const rows = read('docs/reliability.md').match(/^\| .*$/gm) ?? []
  for (const row of rows) {
    let file = ''
    for (const [, path, title] of row.matchAll(/`([\w./-]+\.test\.ts)`|“([^”]+)”/g)) {
      if (path) file = path
      else t.ok(exists.has(file) && read(file).includes(title!), `${file}: ${title}`)
    }
  }
})

t.test('every package and app has a README', async (t) => {
  for (const folder of [...exists].filter((path) => /^(packages|apps)\/[^/]+$/.test(path)))
    t.ok(exists.has(`${folder}/README.md`), folder)
})
