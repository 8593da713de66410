import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const MIN_BYTES = 1000
/** Byte 9 of a gzip file names the system that made it; 255 = unknown, so that every system makes the same file. */
const SYSTEM_BYTE = 9

/** Writes `.br` and `.gz` beside each text file of a folder that becomes smaller by them. Pages are filled first, so not here. */
export async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of entries.filter((entry) => entry.isFile())) {
    if (!/\.(?:js|css|svg|json|webmanifest|txt|xml)$/.test(name)) continue
    const path = join(parentPath, name)
    const bytes = await readFile(path)
    if (bytes.length < MIN_BYTES) continue
    const br = brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    })
    const gz = gzipSync(bytes, { level: 9 })
    gz[SYSTEM_BYTE] = 255
    for (const [ending, compressed] of [
      ['br', br],
      ['gz', gz],
    ] as const)
      if (compressed.length < bytes.length * 0.9) await writeFile(`${path}.${ending}`, compressed)
  }
}
