/** The longest text that the tags of a track hold, in characters. */
export const MAX_TAG_CHARACTERS = 300
const MAX_LYRICS_LINE_LENGTH = 2_000
const MAX_NICKNAME_CHARACTERS = 32
/** File systems take 255 bytes; the rest is room for the suffixes of temporary files. */
const MAX_FILENAME_BYTES = 200

/** Trims a name and collapses its spaces, for settings and groups. */
export function tidyText(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
}

/** One line as tags keep it: in NFC, without marks that turn the direction of text, at most 300 characters. */
export function oneLine(text = ''): string {
  const line = text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_TAG_CHARACTERS).join('').trimEnd()
}

/** A line of lyrics; inner spaces stay as they are. */
export function cleanLine(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_LYRICS_LINE_LENGTH)
}

/** A name shown to others: one line of visible characters, at most 32; '' when nothing visible is left. */
export function cleanNickname(text: string): string {
  const visible = text
    .normalize('NFC')
    // Joiners stay: emoji and some scripts need them.
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu, '')
    .trim()
  const cut = [...visible].slice(0, MAX_NICKNAME_CHARACTERS).join('').trim()
  // Combining marks alone, the empty letters of Hangul and the empty braille pattern are invisible.
  return /[^\s\p{DI}\p{M}\u2800]/u.test(cut) ? cut : ''
}

/** Marks that turn the direction of the text around them, and characters without width. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
/** Characters that are illegal on some file system, and U+FFFD, which stands for bytes that were no text. */
const illegal = /[<>:"/\\|?*\ufffd]|\p{Cc}|\p{Cs}/gu

/**
 * The name under which an uploaded MP3 is stored: the last part of a path, in NFC, with `.mp3`, at most 200 bytes of UTF-8,
 * without anything that could lead out of a folder or deceive a reader. Idempotent.
 */
export function cleanFilename(raw: string): string {
  const name = raw
    .split(/[/\\]/)
    .at(-1)!
    .replace(invisible, '')
    .normalize('NFC')
    .replace(illegal, '_')
    .replace(/\s+/g, ' ')
    .trim()
  const extension = /\.mp3$/i.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length).replace(/^[. ]+/, '')
  const fitting = cutToBytes(stem, MAX_FILENAME_BYTES - '.mp3'.length)
  const kept = fitting === stem ? stem : fitting.trimEnd()
  return (kept || 'untitled') + (extension || '.mp3')
}

/** The longest beginning of a text that fits into `maxBytes` of UTF-8. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    end += character.length
  }
  return text.slice(0, end)
}
