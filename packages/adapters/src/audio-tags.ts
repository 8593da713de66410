import type { AudioTags } from '@solstice/station'
import { parseFile } from 'music-metadata'

const MAX_CHARACTERS = 300

/** Reads what is written in audio files; texts come in NFC, on one line, of at most 300 characters. */
export function audioTags(): AudioTags {
  return {
    async read(path) {
      // Without `duration` a file of variable bit rate has none: it is then measured frame by frame.
      const { common, format } = await parseFile(path, { duration: true, skipCovers: true })
      // Anything may look like the start of an MP3 frame; what has a length is audio.
      if (!format.codec || !format.duration) throw new Error(`${path} is not audio`)
      return {
        title: line(common.title),
        artist: line(common.artist),
        album: line(common.album),
        year: common.year && common.year > 0 && common.year < 10_000 ? Math.trunc(common.year) : null,
        duration: Math.round(format.duration * 1000) / 1000,
      }
    },
  }
}

/** Control characters, halves of characters, and marks that turn the direction of the text around them. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

function line(tag: string | undefined): string | null {
  // Cut before anything else: a tag may be as long as the file.
  const text = (tag ?? '')
    .slice(0, 8 * MAX_CHARACTERS)
    .normalize('NFC')
    .replace(unprintable, ' ')
    .trim()
  return [...text].slice(0, MAX_CHARACTERS).join('').trimEnd() || null
}
