import { fsync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Writes a new file; when this resolves its content survives a power cut, its name does once `syncFolder` resolved. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  mode = 0o666,
): Promise<void> {
  const file = await open(path, 'wx', mode)
  try {
    await writeFile(file, content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Resolves when what was written to an open file survives a power cut. */
export const syncFile: (fd: number) => Promise<void> = promisify(fsync)

/** Makes the names in a folder durable: files that were made, renamed or removed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
