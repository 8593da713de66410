import { openParserProcess } from '../process/parser-process.ts'
import type { TagTexts } from './mp3/tag-texts.ts'

/** Ordinary files take some 30 ms. */
const PARSE_TIMEOUT_MS = 2_000
const MAX_HEAP_MB = 64

/** Formats whose texts the parser reads at least as well as ffmpeg; it takes those of WAV for Latin-1. */
export type ParsedType = 'audio/mpeg' | 'audio/flac' | 'audio/ogg' | 'audio/mp4' | 'audio/matroska'

/** Reads a file's texts; null when they cannot be read within the limits of time and memory. */
export type TagParser = (path: string, type: ParsedType) => Promise<TagTexts | null>

/** Runs a general parser (music-metadata) in a process of its own. */
export function openTagParser(parseTimeoutMs = PARSE_TIMEOUT_MS): TagParser {
  const script = new URL('./tag-parser-process.mjs', import.meta.url)
  const ask = openParserProcess({
    script,
    timeoutMs: parseTimeoutMs,
    maxHeapMb: MAX_HEAP_MB,
    isUrgent: true,
  })
  return async (path, type) => (await ask({ path, mimeType: type }).catch(() => null)) as TagTexts | null
}
