import { createGunzip } from 'node:zlib'
import { Failure } from '../core/failure.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'
import type { Line } from './lines.ts'
import { linesKey, type StoredChapter, snapshotKey } from './names.ts'
import { readSnapshot, type Snapshot } from './snapshot.ts'

/** A piece of the logbook. */
export interface Chapter extends StoredChapter {
  /** Of Solstice that wrote it; null when that is not known: the oldest don't name it. */
  version: string | null
  /** null when it was not filed. */
  snapshot: Snapshot | null
  lines: Line[]
}

/** Reads chapters, each when it is asked for: with a large library one takes some 30 MB of memory. */
export async function* readChapters(
  media: Pick<MediaStorage, 'open'>,
  stored: readonly StoredChapter[],
): AsyncGenerator<Chapter> {
  for (const chapter of stored) {
    const lines = await readLines(media, chapter)
    yield {
      ...chapter,
      version: versionIn(lines),
      snapshot: readSnapshot(await linesIfThere(media, snapshotKey(chapter.id))),
      lines,
    }
  }
}

/** The version that wrote the lines of a chapter. */
export const versionIn = ([first]: readonly Line[]): string | null => first?.version ?? null

/** The lines of a chapter, in order; none when they were not filed. */
export async function readLines(media: Pick<MediaStorage, 'open'>, { id }: StoredChapter): Promise<Line[]> {
  const lines = (await linesIfThere(media, linesKey(id))).map((line) => JSON.parse(line) as Line)
  return lines.sort((a, b) => a.n - b.n)
}

async function linesIfThere(media: Pick<MediaStorage, 'open'>, key: MediaKey): Promise<string[]> {
  try {
    return await linesOf(media, key)
  } catch (error) {
    if (error instanceof Failure && error.code === 'NOT_FOUND') return []
    throw error
  }
}

/** The lines of a compressed file. @throws Failure NOT_FOUND; an error of zlib for a damaged file */
export async function linesOf(media: Pick<MediaStorage, 'open'>, key: MediaKey): Promise<string[]> {
  const file = await media.open(key)
  const unzipped = createGunzip()
  file.once('error', (error) => unzipped.destroy(error))
  const pieces: Buffer[] = []
  for await (const piece of file.pipe(unzipped)) pieces.push(piece as Buffer)
  return linesIn(Buffer.concat(pieces).toString())
}

export const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '')
