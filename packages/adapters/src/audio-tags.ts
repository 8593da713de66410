import { open } from 'node:fs/promises'
import type { AudioTags } from '@solstice/station'
import { type IAudioMetadata, parseFile } from 'music-metadata'
import { findSound, measureMp3 } from './mp3-length.ts'

const MAX_CHARACTERS = 300
/** Larger tags are not read: every MB of them, be it padding, may hold up the process for half a second. */
const MAX_TAG_BYTES = 8 * 1024 * 1024
const unread: Pick<IAudioMetadata, 'common' | 'format'> = {
  common: {
    track: { no: null, of: null },
    disk: { no: null, of: null },
    movementIndex: { no: null, of: null },
  },
  format: { codec: 'MPEG', trackInfo: [], tagTypes: [] },
}

/** Reads what is written in audio files; texts come in NFC, on one line, of at most 300 characters. */
export function audioTags(): AudioTags {
  return {
    async read(path) {
      // Of an MP3 only its own frames tell the length. The library believes what the file says of itself, and takes a
      // variable bit rate that begins steadily for a constant one.
      const { mp3, sound } = await examine(path)
      const isModest = sound.start <= MAX_TAG_BYTES
      const { common, format } = isModest
        ? await parseFile(path, { duration: mp3 === null, skipCovers: true })
        : unread
      const duration = mp3?.duration ?? format.duration
      // Anything may look like the start of a frame; what has a length is audio.
      if (!format.codec || !duration) throw new Error(`${path} is not audio`)
      return {
        title: line(common.title),
        artist: line(common.artist),
        album: line(common.album),
        year: common.year && common.year > 0 && common.year < 10_000 ? Math.trunc(common.year) : null,
        duration: Math.round(duration * 1000) / 1000,
        isMpeg: mp3?.isMpeg ?? false,
      }
    },
  }
}

async function examine(path: string) {
  const file = await open(path)
  try {
    const sound = await findSound(file)
    return { sound, mp3: await measureMp3(file, sound) }
  } finally {
    await file.close()
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
