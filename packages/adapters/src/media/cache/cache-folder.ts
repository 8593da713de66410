import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { MediaKey } from '@solstice/station'

const PREFIX = 'solstice-media-'
/** A younger folder may belong to a process of another container, which cannot be seen from here. */
const ABANDONED_MS = 60 * 60 * 1000

const ownerPid = new RegExp(`^${PREFIX}(\\d+)-`)
/** Folders in use by this process. */
const ownFolders = new Set<string>()

/** A temporary folder that is removed with its process, or by a later one. */
export interface CacheFolder {
  readonly path: string
  /** A path in the folder that was never given out before. */
  newPath(key: MediaKey): Promise<string>
  remove(): Promise<void>
}

export async function makeCacheFolder(): Promise<CacheFolder> {
  await removeAbandonedFolders()
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  ownFolders.add(path)
  let serial = 0
  return {
    path,
    async newPath(key) {
      // Systems clean up their temporary folders.
      await mkdir(path, { recursive: true })
      return join(path, `${serial++}${extname(key)}`)
    },
    async remove() {
      await rm(path, { recursive: true, force: true, maxRetries: 3 })
      ownFolders.delete(path)
    },
  }
}

/** Removes the folders of dead processes. A container that restarts often has the process id of the one before. */
async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(ownerPid.exec(name)?.[1] ?? 0)
    const path = join(tmpdir(), name)
    if (pid === 0 || ownFolders.has(path) || (pid !== process.pid && isRunning(pid))) continue
    const isOld = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs > ABANDONED_MS,
      () => false,
    )
    if (isOld) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
