import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { makeFolder } from './folder.ts'

t.test('the folders of dead primaries are removed, those in use and of others are not', async (t) => {
  const within = await mkdtemp(join(tmpdir(), 'folders-'))
  t.teardown(() => rm(within, { recursive: true, force: true }))
  const dead = spawn('true')
  await once(dead, 'exit')
  const names = {
    left: `solstice-api-${dead.pid}-aaaaaa`,
    ofThePidBefore: `solstice-api-${process.pid}-bbbbbb`,
    ofARunningOne: `solstice-api-${process.ppid}-cccccc`,
    stillServing: `solstice-api-${dead.pid}-dddddd`,
    ofOthers: `${dead.pid}-eeeeee`,
  }
  for (const name of Object.values(names)) await mkdir(join(within, name))
  await writeFile(join(within, names.left, '1.sock'), '')
  const server = createServer().listen(join(within, names.stillServing, '2.sock'))
  t.teardown(() => server.close())
  await once(server, 'listening')

  const folder = await makeFolder(within)
  const kept = [names.ofARunningOne, names.stillServing, names.ofOthers]
  t.same((await readdir(within)).map((name) => join(within, name)).sort(), [
    ...[...kept.map((name) => join(within, name)), folder].sort(),
  ])
})
