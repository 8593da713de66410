import type { FileHandle } from 'node:fs/promises'
import type { Mp3Layout } from './layout.ts'
import { MAX_FRAMES, type OpenTag, openTag, readText, type TagFrame } from './tag-frames.ts'

/** Texts of a file's tags, as they are written there. */
export interface TagTexts {
  title: string | null
  artist: string | null
  album: string | null
  year: number | null
}

type Field = keyof TagTexts

const fields: Record<Field, ReadonlySet<string>> = {
  title: new Set(['TIT2', 'TT2', 'title']),
  artist: new Set(['TPE1', 'TP1', 'artist']),
  album: new Set(['TALB', 'TAL', 'album']),
  year: new Set(['TDRC', 'TYER', 'TYE', 'TDR', 'year', 'date']),
}
const fieldNames = Object.keys(fields) as Field[]
const none: TagTexts = { title: null, artist: null, album: null, year: null }

/** The general parser gets no more than this: for some frames its time grows with the square of their length. */
const MAX_PARSED_BYTES = 64 * 1024
const pictures = new Set(['APIC', 'PIC', 'cover art (front)', 'cover art (back)'])

/**
 * Reads title, artist, album and year of an MP3, each from the best tag that has it, however large the tags are.
 * `mayHoldMore`: there are other frames, and little enough of them for a general parser.
 */
export async function readTagTexts(
  file: FileHandle,
  { head, tail }: Mp3Layout,
): Promise<{ texts: TagTexts; mayHoldMore: boolean }> {
  const found: { rank: number; texts: TagTexts }[] = []
  const tags: OpenTag[] = []
  for (const place of [...head, ...tail]) {
    if (place.kind === 'id3v1') found.push({ rank: 0, texts: await readId3v1(file, place.at) })
    const tag = await openTag(file, place)
    if (!tag) continue
    tags.push(tag)
    found.push({ rank: tag.kind === 'ape' ? 10 : tag.version, texts: await textsOf(tag) })
  }
  found.sort((a, b) => b.rank - a.rank)
  const texts = found.reduce((better, next) => completed(better, next.texts), none)
  return { texts, mayHoldMore: tags.some(({ frames }) => frames.length > 0) && areShort(tags) }
}

function areShort(tags: OpenTag[]): boolean {
  const isUnread = tags.some(({ rest, frames }) => rest !== null || frames.length >= MAX_FRAMES)
  const lengths = tags.flatMap(({ frames }) => frames.map(lengthOfText))
  return !isUnread && lengths.reduce((sum, length) => sum + length, 0) <= MAX_PARSED_BYTES
}

const lengthOfText = ({ id, length }: TagFrame) => (pictures.has(id) ? 0 : length)

/** The texts of one tag: the first of several values, and of several frames of one name. */
export async function textsOf(tag: OpenTag): Promise<TagTexts> {
  let texts = none
  for (const frame of tag.frames) {
    const field = fieldNames.find((name) => fields[name].has(frame.id) && texts[name] === null)
    const text = field && firstValue(await readText(tag, frame))
    if (field && text) texts = { ...texts, [field]: field === 'year' ? yearIn(text) : text }
  }
  return texts
}

const firstValue = (text: string | null) => text?.split('\0').find((value) => value.trim() !== '') ?? null
/** Also from a full date, as 2.4 has it. */
const yearIn = (text: string) => Number(/^\s*(\d{1,4})/.exec(text)?.[1]) || null

/** `texts` with its gaps filled from the others. */
export function completed(texts: TagTexts, { title, artist, album, year }: TagTexts): TagTexts {
  return {
    title: texts.title ?? title,
    artist: texts.artist ?? artist,
    album: texts.album ?? album,
    year: texts.year ?? year,
  }
}

async function readId3v1(file: FileHandle, at: number): Promise<TagTexts> {
  const bytes = Buffer.alloc(128)
  await file.read(bytes, 0, bytes.length, at)
  const text = (from: number, length: number) =>
    bytes
      .toString('latin1', from, from + length)
      .replace(/\0.*/s, '')
      .trim() || null
  return { title: text(3, 30), artist: text(33, 30), album: text(63, 30), year: yearIn(text(93, 4) ?? '') }
}
