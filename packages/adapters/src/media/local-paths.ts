import type { Stats } from 'node:fs'
import { mkdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Failure, type MediaKey } from '@solstice/station'
import { syncFolder } from '../files/durable-files.ts'
import { namesIn } from './keys.ts'

/** The paths of files below a root folder. Nothing outside of it is reached, by a key or by a link. */
export interface LocalPaths {
  readonly root: string
  /** Where a file belongs, whether it is there or not. @throws Failure BAD_REQUEST */
  pathOf(key: MediaKey): string
  /** The file behind a key, with links resolved; null when there is none. */
  locate(key: MediaKey): Promise<{ path: string; stats: Stats } | null>
  /** The real path of an existing folder. @throws ENOENT */
  realFolder(path: string): Promise<string>
  /** The path for a new file, in a folder that is made when it is absent. */
  prepare(key: MediaKey): Promise<string>
}

export async function openLocalPaths(folder: string): Promise<LocalPaths> {
  await mkdir(folder, { recursive: true })
  const root = await realpath(folder)
  const pathOf = (key: MediaKey) => inside(root, resolve(root, ...segments(key)))
  const realFolder = async (path: string) => inside(root, await realpath(path))

  const makeFolder = async (path: string): Promise<string> => {
    if (path === root) return root
    const here = join(await makeFolder(dirname(path)), basename(path))
    try {
      await mkdir(here)
      await syncFolder(dirname(here))
    } catch (error) {
      if (!isTaken(error)) throw error
    }
    return realFolder(here)
  }

  return {
    root,
    pathOf,
    realFolder,
    async locate(key) {
      const wanted = pathOf(key)
      try {
        const path = inside(root, await realpath(wanted))
        const stats = await stat(path)
        return stats.isFile() ? { path, stats } : null
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    },
    async prepare(key) {
      const path = pathOf(key)
      return join(await makeFolder(dirname(path)), basename(path))
    },
  }
}

/** Music is under `music/`, everything else where its key says. */
function segments(key: MediaKey): string[] {
  const names = namesIn(key)
  return names[0] === 'day' || names[0] === 'night' ? ['music', ...names] : names
}

function inside(root: string, path: string): string {
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Failure('BAD_REQUEST', { field: 'key' })
  return path
}

export function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
