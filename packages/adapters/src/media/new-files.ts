import { randomUUID } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, writeDurably } from '../files/durable-files.ts'
import { isTaken } from './local-paths.ts'

type Content = Parameters<typeof writeDurably>[1]

/** No hard link can be made: the file system has none, the file is another user's, or lies on another disk. */
const NO_LINKS = new Set(['EPERM', 'EXDEV', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Writes or replaces a file in one step. */
export async function putFile(target: string, content: Content): Promise<void> {
  await writeBeside(target, content, (temporary) => rename(temporary, target))
  await syncFolder(dirname(target))
}

/** Gives a file a second name, by a copy where links are impossible; false when the name is taken. */
export async function copyNew(path: string, target: string): Promise<boolean> {
  const isMade = await linkNew(path, target).catch(async (error) => {
    if (!NO_LINKS.has(error.code)) throw error
    const original = await open(path)
    return writeBeside(target, original.createReadStream(), (temporary) => nameNew(temporary, target))
  })
  if (isMade) await syncFolder(dirname(target))
  return isMade
}

/** True when a name is one that `putFile` and `copyNew` give to unfinished files. */
export function isTemporary(name: string): boolean {
  return /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/.test(name)
}

/** Writes a temporary file in the target's folder and has `settle` name it; when that fails nothing is left. */
async function writeBeside<T>(
  target: string,
  content: Content,
  settle: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = join(dirname(target), `.${randomUUID()}.tmp`)
  try {
    await writeDurably(temporary, content)
    return await settle(temporary)
  } finally {
    await rm(temporary, { force: true }).catch(() => {})
  }
}

async function linkNew(path: string, target: string): Promise<boolean> {
  try {
    await link(path, target)
    return true
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
}

/** Gives a temporary file its name, with or without hard links; false when that is taken. */
async function nameNew(temporary: string, target: string): Promise<boolean> {
  try {
    return await linkNew(temporary, target)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  try {
    // A rename would replace another file, so an empty one takes the name first.
    await (await open(target, 'wx')).close()
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
  await rename(temporary, target)
  return true
}
