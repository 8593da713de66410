import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFile, syncFolder, writeDurably } from '../../files/durable-files.ts'
import type { FileLock } from '../../files/file-lock.ts'
import type { Draft } from '../draft.ts'
import type { Counters } from '../record.ts'
import type { FileView } from './file-view.ts'
import { lineOf, type ReadFile, wholeFile } from './record-file.ts'

/** Smaller files are not worth compacting, however much of them is outdated. */
const MIN_OUTDATED = 1_000

/** Makes a draft of `version` durable, and compacts the file when most of it is outdated. */
export async function writeDraft<T extends object>(
  view: FileView<T>,
  version: ReadFile<T> | null,
  draft: Draft<T>,
  lock: FileLock,
): Promise<void> {
  const isLarge = draft.changes.size > Math.max(MIN_OUTDATED, version?.records.size ?? 0)
  const { isOnDisk } = view
  try {
    if (version?.id && isOnDisk && !isLarge) await appendLine(view, version, draft, lock)
    else await replaceFile(view, draft.entries, draft.last, null, lock)
  } catch (error) {
    throw new Error(`${view.path} could not be written; nothing was changed`, { cause: error })
  }
  const now = view.latest()
  if (!now || now.entries - now.records.size <= Math.max(MIN_OUTDATED, now.records.size)) return
  // The change itself is durable; without room for a new file the old one goes on growing.
  await replaceFile(view, now.records.entries(), now.last, now, lock).catch(() => {})
}

/**
 * Puts a new file in place of the one that is there.
 *
 * @param of the file that holds the same; null when none does.
 */
export async function replaceFile<T extends object>(
  view: FileView<T>,
  entries: [number, T][],
  last: Counters,
  of: ReadFile<T> | null,
  lock: FileLock,
): Promise<void> {
  const folder = dirname(view.path)
  const temporary = join(folder, `${temporaryPrefix(basename(view.path, '.json'))}${randomUUID()}.tmp`)
  try {
    await writeDurably(temporary, wholeFile(entries, last, of), 0o600)
    assertHeld(lock)
    renameSync(temporary, view.path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
  view.latest()
}

/** How the names of a collection's unfinished files begin. */
export function temporaryPrefix(name: string): string {
  return `.${name}.`
}

/** Adds a line, which no reader takes for whole before it is. */
async function appendLine<T extends object>(
  view: FileView<T>,
  version: ReadFile<T>,
  draft: Draft<T>,
  lock: FileLock,
): Promise<void> {
  const { line, mark } = lineOf(version, draft.last, draft.changes)
  const file = openSync(view.path, constants.O_RDWR | constants.O_APPEND)
  try {
    assertHeld(lock)
    // A process that died may have left a part of a line.
    if (Number(fstatSync(file).size) > version.bytes) ftruncateSync(file, version.bytes)
    try {
      for (let at = 0; at < line.length; ) at += writeSync(file, line, at)
      await syncFile(file)
    } catch (error) {
      if (lock.isHeld()) ftruncateSync(file, version.bytes)
      throw error
    }
  } finally {
    closeSync(file)
  }
  if (view.latest()?.mark !== mark) throw new Error('another process took the lock over')
}

/** @throws when another process has taken the lock over, because this one seemed to be dead. */
function assertHeld(lock: FileLock): void {
  if (!lock.isHeld()) throw new Error('another process took the lock over')
}
