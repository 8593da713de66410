import type { LyricsEntry, LyricsLine } from '@solstice/contracts'

/** A line in the editor: its id stays while time and text change. */
export interface EditedLine extends LyricsLine {
  readonly id: number
}

/** Lyrics in the editor; plain lines have the time 0. */
export interface EditedLyrics {
  readonly isSynced: boolean
  readonly lines: readonly EditedLine[]
}

/** The longest time that `MM:SS.cc` can write, in seconds. */
export const MAX_TIME_S = 99 * 60 + 59.99
const MINUTE_S = 60

let lastId = 0
const newLine = (text: string, time = 0): EditedLine => ({ id: ++lastId, time, text })

export const toEdited = ({ synced, lines }: Pick<LyricsEntry, 'synced' | 'lines'>): EditedLyrics => ({
  isSynced: synced && lines.length > 0,
  lines: lines.map(({ time, text }) => newLine(text, time)),
})

/** As the station takes lyrics. Synced lines without text are left out, as the station would. */
export function toEntry({ isSynced, lines }: EditedLyrics): { synced: boolean; lines: LyricsLine[] } {
  const kept = isSynced ? lines.filter(({ text }) => text.trim()) : lines
  return {
    synced: isSynced && kept.length > 0,
    lines: kept.map(({ time, text }) => ({ time: isSynced ? time : 0, text: text.trim() })),
  }
}

/** True when both would be stored alike. */
export const areAlike = (a: EditedLyrics, b: EditedLyrics): boolean =>
  JSON.stringify(toEntry(a)) === JSON.stringify(toEntry(b))

/** Within what can be written, rounded to 0.01 s. */
export const writable = (seconds: number): number =>
  Math.round(Math.min(MAX_TIME_S, Math.max(0, seconds)) * 100) / 100

const changed = (lyrics: EditedLyrics, id: number, change: Partial<LyricsLine>): EditedLyrics => ({
  ...lyrics,
  lines: lyrics.lines.map((line) => (line.id === id ? { ...line, ...change } : line)),
})

export const setText = (lyrics: EditedLyrics, id: number, text: string): EditedLyrics =>
  changed(lyrics, id, { text })

/** Gives a line the time of the playhead. */
export const stamp = (lyrics: EditedLyrics, id: number, atS: number): EditedLyrics =>
  changed(lyrics, id, { time: writable(atS) })

/** Sets the time of a line. When its minute changes, the lines that follow move by as many minutes. */
export function setTime(lyrics: EditedLyrics, id: number, atS: number): EditedLyrics {
  const at = lyrics.lines.findIndex((line) => line.id === id)
  const minuteOf = (seconds: number) => Math.floor(seconds / MINUTE_S)
  const minutes = at < 0 ? 0 : minuteOf(atS) - minuteOf(lyrics.lines[at]!.time)
  return {
    ...lyrics,
    lines: lyrics.lines.map((line, i) => {
      if (i === at) return { ...line, time: writable(atS) }
      return i > at && minutes !== 0 ? { ...line, time: writable(line.time + minutes * MINUTE_S) } : line
    }),
  }
}

/**
 * Puts lines of text in the place of one line, as a paste does. The first keeps the line's id and time; each further one
 * begins where that one does, to be stamped.
 */
export function replaceWith(
  lyrics: EditedLyrics,
  id: number,
  texts: readonly string[],
): { lyrics: EditedLyrics; lastId: number } {
  const added: EditedLine[] = []
  const lines = lyrics.lines.flatMap((line) => {
    if (line.id !== id) return [line]
    added.push(
      ...texts.map((text, i) =>
        i === 0 ? { ...line, text } : newLine(text, lyrics.isSynced ? line.time : 0),
      ),
    )
    return added
  })
  return { lyrics: { ...lyrics, lines }, lastId: added.at(-1)?.id ?? id }
}

/** Adds an empty line after another one, or as the first with null. */
export function addAfter(lyrics: EditedLyrics, id: number | null): { lyrics: EditedLyrics; id: number } {
  const at = lyrics.lines.findIndex((line) => line.id === id)
  const line = newLine('', lyrics.isSynced ? (lyrics.lines[at]?.time ?? 0) : 0)
  return { lyrics: { ...lyrics, lines: lyrics.lines.toSpliced(at + 1, 0, line) }, id: line.id }
}

export const remove = (lyrics: EditedLyrics, id: number): EditedLyrics => ({
  ...lyrics,
  lines: lyrics.lines.filter((line) => line.id !== id),
})

/** Plain lines: without times. */
export const stripTimes = ({ lines }: EditedLyrics): EditedLyrics => ({
  isSynced: false,
  lines: lines.map((line) => ({ ...line, time: 0 })),
})

/** Synced lines that begin a second apart, for stamping; empty lines go. */
export const spreadBySecond = ({ lines }: EditedLyrics): EditedLyrics => ({
  isSynced: true,
  lines: lines.filter(({ text }) => text.trim()).map((line, i) => ({ ...line, time: writable(i) })),
})

/** Lines in the order of their times; those of one time stay as they are. */
export const sortByTime = (lyrics: EditedLyrics): EditedLyrics => ({
  ...lyrics,
  lines: lyrics.lines.toSorted((a, b) => a.time - b.time),
})

/** Ids of synced lines that begin before the line above them. */
export function outOfOrder({ isSynced, lines }: EditedLyrics): ReadonlySet<number> {
  if (!isSynced) return new Set()
  return new Set(lines.filter((line, i) => i > 0 && line.time < lines[i - 1]!.time).map(({ id }) => id))
}
