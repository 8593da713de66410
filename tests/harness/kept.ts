import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './processes.ts'

const folder = join(root, '.build/tests-kept')
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
  const path = join(folder, name)
  const now = new Date()
  const isKept = await utimes(path, now, now).then(
    () => true,
    () => false,
  )
  if (isKept) return path
  await mkdir(folder, { recursive: true })
  const unfinished = join(folder, `unfinished-${randomUUID()}`)
  await make(unfinished)
  // Another test file may have been quicker.
  await rename(unfinished, path).catch(() => rm(unfinished, { recursive: true }))
  await forgetOld()
  return path
}

async function forgetOld() {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const usedAtMs = (await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - usedAtMs > FORGOTTEN_AFTER_MS) await rm(path, { recursive: true, force: true })
  }
}
