import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { keptFolder } from '../tests/harness/processes/kept.ts'
import { root, start, temporaryFolder } from '../tests/harness/processes/processes.ts'

t.test('programs are built whole, and their stack traces show the lines of the sources', async (t) => {
  const programs = join(keptFolder, `built-${process.pid}`)
  t.teardown(() => rm(programs, { recursive: true, force: true }))
  const build = start(t, 'node', ['--import', 'tsx', 'scripts/build.ts', programs])
  await build.exited
  t.equal(build.child.exitCode, 0, build.output)
  const folder = await temporaryFolder(t)
  const file = join(folder, 'file')
  await writeFile(file, '')
  for (const app of ['api', 'stream-worker', 'jobs']) {
    const program = join(programs, `apps/${app}/src/main.js`)
    const env = { JWT_SECRET: 'x', DATA_DIR: join(file, 'data'), MEDIA_DIR: folder, LOG_LEVEL: 'info' }
    const process = start(t, 'node', ['--enable-source-maps', program], env)
    await process.exited
    t.match(process.output, /start or stop failed/, app)
    t.match(process.output, /packages\/adapters\/src\/[\w/-]+\.ts:\d+/, `${app} names the line`)
  }
})

t.test('programs are built when a source is newer than they are, or the folder was moved', async (t) => {
  const folder = await temporaryFolder(t)
  const within = (path: string) => join(folder, path)
  for (const path of ['apps/web', 'apps/api', 'packages', 'scripts', 'bin'])
    await mkdir(within(path), { recursive: true })
  await copyFile(join(root, 'scripts/setup.sh'), within('scripts/setup.sh'))
  for (const path of ['package-lock.json', 'apps/api/main.ts', 'apps/api/main.test.ts', 'apps/web/page.ts'])
    await writeFile(within(path), '')
  // Stands for Node.js, which is asked for its version and then to build.
  const node = `#!/bin/sh
    if [ "$1" = --version ]; then echo v20.19.0; exit; fi
    mkdir -p .build/programs && echo "$(pwd -P)/" > .build/programs/built-in && echo "$@" >> builds
  `
  await writeFile(within('bin/node'), node, { mode: 0o755 })
  const { PATH } = process.env
  const env = { ...process.env, PATH: `${within('bin')}:${PATH}` }
  const builds = async () => {
    await promisify(execFile)('sh', [within('scripts/setup.sh'), 'programs'], { env })
    const all = (await readFile(within('builds'), 'utf8')).split('\n').length - 1
    const built = within('.build/programs/built-in')
    // As if it had been long ago.
    await utimes(built, 2_000, 2_000)
    return all
  }
  for (const path of ['package-lock.json', 'apps/api/main.ts', 'scripts/setup.sh'])
    await utimes(within(path), 1_000, 1_000)
  t.equal(await builds(), 1, 'there are none yet')
  t.equal(await builds(), 1, 'tests and the page are no part of them')
  await utimes(within('apps/api/main.ts'), 3_000, 3_000)
  t.equal(await builds(), 2, 'a source is newer')
  await utimes(within('apps/api/main.ts'), 1_000, 1_000)
  t.equal(await builds(), 2)
  await utimes(within('package-lock.json'), 3_000, 3_000)
  t.equal(await builds(), 3, 'other packages are installed')
  await utimes(within('package-lock.json'), 1_000, 1_000)
  await writeFile(within('.build/programs/built-in'), '/elsewhere/')
  t.equal(await builds(), 4, 'the folder was moved')
})
