import type { LyricsLine } from '@solstice/contracts'
import { writable } from './lines.ts'

const TYPED_TIME = /^(\d{1,2}):([0-5]?\d)(?:[.,:](\d{1,3}))?$/
/** A tag such as `[ar:Hilda]` or `[offset:+250]`. */
const TAG = /^\[([a-z#]+):([^\]]*)\]$/i
const STAMP = /^\s*\[(\d{1,3}):([0-5]?\d)(?:[.:](\d{1,3}))?\]/

/** Seconds as `MM:SS.cc`. */
export function formatTime(seconds: number): string {
  const hundredths = Math.round(writable(seconds) * 100)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${two(Math.floor(hundredths / 6000))}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`
}

const secondsOf = (minutes = '0', seconds = '0', fraction = '0') =>
  writable(Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`))

/** Reads a time that somebody typed, such as `1:02.5` or `01:02.50`; null when it isn't one. */
export function readTime(text: string): number | null {
  const [found, minutes, seconds, fraction] = TYPED_TIME.exec(text.trim()) ?? []
  return found === undefined ? null : secondsOf(minutes, seconds, fraction)
}

/** Lyrics as a text tells them. */
export interface ReadLyrics {
  synced: boolean
  lines: LyricsLine[]
  /** Seconds to add to each line, from the tag `[offset:…]`; null without it. */
  offset: number | null
  /** Numbers (from 1) of lines of words without a time among timed ones: they are left out. */
  untimed: number[]
}

/** Reads the text of an `.lrc` file or of a paste: timed lines, several times before one line, tags; or plain lines. */
export function readLrc(text: string): ReadLyrics {
  const timed: LyricsLine[] = []
  const plain: LyricsLine[] = []
  const plainAt: number[] = []
  let offset: number | null = null
  for (const [i, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    const [tag, name = '', value = ''] = TAG.exec(line) ?? []
    // The file's offset is in milliseconds, and positive = earlier.
    if (tag && name.toLowerCase() === 'offset' && Number.isFinite(Number(value)))
      offset = -Number(value) / 1000 || 0
    if (tag && !STAMP.test(line)) continue
    const { times, words } = readStamps(line)
    if (times.length) {
      if (words) timed.push(...times.map((time) => ({ time, text: words })))
      continue
    }
    plain.push({ time: 0, text: line })
    if (line) plainAt.push(i + 1)
  }
  if (timed.length)
    return { synced: true, lines: timed.sort((a, b) => a.time - b.time), offset, untimed: plainAt }
  return { synced: false, lines: withoutEdges(plain), offset, untimed: [] }
}

function readStamps(line: string): { times: number[]; words: string } {
  const times: number[] = []
  let rest = line
  for (let found = STAMP.exec(rest); found; found = STAMP.exec(rest)) {
    times.push(secondsOf(found[1], found[2], found[3]))
    rest = rest.slice(found[0].length)
  }
  return { times, words: rest.replace(/<\d{1,3}:\d{2}(?:\.\d{1,3})?>/g, '').trim() }
}

/** Without empty lines at both ends; one blank line stays between verses. */
function withoutEdges(lines: LyricsLine[]): LyricsLine[] {
  const kept = lines.filter(({ text }, i) => text || lines[i - 1]?.text)
  return kept.at(-1)?.text === '' ? kept.slice(0, -1) : kept
}

/** The text of an `.lrc` file, or the lines alone when they are plain. */
export function writeLrc(
  { synced, lines }: { synced: boolean; lines: readonly LyricsLine[] },
  about: { title: string; artist: string; album?: string; offset?: number },
): string {
  if (!synced) return `${lines.map(({ text }) => text).join('\n')}\n`
  const { title, artist, album, offset = 0 } = about
  const tags = [
    `[ti:${title}]`,
    `[ar:${artist}]`,
    album && `[al:${album}]`,
    offset !== 0 && `[offset:${Math.round(-offset * 1000)}]`,
  ].filter(Boolean)
  return `${[...tags, ...lines.map(({ time, text }) => `[${formatTime(time)}] ${text}`)].join('\n')}\n`
}

/** A name for a file of these lyrics. */
export const lrcName = ({ title, artist }: { title: string; artist: string }, isSynced: boolean): string =>
  `${
    [artist, title]
      .filter(Boolean)
      .join(' - ')
      .replace(/[\\/:*?"<>|]/g, '_') || 'lyrics'
  }.${isSynced ? 'lrc' : 'txt'}`
