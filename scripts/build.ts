/**
 * `npm run build` builds the programs of the station; `npm start` and `npm run start:…` do it when a source has changed.
 * Everything they start then runs as one file with the parts that it needs later beside it.
 */
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundlePrograms, root } from './build/bundle.ts'

const PROGRAMS = [
  'apps/api/src/main.ts',
  'apps/stream-worker/src/main.ts',
  'apps/jobs/src/main.ts',
  'apps/jobs/src/monitor/main.ts',
]
/** On its own, because it would load the parts that those share for the few of their lines that it needs. */
const SUPERVISOR = 'scripts/start.ts'
/** A process that runs may need its parts for as long as nobody restarts it. */
const KEEP_PARTS_MS = 30 * 24 * 3_600_000

/** Another folder than that of `npm start` lies below the root as well. */
const folder = process.argv[2] ?? join(root, '.build/programs')
const began = new Date()
await mkdir(folder, { recursive: true })
const written = await Promise.all([PROGRAMS, [SUPERVISOR]].map((sources) => bundlePrograms(sources, folder)))
await removeOld(new Set(written.flat()))
// The programs know where they were built; setup.sh compares this, and its time with that of the sources.
await writeFile(join(folder, 'built-in'), `${root}\n`)
await utimes(join(folder, 'built-in'), began, began)

/** Parts have names of their own in each build, so those of earlier builds stay until nobody can use them. */
async function removeOld(current: Set<string>) {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    const isOld = began.getTime() - mtimeMs > KEEP_PARTS_MS
    if (isOld && /\.js(\.map)?$/.test(name) && !current.has(path)) await rm(path)
  }
}
