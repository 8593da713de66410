import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { start, type Teardown, temporaryFolder } from './processes.ts'

export const MB = 1024 * 1024

export interface SmallDisk {
  folder: string
  /** Takes all room that is left. */
  fill(): void
  free(): void
}

/** A disk of the test's own, at a folder. @throws where this user may not mount one. */
export async function smallDisk(t: Teardown, bytes: number, at?: string): Promise<SmallDisk> {
  const folder = at ?? join(await temporaryFolder(t), 'disk')
  await mkdir(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' })
  t.teardown(() => execFileSync('umount', ['-l', folder]))
  const filler = join(folder, '.filler')
  return {
    folder,
    fill() {
      for (const size of [MB, 4096, 1])
        for (;;) {
          try {
            appendFileSync(filler, Buffer.alloc(size))
          } catch {
            break
          }
        }
    },
    free: () => rmSync(filler),
  }
}

/** Runs the tests of a file where this user may mount disks: here, or else in a namespace of a process of its own. */
export async function withDisks(t: Test, filename: string, tests: () => void): Promise<void> {
  if (mayMount()) return tests()
  await t.test('in a namespace in which this user may mount', async (t) => {
    const args = ['-rm', process.execPath, ...process.execArgv, filename]
    const inside = start(t, 'unshare', args)
    const code = await inside.exited
    t.equal(code, 0, inside.output)
  })
}

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Puts Redis, records and music of the stations of a test on one disk. */
export function putEverythingOn(t: Teardown, { folder }: SmallDisk): void {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  t.teardown(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
}
