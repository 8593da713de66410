import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Who a style sheet belongs to. Blocks and the shell are for all; Live is shown to hosts and moderators. */
function roomOf(path: string): string {
  const [room = '', part = ''] = path.split('/')
  if (room !== 'admin') return room === 'styles' || room === 'ui' ? 'common' : room
  if (part === 'ui' || part === 'shell' || part.endsWith('.css')) return 'common'
  return part === 'moderator' ? 'admin/host' : `admin/${part}`
}

/** The classes with which the rules of a style sheet begin. */
function headsOf(css: string): Set<string> {
  const rules = css.replace(/\/\*.*?\*\//gs, '').matchAll(/([^{};]+)\{/g)
  const selectors = [...rules].flatMap(([, text]) =>
    text!
      // The rest of the page may make way for what a part shows.
      .replace(/\.[\w-]+:has\(\.([\w-]+)[^()]*\)/g, '.$1')
      .replace(/\([^()]*\)/g, '')
      .split(','),
  )
  return new Set(selectors.flatMap((selector) => /^\s*[a-z]*\.([\w-]+)/.exec(selector)?.[1] ?? []))
}

t.test('a class belongs to one part of the page: class names are global', async (t) => {
  const rooms = new Map<string, Set<string>>()
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.css'))
  for (const path of paths)
    for (const name of headsOf(await readFile(folder + path, 'utf8')))
      rooms.set(name, (rooms.get(name) ?? new Set()).add(roomOf(path)))
  t.ok(rooms.size > 100)
  const shared = [...rooms].filter(([, owners]) => owners.size > 1)
  t.same(
    shared.map(([name, owners]) => `.${name}: ${[...owners].join(', ')}`),
    [],
    'prefix it, begin the rule with a class of the part, or make it common',
  )
})

t.test('a rule belongs to its first class, or to the one that must be there', async (t) => {
  const css =
    '/* .no { */ .a .b, li.c:not(.d, .e) > .f,\n:is(.g, .h) .i { } @media (x) { .j { } @media (y) { ol.k { } } } .l:has(.m[n]) ~ .o { }'
  t.same([...headsOf(css)], ['a', 'c', 'j', 'k', 'm'])
})

t.test('letters follow the size that the browser is set to', async (t) => {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.css'))
  const fixed = async (path: string) =>
    [
      ...(await readFile(folder + path, 'utf8')).matchAll(
        /(?<![\w-])(?:font|font-size|line-height):[^;{}]*\dpx[^;{}]*/g,
      ),
    ].map(([rule]) => `${path}: ${rule}`)
  t.same((await Promise.all(paths.map(fixed))).flat(), [], 'in rem')
  const inPanel = paths.filter((path) => path.startsWith('admin/'))
  const queries = inPanel.map(
    async (path) => /@media[^{]*-width: \d+px/.exec(await readFile(folder + path, 'utf8')) && path,
  )
  t.same(
    (await Promise.all(queries)).filter(Boolean),
    [],
    'and so do the widths at which the panel changes, in em',
  )
})
