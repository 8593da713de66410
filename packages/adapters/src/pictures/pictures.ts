import type { Pictures } from '@solstice/station'
import { openParserProcess } from '../process/parser-process.ts'
import { dominantColor } from './dominant-color.ts'

/** As many as a picture in a tag may have. */
export const MAX_PICTURE_BYTES = 10 * 1024 * 1024
const SHOW_TIMEOUT_MS = 15_000
const MAX_HEAP_MB = 64

interface Shrunk {
  /** Red, green and blue of a small copy, by turns. */
  sample: Uint8Array
  squares: { size: number; bytes: Uint8Array }[]
}

/** Decodes pictures with sharp, in a process of its own that is killed when it takes too long. `show` throws when the machine is too busy. */
export function openPictures(timeoutMs = SHOW_TIMEOUT_MS): Pictures {
  const script = new URL('./shrink-process.mjs', import.meta.url)
  const ask = openParserProcess({ script, timeoutMs, maxHeapMb: MAX_HEAP_MB, isUrgent: false })
  return {
    async show(picture, sizes) {
      if (picture.length === 0 || picture.length > MAX_PICTURE_BYTES) return null
      const shrunk = (await ask({ picture, sizes: [...sizes] })) as Shrunk | null
      return shrunk && { color: dominantColor(shrunk.sample), squares: shrunk.squares }
    },
  }
}
