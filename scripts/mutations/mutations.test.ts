import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../tests/harness/processes/processes.ts'
import { allMutations } from './faults/all.ts'

t.test('each mutation matches one place in the sources and names existing tests', async (t) => {
  const seen = new Set<string>()
  for (const { breaks, file, from, to, tests } of allMutations) {
    const source = await readFile(join(root, file), 'utf8').catch(() => '')
    t.equal(source.split(from).length - 1, 1, `${file}: ${breaks}`)
    t.not(from, to, breaks)
    t.notOk(seen.has(`${file} ${breaks}`), `${breaks}: is there once`)
    seen.add(`${file} ${breaks}`)
    t.ok(tests.length > 0, breaks)
    for (const test of tests) t.ok((await stat(join(root, test)).catch(() => null))?.isFile(), test)
  }
})
