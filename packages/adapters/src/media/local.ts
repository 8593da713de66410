import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { Failure, type MediaKey, type MediaStorage } from '@solstice/station'
import { syncFolder, writeDurably } from '../files/durable-files.ts'
import { hasRoomIn, isName, namesIn } from './keys.ts'

/** A temporary file that nobody has written to for so long belongs to nobody any more. */
const ABANDONED_MS = 60 * 60 * 1000
/** No hard link can be made: the place has none, the file is another user's, or lies on another disk. */
const LINKLESS = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

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
    try {
      await mkdir(here)
      await syncFolder(dirname(here))
    } catch (error) {
      if (!isTaken(error)) throw error
    }
    return inside(root, await realpath(here))
  }

  /** Writes a file beside its place and lets `settle` give it its name; nothing is left when that fails. */
  const putBeside = async <T>(
    target: string,
    content: Parameters<typeof writeDurably>[1],
    settle: (temporary: string) => Promise<T>,
  ): Promise<T> => {
    const temporary = join(dirname(target), temporaryName())
    try {
      await writeDurably(temporary, content)
      return await settle(temporary)
    } finally {
      await rm(temporary, { force: true }).catch(() => {})
    }
  }

  return {
    async stat(key) {
      const found = await locate(key)
      return found && { size: found.stats.size, modifiedMs: found.stats.mtimeMs }
    },

    digest: async () => null,

    async open(key, range) {
      const found = await locate(key)
      if (!found) throw new Failure('NOT_FOUND')
      const file = await open(found.path)
      return file.createReadStream(range)
    },

    async put(key, content) {
      // A sender may be gone before its first byte is asked for; reading tells of it, and nobody else has to listen.
      if (content instanceof Readable) content.on('error', () => {})
      const path = place(key)
      const target = join(await provideFolder(dirname(path)), basename(path))
      await putBeside(target, content, (temporary) => rename(temporary, target))
      await syncFolder(dirname(target))
    },

    async copy(from, to) {
      const found = await locate(from)
      if (!found) throw new Failure('NOT_FOUND')
      const path = place(to)
      const target = join(await provideFolder(dirname(path)), basename(path))
      const isMade = await linkNew(found.path, target).catch(async (error) => {
        if (!LINKLESS.has(error.code)) throw error
        const original = await open(found.path)
        return putBeside(target, original.createReadStream(), (temporary) => nameNew(temporary, target))
      })
      if (isMade) await syncFolder(dirname(target))
      return isMade
    },

    hasRoomFor: (bytes) => hasRoomIn(root, bytes),

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

    prefetch() {},
    cachedWhileAway: () => null,
    link: async () => null,
    linkOrigin: null,
    async close() {},
  }
}

/** Gives a file a second name; false when that is taken. */
async function linkNew(path: string, target: string): Promise<boolean> {
  try {
    await link(path, target)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** Gives a temporary file its name, also where there are no links; false when that is taken. */
async function nameNew(temporary: string, target: string): Promise<boolean> {
  try {
    return await linkNew(temporary, target)
  } catch (error) {
    if (!LINKLESS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  try {
    // A rename replaces what is there, so the name is taken first.
    await (await open(target, 'wx')).close()
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
  await rename(temporary, target)
  return true
}

const temporaryName = () => `.${randomUUID()}.tmp`
const isTemporary = (name: string) => /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/.test(name)

function segments(key: MediaKey): string[] {
  const names = namesIn(key)
  return names[0] === 'day' || names[0] === 'night' ? ['music', ...names] : names
}

function inside(root: string, path: string): string {
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Failure('BAD_REQUEST', { field: 'key' })
  return path
}

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST'
}

function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP'
}
