import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './processes.ts'

/** What lies here goes when it was not used for an hour, also what a run that was broken off has left. */
export const keptFolder = join(root, '.build/tests-kept')
/** Since a test file used it last. */
const FORGOTTEN_AFTER_MS = 3_600_000

/**
 * What costs time to make and comes out the same for every test file: made once, and kept while it is used.
 *
 * @param name says all that it depends on.
 * @param make puts a file or a folder at the path it is given.
 * @returns where it lies; nobody changes it.
 */
export async function keep(name: string, make: (path: string) => Promise<unknown>): Promise<string> {
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
  // Another test file may have been quicker.
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
