import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Failure, type MediaKey, type MediaStorage } from '@solstice/station'
import { syncFolder, writeDurably } from './durable-files.ts'

/** Longest name that common file systems take. */
const MAX_NAME_BYTES = 255
/** A temporary file that nobody has written to for so long belongs to nobody any more. */
const ABANDONED_MS = 60 * 60 * 1000

/**
 * The station's files in a folder of this machine: music `<mode>/<file>` under `music/`, everything else where its key
 * says. Links that lead out of the folder are not followed.
 */
export async function openLocalMedia(folder: string): Promise<MediaStorage> {
  await mkdir(folder, { recursive: true })
  const root = await realpath(folder)

  const place = (key: MediaKey) => {
    const path = resolve(root, ...segments(key))
    return inside(root, path)
  }

  /** The file behind a key, links resolved; null when there is none. */
  const locate = async (key: MediaKey): Promise<{ path: string; stats: Stats } | null> => {
    const asked = place(key)
    try {
      const path = inside(root, await realpath(asked))
      const stats = await stat(path)
      return stats.isFile() ? { path, stats } : null
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  /** The real path of a folder within the root, made when it is absent. */
  const provideFolder = async (path: string): Promise<string> => {
    if (path === root) return root
    const here = join(await provideFolder(dirname(path)), basename(path))
    await mkdir(here).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
    return inside(root, await realpath(here))
  }

  return {
    async stat(key) {
      const found = await locate(key)
      return found && { size: found.stats.size, modifiedMs: found.stats.mtimeMs }
    },

    async open(key, range) {
      const found = await locate(key)
      if (!found) throw new Failure('NOT_FOUND')
      const file = await open(found.path)
      return file.createReadStream(range)
    },

    async put(key, content) {
      const path = place(key)
      const parent = await provideFolder(dirname(path))
      const temporary = join(parent, temporaryName())
      try {
        await writeDurably(temporary, content)
        await rename(temporary, join(parent, basename(path)))
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      await syncFolder(parent)
    },

    async delete(key) {
      const path = place(key)
      try {
        const parent = inside(root, await realpath(dirname(path)))
        await rm(join(parent, basename(path)))
        await syncFolder(parent)
      } catch (error) {
        if (!isAbsent(error)) throw error
      }
    },

    async list(listed) {
      const path = place(listed)
      try {
        const entries = await readdir(inside(root, await realpath(path)), { withFileTypes: true })
        return entries
          .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && isName(entry.name))
          .map((entry) => `${listed}/${entry.name}`)
          .sort()
      } catch (error) {
        if (isAbsent(error)) return []
        throw error
      }
    },

    async sweep(swept) {
      try {
        const folder = inside(root, await realpath(place(swept)))
        for (const name of (await readdir(folder)).filter(isTemporary)) {
          const path = join(folder, name)
          if (Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { force: true })
        }
      } catch (error) {
        if (!isAbsent(error)) throw error
      }
    },

    async source(key) {
      const found = await locate(key)
      if (!found) throw new Failure('NOT_FOUND')
      return found.path
    },
  }
}

const temporaryName = () => `.${randomUUID()}.tmp`
const isTemporary = (name: string) => /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/.test(name)

function segments(key: MediaKey): string[] {
  const names = key.split('/')
  if (!names.every(isName)) throw new Failure('BAD_REQUEST', { field: 'key' })
  return names[0] === 'day' || names[0] === 'night' ? ['music', ...names] : names
}

/** Whether a name stays where it is put, on any system. A replacement character means bytes that were not UTF-8. */
function isName(name: string): boolean {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[\\\p{Cc}\p{Cs}\ufffd]/u.test(name)
  return isPlain && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

function inside(root: string, path: string): string {
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Failure('BAD_REQUEST', { field: 'key' })
  return path
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
