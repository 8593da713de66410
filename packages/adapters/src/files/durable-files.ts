import { fsync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Writes a new file. Once this resolves its content survives a power cut; its name does after `syncFolder`. */
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

/** Makes the content of an open file durable. */
export const syncFile: (fd: number) => Promise<void> = promisify(fsync)

/** Makes the names in a folder durable: files that were created, renamed or removed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
