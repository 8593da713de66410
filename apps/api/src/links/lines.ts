import type { Font } from './font.ts'

const ELLIPSIS = '…'

/** How large a text may be set: the first that fits counts. */
export interface Setting {
  size: number
  maxLines: number
}

/** A text broken into lines of about equal width; the last setting cuts what does not fit. */
export function setText(
  text: string,
  font: Font,
  settings: readonly [...Setting[], Setting],
  maxWidth: number,
): { lines: string[]; size: number } {
  const bound = withBoundWords(text)
  for (const { size, maxLines } of settings) {
    const lines = breakLines(bound, font, maxWidth / size)
    if (lines.length <= maxLines && lines.every((line) => font.widthOf(line) * size <= maxWidth))
      return { lines: balanced(bound, font, lines, maxWidth / size), size }
  }
  const { size, maxLines } = settings.at(-1)!
  return { lines: clamped(bound, font, maxWidth / size, maxLines), size }
}

/** Keeps dashes with the word before them, and words of one letter with the one behind. */
function withBoundWords(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/ (?=[–—-] )/g, '\u00a0')
    .replace(/(?<=^| )(\p{L}) /gu, '$1\u00a0')
}

function breakLines(text: string, font: Font, maxEm: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && font.widthOf(`${last} ${word}`) <= maxEm)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** The same number of lines with the least width. */
function balanced(text: string, font: Font, lines: string[], maxEm: number): string[] {
  let best = lines
  for (let em = maxEm; em > maxEm / lines.length / 2; em *= 0.97) {
    const narrower = breakLines(text, font, em)
    if (narrower.length > lines.length) return best
    best = narrower
  }
  return best
}

function clamped(text: string, font: Font, maxEm: number, maxLines: number): string[] {
  const lines = breakLines(text, font, maxEm).flatMap((line) => pieces(line, font, maxEm))
  if (lines.length <= maxLines) return lines
  const last = [...lines[maxLines - 1]!]
  while (last.length > 0 && font.widthOf(last.join('') + ELLIPSIS) > maxEm) last.pop()
  return [...lines.slice(0, maxLines - 1), last.join('').replace(/[\s,.;:–—-]+$/, '') + ELLIPSIS]
}

/** Breaks a word that is wider than a line anywhere. */
function pieces(line: string, font: Font, maxEm: number): string[] {
  const parts = ['']
  for (const character of line) {
    if (font.widthOf(parts.at(-1)! + character) > maxEm) parts.push('')
    parts[parts.length - 1] += character
  }
  return parts
}
