import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Spool, Spools } from '@solstice/station'
import { syncFolder, writeDurably } from '../files/durable-files.ts'

/** What waits for the store beside it, in folders of the data folder that are made when they are needed. */
export function openSpools(dataDir: string): Spools {
  return {
    deliveries: openSpool(join(dataDir, 'deliveries')),
    auditEntries: openSpool(join(dataDir, 'audit-entries')),
  }
}

/** Records as files of a folder, one each. */
function openSpool<T extends { id: string; receivedAt: number }>(folder: string): Spool<T> {
  // Ids may be others' than ours: only a digest of one becomes a name.
  const pathOf = (id: string) => join(folder, `${createHash('sha256').update(id).digest('hex')}.json`)

  return {
    async keep(record) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Processes of several containers that share the folder may have the same pid.
      const draft = join(folder, `.${randomUUID()}`)
      try {
        await writeDurably(draft, JSON.stringify(record), 0o600)
        await rename(draft, pathOf(record.id))
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
      await syncFolder(folder)
      await syncFolder(dirname(folder))
    },

    async all() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const texts = await Promise.all(
        names.filter((name) => name.endsWith('.json')).map((name) => readIfThere(join(folder, name))),
      )
      return texts
        .flatMap((text) => (text === null ? [] : (readRecord<T>(text) ?? [])))
        .sort((a, b) => a.receivedAt - b.receivedAt)
    },

    async remove(id) {
      await rm(pathOf(id), { force: true })
    },
  }
}

/** null for what a broken disk left: it stays where it is, and keeps nothing else back. */
function readRecord<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T
  } catch {
    return null
  }
}

/** Another process that shares the folder may have been quicker. */
async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
