import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root, temporaryFolder } from '../../tests/harness/processes/processes.ts'
import { joinFiles } from './join.ts'

t.test('each file runs once, by itself or with others that have the same stores', async (t) => {
  const built = await temporaryFolder(t)
  const found = await Promise.all(
    ['apps', 'packages', 'scripts', 'tests'].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  )
  const files = found.flat().filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  const ran: string[] = []
  let shared = 0
  for (const program of await joinFiles(files, built)) {
    if (files.includes(program)) {
      ran.push(program)
      continue
    }
    const source = await readFile(join(built, program.replace(/ts$/, 'js')), 'utf8')
    const members = [...source.matchAll(/^import "(.*)js"$/gm)].map(([, path]) =>
      path!.slice(built.length + 1).concat('ts'),
    )
    ran.push(...members)
    shared++
    const texts = await Promise.all(members.map((file) => readFile(join(root, file), 'utf8')))
    const stores = new Set(texts.map((text) => /useStores\('(.*)'\)/.exec(text)?.[1]))
    t.equal(stores.size, 1, program)
    for (const text of texts) t.notMatch(text, /^t\.jobs/m, program)
  }
  t.same(ran.sort(), files.sort())
  t.ok(shared > 1)
})
