import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const LENGTH = 16

/** Names the build in its service worker, so that browsers take it for a new version when, and only when, a page has changed. */
export async function stampWorker(folder: string): Promise<void> {
  const hash = createHash('sha256')
  const pages = (await readdir(folder)).filter((name) => name.endsWith('.html')).sort()
  for (const page of pages) hash.update(await readFile(join(folder, page)))
  const worker = join(folder, 'sw.js')
  const text = await readFile(worker, 'utf8')
  await writeFile(worker, text.replace('__BUILD__', hash.digest('hex').slice(0, LENGTH)))
}
