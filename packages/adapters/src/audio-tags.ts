import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { AudioTags, EditableTags } from '@solstice/station'
import { type IAudioMetadata, parseFile } from 'music-metadata'
import { File, MpegAudioFileSettings, ReadStyle, TagTypes } from 'node-taglib-sharp'
import { findSound, isContainer, measureMp3 } from './mp3-length.ts'
import { readFrames, type TagFrame } from './tag-frames.ts'

const MAX_CHARACTERS = 300
/** Larger tags are not read: every MB of them, be it padding, may hold up the process for half a second. */
const MAX_TAG_BYTES = 8 * 1024 * 1024
/** The library looks for frames where there are none, at up to a second for 10 KB. */
const MAX_JUNK_BYTES = 32 * 1024
const unread: Pick<IAudioMetadata, 'common' | 'format'> = {
  common: {
    track: { no: null, of: null },
    disk: { no: null, of: null },
    movementIndex: { no: null, of: null },
  },
  format: { codec: 'MPEG', trackInfo: [], tagTypes: [] },
}

// An ID3v1 tag would be made otherwise, and the genre written anew while its contents are copied.
MpegAudioFileSettings.defaultTagTypes = TagTypes.Id3v2

/** Reads what is written in audio files; texts come in NFC, on one line, of at most 300 characters. */
export function audioTags(): AudioTags {
  return {
    async read(path) {
      // Of an MP3 only its own frames tell the length. The library believes what the file says of itself, and takes a
      // variable bit rate that begins steadily for a constant one.
      const { mp3, sound, isOther } = await examine(path)
      const isClear = mp3 ? mp3.junkBefore <= MAX_JUNK_BYTES : isOther
      const { common, format } =
        isClear && sound.start <= MAX_TAG_BYTES ? await parse(path, mp3 === null) : unread
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

    async write(path, tags) {
      if ((await stat(path)).nlink > 1) throw new Error(`${path} is the file of another name as well`)
      if (!(await examine(path)).mp3?.isMpeg) throw new Error(`${path} is no MP3`)
      const before = await fingerprint(path)
      rewrite(path, tags)
      const after = await fingerprint(path)
      if (after.sound !== before.sound) throw new Error(`${path}: the sound would not be the same`)
      for (const [frame, count] of before.others) {
        if ((after.others.get(frame) ?? 0) < count)
          throw new Error(`${path}: the tag ${frame.split(' ')[0]} would not be kept`)
      }
      const { common } = await parse(path, false)
      for (const field of ['title', 'artist', 'album'] as const) {
        if (line(common[field]) !== line(tags[field]))
          throw new Error(`${path}: the ${field} is not as wanted`)
      }
      if ((common.year || null) !== tags.year) throw new Error(`${path}: the year is not as wanted`)
    },
  }
}

async function examine(path: string) {
  const file = await open(path)
  try {
    const sound = await findSound(file)
    return {
      sound,
      mp3: await measureMp3(file, sound),
      isOther: await isContainer(file, sound.start),
    }
  } finally {
    await file.close()
  }
}

async function parse(path: string, duration: boolean): Promise<typeof unread> {
  const { common, format } = await parseFile(path, { duration, skipCovers: true })
  if ((common.artists?.length ?? 0) < 2) return { common, format }
  // The library takes a slash for the end of a name, as ID3v2.3 does; AC/DC do not.
  const file = await open(path)
  try {
    const named = (await readFrames(file)).find(({ id }) => id === 'TPE1' || id === 'TP1')
    const artist = named?.content.toString() ?? ''
    return { common: artist.includes('/') ? { ...common, artist } : common, format }
  } finally {
    await file.close()
  }
}

/** Synchronous: the library knows no other way. */
function rewrite(path: string, { title, artist, album, year }: EditableTags): void {
  const file = File.createFromPath(path, 'taglib/mp3', ReadStyle.None)
  try {
    // It has room for 30 characters that no Cyrillic is among.
    file.removeTags(TagTypes.Id3v1)
    const { tag } = file
    tag.title = title
    tag.performers = artist ? [artist] : []
    tag.album = album
    // The same year stays as it is written, with month and day.
    if (tag.year !== (year ?? 0)) tag.year = year ?? 0
    file.save()
  } finally {
    file.dispose()
  }
}

/** Frames and items that `rewrite` may change; a date of 2.3 and 2.4, and the words of each version for the rest. */
const editable = new Set(
  [
    ['TIT2', 'TPE1', 'TALB', 'TYER', 'TDRC', 'TDAT', 'TIME'],
    ['TT2', 'TP1', 'TAL', 'TYE', 'TDA', 'TIM'],
    ['APE title', 'APE artist', 'APE album', 'APE year'],
  ].flat(),
)
const renamed: Record<string, string> = { TIPL: 'IPLS' }

/** What must be the same before and after: a digest of the sound, and how often each other frame is there. */
async function fingerprint(path: string) {
  const file = await open(path)
  try {
    const { start, end } = await findSound(file)
    const sound = createHash('sha256')
    if (end > start)
      for await (const bytes of file.createReadStream({ start, end: end - 1, autoClose: false }))
        sound.update(bytes)
    const others = new Map<string, number>()
    for (const frame of (await readFrames(file)).filter(({ id }) => !editable.has(id))) {
      const key = nameOf(frame)
      others.set(key, (others.get(key) ?? 0) + 1)
    }
    return { sound: sound.digest('hex'), others }
  } finally {
    await file.close()
  }
}

function nameOf({ id, content }: TagFrame): string {
  return `${renamed[id] ?? id} ${createHash('sha256').update(content).digest('hex')}`
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
