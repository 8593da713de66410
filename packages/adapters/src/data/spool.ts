import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Spool, Spools } from '@solstice/station'
import { syncFolder, writeDurably } from '../files/durable-files.ts'

/** Spools of records that wait until the store is back, in subfolders of the data folder that are made on demand. */
export function openSpools(dataDir: string): Spools {
  return {
    deliveries: openSpool(join(dataDir, 'deliveries')),
    auditEntries: openSpool(join(dataDir, 'audit-entries')),
    alarms: openSpool(join(dataDir, 'alarms-waiting')),
    alarmSounds: openSpool(join(dataDir, 'alarm-sounds-waiting')),
  }
}

/** One file per record. */
function openSpool<T extends { id: string; receivedAt: number }>(folder: string): Spool<T> {
  // Ids may come from outside, so only their digests become names.
  const pathOf = (id: string) => join(folder, `${createHash('sha256').update(id).digest('hex')}.json`)

  return {
    async keep(record) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // A random name, because processes in several containers that share the folder may have the same pid.
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

/** null for a damaged file, which stays where it is and does not block the others. */
function readRecord<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T
  } catch {
    return null
  }
}

/** null when another process that shares the folder has removed the file. */
async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
