import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import type { Mutation } from './mutation.ts'

/** Outcome of a test run: `hung` means that only the time limit ended it. */
export type Verdict = 'passed' | 'failed' | 'hung'

/** A copy of the sources for trying faults. */
export interface Copy {
  /** Changes one source, runs the tests, and restores the source. */
  tryOut(mutation: Mutation, limitMs: number): Promise<Verdict>
  /** Runs these tests on the unchanged sources. */
  run(tests: readonly string[], limitMs: number): Promise<Verdict>
  /** Ends a run in progress, and removes the copy. */
  remove(): Promise<void>
}

const LAST_WORDS_MS = 10_000
/** A test whose event never comes must fail, several times over, within the limit of its run. */
const TEST_PATIENCE_S = 50
const LEFT_OUT = new Set(['node_modules', '.git', '.build'])
/** Records and files of a station that runs from the root. */
const LEFT_OUT_AT_ROOT = new Set(['data', 'media'])

/** Copies the sources to a folder of their own; npm packages stay where they are installed. */
export async function copySources(root: string): Promise<Copy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'solstice-mutations-')))
  await cp(root, folder, {
    recursive: true,
    filter: (path) =>
      path === root || !(LEFT_OUT.has(basename(path)) || LEFT_OUT_AT_ROOT.has(relative(root, path))),
  })
  await linkModules(root, folder)
  let endRun: (signal: NodeJS.Signals) => void = () => {}
  const run: Copy['run'] = async (tests, limitMs) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/test.ts', ...tests], {
      cwd: folder,
      // The first failed assertion is enough.
      env: { ...process.env, TEST_PATIENCE_S: String(TEST_PATIENCE_S), TAP_BAIL: '1' },
      stdio: 'ignore',
      detached: true,
    })
    let isOver = false
    const endGroup = (signal: NodeJS.Signals) => {
      isOver = true
      if (child.pid) process.kill(-child.pid, signal)
    }
    endRun = endGroup
    const timers = [
      setTimeout(endGroup, limitMs, 'SIGTERM'),
      // A test that never returns to its event loop ignores every other signal.
      setTimeout(endGroup, limitMs + LAST_WORDS_MS, 'SIGKILL'),
    ]
    const [code] = await once(child, 'close')
    for (const timer of timers) clearTimeout(timer)
    endRun = () => {}
    return isOver ? 'hung' : code === 0 ? 'passed' : 'failed'
  }
  return {
    run,
    async tryOut({ file, from, to, tests }, limitMs) {
      const path = join(folder, file)
      const source = await readFile(path, 'utf8')
      await writeFile(
        path,
        source.replace(from, () => to),
      )
      try {
        return await run(tests, limitMs)
      } finally {
        await writeFile(path, source)
      }
    },
    remove() {
      endRun('SIGTERM')
      return rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Resolves workspace packages to the copy, all others to the original. */
async function linkModules(root: string, folder: string): Promise<void> {
  const members = (
    await Promise.all(
      ['apps', 'packages'].map(async (parent) =>
        (await readdir(join(root, parent))).map((name) => join(parent, name)),
      ),
    )
  ).flat()
  for (const place of ['', ...members]) {
    const [from, to] = [join(root, place, 'node_modules'), join(folder, place, 'node_modules')]
    const names = await readdir(from).catch(() => [])
    if (names.length > 0) await mkdir(to, { recursive: true })
    for (const name of names) if (name !== '@solstice') await symlink(join(from, name), join(to, name))
  }
  const own = join(folder, 'node_modules/@solstice')
  await mkdir(own)
  for (const member of members) await symlink(join(folder, member), join(own, member.split('/').at(-1)!))
}
