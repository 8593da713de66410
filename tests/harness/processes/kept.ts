import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './processes.ts'

/** Files not used for an hour are removed, which includes the remains of interrupted runs. */
export const keptFolder = join(root, '.build/tests-kept')
/** Time since a test file last used it. */
const FORGOTTEN_AFTER_MS = 3_600_000

/**
 * Makes expensive artefacts once for all test files, and keeps them while they are used.
 *
 * @param name contains everything that the result depends on.
 * @param make writes a file or a folder at the given path.
 * @returns its path; treat it as read-only.
 */
export function keep(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const begun = making.get(name)
  if (begun) return begun
  const kept = find(name, make).finally(() => making.delete(name))
  making.set(name, kept)
  return kept
}

/** Wanted several times at once by this process. */
const making = new Map<string, Promise<string>>()

async function find(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(keptFolder, name)
  const now = new Date()
  const isKept = await utimes(path, now, now).then(
    () => true,
    () => false,
  )
  if (isKept) return path
  await mkdir(keptFolder, { recursive: true })
  const unfinished = join(keptFolder, `unfinished-${randomUUID()}`)
  await make(unfinished)
  // Another test file may have been faster.
  await rename(unfinished, path).catch(() => rm(unfinished, { recursive: true }))
  await forgetOld()
  return path
}

async function forgetOld() {
  for (const name of await readdir(keptFolder)) {
    const path = join(keptFolder, name)
    const usedAtMs = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - usedAtMs > FORGOTTEN_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}
