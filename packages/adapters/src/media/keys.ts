import { statfs } from 'node:fs/promises'
import { Failure, type MediaKey } from '@solstice/station'

/** The limit of common file systems. */
const MAX_NAME_BYTES = 255
/** Kept free for the data store, Redis and logs, which must go on when uploads no longer fit; less on a small disk. */
const RESERVE_BYTES = 200 * 1024 * 1024
const RESERVE_SHARE = 0.1

/** The folders of a key and its file name. @throws Failure BAD_REQUEST when one of them could lead elsewhere. */
export function namesIn(key: MediaKey): string[] {
  const names = key.split('/')
  if (!names.every(isName)) throw new Failure('BAD_REQUEST', { field: 'key' })
  return names
}

/** True when a name is a plain file name on any system. A replacement character means bytes that were not UTF-8. */
export function isName(name: string): boolean {
  const isPlain = name !== '' && name !== '.' && name !== '..' && !/[\\\p{Cc}\p{Cs}\ufffd]/u.test(name)
  return isPlain && Buffer.byteLength(name) <= MAX_NAME_BYTES
}

/** True when this many bytes fit on the disk of a folder beside the reserve. */
export async function hasRoomIn(folder: string, bytes: number): Promise<boolean> {
  const { bavail, bsize, blocks } = await statfs(folder)
  // Some network drives report no size.
  return blocks === 0 || bavail * bsize >= bytes + Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
}
