import { open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { Failure, type MediaKey, type MediaStorage } from '@solstice/station'
import { syncFolder } from '../files/durable-files.ts'
import { hasRoomIn, isName } from './keys.ts'
import { isAbsent, type LocalPaths, openLocalPaths } from './local-paths.ts'
import { copyNew, isTemporary, putFile } from './new-files.ts'

/** No upload lasts an hour without writing, so its process is dead. */
const ABANDONED_MS = 60 * 60 * 1000

/**
 * The station's files in a folder of this machine: music `<mode>/<file>` under `music/`, everything else where its key
 * says. Links that lead out of the folder are not followed.
 */
export async function openLocalMedia(folder: string): Promise<MediaStorage> {
  const paths = await openLocalPaths(folder)

  const locate = async (key: MediaKey) => {
    const found = await paths.locate(key)
    if (!found) throw new Failure('NOT_FOUND')
    return found
  }
  /** Calls `use` with the path of a file, which may be deleted before it is opened. @throws Failure NOT_FOUND */
  const useFile = async <T>(key: MediaKey, use: (path: string) => Promise<T>): Promise<T> => {
    const { path } = await locate(key)
    try {
      return await use(path)
    } catch (error) {
      if (isAbsent(error)) await locate(key)
      throw error
    }
  }

  return {
    async stat(key) {
      const found = await paths.locate(key)
      return found && { size: found.stats.size, modifiedMs: found.stats.mtimeMs }
    },
    digest: async () => null,

    async open(key, range) {
      const file = await useFile(key, (path) => open(path))
      return file.createReadStream(range)
    },
    source: async (key) => (await locate(key)).path,

    async put(key, content) {
      // A sender may fail before its first byte is asked for. The write reports that; the listener keeps the process alive.
      if (content instanceof Readable) content.on('error', () => {})
      await putFile(await paths.prepare(key), content)
    },
    copy: (from, to) => useFile(from, async (path) => copyNew(path, await paths.prepare(to))),
    delete: (key) => remove(paths, key),

    hasRoomFor: (bytes) => hasRoomIn(paths.root, bytes),
    list: (listed) => list(paths, listed),
    sweep: (swept) => sweep(paths, swept),

    prefetch() {},
    cachedWhileAway: () => null,
    link: async () => null,
    linkOrigin: null,
    async close() {},
  }
}

async function remove(paths: LocalPaths, key: MediaKey): Promise<void> {
  const path = paths.pathOf(key)
  try {
    const parent = await paths.realFolder(dirname(path))
    await rm(join(parent, basename(path)))
    await syncFolder(parent)
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

async function list(paths: LocalPaths, listed: string): Promise<MediaKey[]> {
  const path = paths.pathOf(listed)
  try {
    const entries = await readdir(await paths.realFolder(path), { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && isName(entry.name))
      .map((entry) => `${listed}/${entry.name}`)
      .sort()
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

async function sweep(paths: LocalPaths, swept: string): Promise<void> {
  try {
    const folder = await paths.realFolder(paths.pathOf(swept))
    for (const name of (await readdir(folder)).filter(isTemporary)) {
      const path = join(folder, name)
      if (Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { force: true })
    }
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}
