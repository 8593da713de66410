import { open } from 'node:fs/promises'
import { type AudioFacts, type AudioTags, MAX_TAG_CHARACTERS, oneLine } from '@solstice/station'
import { readContainer } from './container-facts.ts'
import { readFrontCover } from './mp3/front-cover.ts'
import { layOut, type OtherFormat, otherFormat } from './mp3/layout.ts'
import { measureMp3 } from './mp3/length.ts'
import { fingerprint, retag } from './mp3/retag.ts'
import { completed, readTagTexts, type TagTexts } from './mp3/tag-texts.ts'
import { openTagParser, type ParsedType } from './tag-parser.ts'

/** For these the parser reads more than ffmpeg: separate artists, and the album artist. */
const parsedTypes: Partial<Record<OtherFormat, ParsedType>> = {
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp4: 'audio/mp4',
  matroska: 'audio/matroska',
}

/**
 * Reads and writes tags of audio files; texts are in NFC, on one line, of at most 300 characters. MP3 files are read by
 * bounded readers of our own, other containers by ffmpeg. A general parser completes both, in a process of its own with a
 * limit of time and memory.
 */
export function audioTags(ffmpegPath = 'ffmpeg'): AudioTags {
  const parse = openTagParser()
  const readMp3: AudioTags['readMp3'] = async (path) => {
    const mp3 = await readOurselves(path)
    if (!mp3) return null
    const { texts, mayHoldMore, duration } = mp3
    const isNamed = line(texts.title) !== null && line(texts.artist) !== null
    const parsed = isNamed || !mayHoldMore ? null : await parse(path, 'audio/mpeg')
    return factsOf(parsed ? completed(texts, parsed) : texts, duration)
  }

  return {
    readMp3,

    async read(path) {
      const facts = await readMp3(path)
      if (facts) return facts
      const { duration, ...texts } = await readContainer(path, ffmpegPath)
      const type = parsedTypes[(await formatOf(path)) ?? 'unnamed']
      const parsed = type ? await parse(path, type) : null
      return factsOf(parsed ? completed(parsed, texts) : texts, duration)
    },

    async readCover(path) {
      const file = await open(path)
      try {
        return await readFrontCover(file, await layOut(file))
      } finally {
        await file.close()
      }
    },

    async write(path, tags) {
      if (!(await readOurselves(path))) throw new Error(`${path} is no MP3`)
      const before = await fingerprint(path)
      await retag(path, tags)
      const after = await fingerprint(path)
      if (after.sound !== before.sound) throw new Error(`${path}: the sound would not be the same`)
      if (after.others.join() !== before.others.join())
        throw new Error(`${path}: not all other tags would be kept`)
      const written = await readOurselves(path)
      const facts = written && factsOf(written.texts, written.duration)
      for (const field of ['title', 'artist', 'album'] as const) {
        if (facts?.[field] !== line(tags[field])) throw new Error(`${path}: the ${field} is not as wanted`)
      }
      if (facts?.year !== tags.year) throw new Error(`${path}: the year is not as wanted`)
    },
  }
}

async function readOurselves(path: string) {
  const file = await open(path)
  try {
    const layout = await layOut(file)
    if (await otherFormat(file, layout.sound)) return null
    // The length comes from the frames alone; headers and tags may be wrong.
    const mp3 = await measureMp3(file, layout.sound)
    return mp3?.isMpeg ? { ...(await readTagTexts(file, layout)), duration: mp3.duration } : null
  } finally {
    await file.close()
  }
}

async function formatOf(path: string): Promise<OtherFormat | null> {
  const file = await open(path)
  try {
    return await otherFormat(file, (await layOut(file)).sound)
  } finally {
    await file.close()
  }
}

function factsOf({ title, artist, album, year }: TagTexts, seconds: number): AudioFacts {
  return {
    title: line(title),
    artist: line(artist),
    album: line(album),
    year,
    duration: Math.round(seconds * 1000) / 1000,
  }
}

function line(tag: string | null): string | null {
  // Cut first: `normalize` is slow on long texts.
  return oneLine((tag ?? '').slice(0, 8 * MAX_TAG_CHARACTERS)) || null
}
