import { readFile } from 'node:fs/promises'
import t from 'tap'

t.test('each part has its own id, and its own letter after g', async (t) => {
  // Read as text: importing it would bring the whole panel along.
  const source = await readFile(new URL('parts.ts', import.meta.url), 'utf8')
  const valuesOf = (name: string) =>
    [...source.matchAll(new RegExp(`^ {4}${name}: '([^']*)',$`, 'gm'))].map(([, value]) => value!)
  const [ids, keys] = [valuesOf('id'), valuesOf('key')]
  t.ok(ids.length > 5)
  t.equal(keys.length, ids.length)
  for (const all of [ids, keys]) t.same(all, [...new Set(all)])
  t.same(
    keys.filter((key) => !/^[a-z]$/.test(key)),
    [],
  )
})
