import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Picture {
  mime: string
  bytes: Uint8Array
}

const mimeTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
}
const shippedWithUs = fileURLToPath(new URL('../../assets/avatars/', import.meta.url))

/** The shipped avatars by file name; they are few and small enough to stay in memory. */
export async function readAvatars(folder = shippedWithUs): Promise<ReadonlyMap<string, Picture>> {
  const names = (await readdir(folder)).filter((name) => extname(name) in mimeTypes)
  const pictures = names.map(async (name): Promise<[string, Picture]> => {
    const bytes = await readFile(join(folder, name))
    return [name, { mime: mimeTypes[extname(name)]!, bytes }]
  })
  return new Map(await Promise.all(pictures))
}
