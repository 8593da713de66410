import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { parseAst } from 'vite'
import { builtPage } from '../../../tests/harness/processes/programs.ts'
import { BASELINE, PANEL_BASELINE } from '../build/baseline.ts'

/** Since which version a browser has something; `false` and `preview` = not yet. */
interface Support {
  version_added: string | false | null
  flags?: unknown
  prefix?: string
  alternative_name?: string
}
interface Compat {
  support: Record<string, Support | Support[]>
}
type Entry = { [name: string]: Entry | undefined }

/** Knowledge of each version of each browser, as MDN tells it. */
const compat = createRequire(import.meta.url)('@mdn/browser-compat-data') as {
  api: Record<string, Entry>
  javascript: { builtins: Record<string, Entry>; regular_expressions: Record<string, Entry> }
}
const compatOf = (entry: Entry) => entry.__compat as unknown as Compat | undefined
const browserNames: Record<string, string> = { ios: 'safari_ios' }

/** Given to all pages by `ui/loading/older-browsers.ts`. */
const GIVEN = ['.at()', '.findLast()', '.findLastIndex()']
/** Looked for by those who use it, and done without. */
const TRIED = [
  'Error.captureStackTrace',
  'Notification.requestPermission',
  'new CSSStyleSheet',
  'new TransformStream',
  'new WebTransport',
]

/** Their methods are looked at. Those of the web have the names of our own. */
const LISTS_AND_WORDS = [
  'Array',
  'ArrayBuffer',
  'Date',
  'Map',
  'Number',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'TypedArray',
]

/** True when all these browsers have it. */
function isKnown(entry: Entry, baseline: readonly string[]): boolean {
  return baseline.every((browser) => {
    const [, name = '', version = ''] = /^([a-z]+)([\d.]+)$/.exec(browser)!
    const support = compatOf(entry)?.support[browserNames[name] ?? name]
    const since = [support ?? []]
      .flat()
      .filter(({ flags, prefix, alternative_name }) => !(flags || prefix || alternative_name))
      .map(({ version_added: added }) => Number.parseFloat((added || 'never').replace('≤', '')))
    return since.some((added) => added <= Number(version))
  })
}

/** Names by which scripts use what some of the browsers lack: `.method()`, `Name.method`; `new name`, also without `new`. */
function unknownTo(baseline: readonly string[]): Set<string> {
  const unknown = new Set<string>()
  const known = new Set<string>()
  const see = (name: string, entry: Entry) => (isKnown(entry, baseline) ? known : unknown).add(name)
  const membersOf = (entry: Entry) =>
    Object.entries(entry).filter(
      (own): own is [string, Entry] => own[0] !== '__compat' && own[1] !== undefined,
    )
  const { api, javascript } = compat
  for (const [name, entry] of Object.entries({ ...api, ...javascript.builtins })) {
    if (!compatOf(entry)) continue
    see(`new ${name}`, entry)
    for (const [member, own] of membersOf(entry)) see(`${name}.${member.replace(/_static$/, '')}`, own)
  }
  for (const name of LISTS_AND_WORDS)
    for (const [member, own] of membersOf(javascript.builtins[name]!)) see(`.${member}()`, own)
  see('lookbehind', javascript.regular_expressions.lookbehind_assertion!)
  return new Set(
    [...unknown].filter((name) => !known.has(name) && !GIVEN.includes(name) && !TRIED.includes(name)),
  )
}

interface Node {
  type: string
  callee?: Node & { computed?: boolean; object?: Node; property?: Node }
  name?: string
  optional?: boolean
  regex?: { pattern: string }
}

/** How a node uses something, in the words of `unknownTo`. */
function usesOf({ type, callee, optional, regex }: Node): string[] {
  if (regex) return /\(\?<[=!]/.test(regex.pattern) ? ['lookbehind'] : []
  if (callee?.type === 'Identifier') return [`new ${callee.name}`]
  if (type !== 'CallExpression' || optional || callee?.type !== 'MemberExpression' || callee.computed)
    return []
  return [`${callee.object?.name}.${callee.property?.name}`, `.${callee.property?.name}()`]
}

function* nodesIn(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* nodesIn(item)
  if (typeof (value as Node | null)?.type !== 'string') return
  yield value as Node
  for (const part of Object.values(value as Node)) if (typeof part === 'object') yield* nodesIn(part)
}

const newIn = (script: string, unknown: ReadonlySet<string>): string[] => [
  ...new Set([...nodesIn(parseAst(script))].flatMap(usesOf).filter((use) => unknown.has(use))),
]

/** The scripts of a page, with all that they may fetch. */
async function scriptsOf(folder: string, page: string): Promise<Set<string>> {
  const all = (await readdir(join(folder, 'assets'))).filter((name) => name.endsWith('.js'))
  const namedIn = (text: string) => (text.match(/[\w-]+\.js\b/g) ?? []).filter((name) => all.includes(name))
  const found = new Set(namedIn(await readFile(join(folder, page), 'utf8')))
  for (const name of found)
    for (const next of namedIn(await readFile(join(folder, 'assets', name), 'utf8'))) found.add(next)
  return found
}

t.test('nothing that a script calls is newer than the oldest browsers that run it', async (t) => {
  const folder = await builtPage()
  const pages = (await readdir(folder)).filter((name) => name.endsWith('.html'))
  t.ok(pages.length > 5)
  const unknown = unknownTo(BASELINE)
  const unknownToPanel = unknownTo(PANEL_BASELINE)
  const paths = new Map(['solstice-player.js', 'sw.js'].map((name) => [name, unknown]))
  for (const name of await scriptsOf(folder, 'panel.html')) paths.set(`assets/${name}`, unknownToPanel)
  for (const page of pages.filter((page) => page !== 'panel.html'))
    for (const name of await scriptsOf(folder, page)) paths.set(`assets/${name}`, unknown)
  t.ok(paths.size > 30)
  for (const [path, lacking] of paths)
    t.same(newIn(await readFile(join(folder, path), 'utf8'), lacking), [], path)
  const player = newIn(await readFile(join(folder, 'solstice-player.js'), 'utf8'), new Set(GIVEN))
  t.same(player, [], 'other sites are given nothing')
})

t.test('the test sees what is new', async (t) => {
  const script =
    'a.at(-1); b.toSorted(); URL.canParse(c); new CompressionStream("gzip"); structuredClone(h); d.with?.(1); /(?<=e)f/; g.map(h)'
  t.same(newIn(script, unknownTo(BASELINE)), [
    '.toSorted()',
    'URL.canParse',
    'new CompressionStream',
    'new structuredClone',
    'lookbehind',
  ])
  t.notOk(unknownTo(PANEL_BASELINE).has('.toSorted()'))
})

t.test('browsers that lack some methods of lists are given them', async (t) => {
  const { at, findLast, findLastIndex } = Array.prototype
  t.teardown(() => Object.assign(Array.prototype, { at, findLast, findLastIndex }))
  for (const name of ['at', 'findLast', 'findLastIndex']) Reflect.deleteProperty(Array.prototype, name)
  await import('./ui/loading/older-browsers.ts')
  const list = [3, 1, 4, 1, 5]
  t.same([list.at(0), list.at(-1), list.at(-6), list.at(9)], [3, 5, undefined, undefined])
  t.equal(
    list.findLastIndex((n) => n < 2),
    3,
  )
  t.same([list.findLast((n) => n < 5), list.findLast((n) => n > 9)], [1, undefined])
  t.same(Object.keys(list), ['0', '1', '2', '3', '4'], 'and loops don’t see them')
})
