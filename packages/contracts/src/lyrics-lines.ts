export interface LyricsLine {
  /** Seconds from the start of the track; 0 in plain lyrics. */
  time: number
  text: string
}

const SYNCED = /^\[(\d{2}):(\d{2})\.(\d{2,3})\] ?(.*)$/

/** Reads `[MM:SS.cc] text` lines; other lines and lines without text are dropped, times rounded to 0.01 s. */
export function parseSyncedLines(lrc: string): LyricsLine[] {
  return lrc.split(/\r?\n/).flatMap((line) => {
    const [, minutes, seconds, fraction, text] = SYNCED.exec(line.trim()) ?? []
    if (!text?.trim()) return []
    const time = Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`)
    return [{ time: Math.round(time * 100) / 100, text: text.trim() }]
  })
}

/** True for lines of the form `[MM:SS.cc] text`. */
export function isSyncedLine(line: string): boolean {
  return SYNCED.test(line.trim())
}

/** Reads plain lyrics: trimmed lines that are not empty, `[bracketed]` parts removed. */
export function parsePlainLines(text: string): LyricsLine[] {
  return text
    .split(/\r?\n/)
    .map((line) => {
      // Brackets that nothing closes are not looked through one by one: a line may be half a megabyte of them.
      const end = line.lastIndexOf(']') + 1
      return (line.slice(0, end).replace(/\[[^\]]*\]/g, '') + line.slice(end)).trim()
    })
    .filter(Boolean)
    .map((line) => ({ time: 0, text: line }))
}
