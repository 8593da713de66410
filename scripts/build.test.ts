import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { keptFolder } from '../tests/harness/processes/kept.ts'
import { start, temporaryFolder } from '../tests/harness/processes/processes.ts'

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
