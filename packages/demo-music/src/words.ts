import { type LyricsEntry, type LyricsLine, parseSyncedLines } from '@solstice/contracts'
import { barStart } from './compose.ts'
import type { Piece } from './pieces.ts'
import { firstBeatS } from './render.ts'

/** The lines of a piece with their times, in the form `[MM:SS.cc] text`. */
export function lrcOf({ words, score }: Piece): string {
  return words.map(([bar, line]) => `[${stamp(firstBeatS + barStart(score, bar))}] ${line}`).join('\n')
}

export function lyricsOf(piece: Piece): LyricsEntry & { lines: LyricsLine[] } {
  return { synced: true, lines: parseSyncedLines(lrcOf(piece)) }
}

function stamp(seconds: number): string {
  const hundredths = Math.round(seconds * 100)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(hundredths / 6000))}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`
}
