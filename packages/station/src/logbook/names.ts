import { HOUR_MS, hourStartMs } from '../aircheck/names.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** Folder of the logbook in the media storage. */
export const LOGBOOK = 'logbook'
const FILE = /^logbook\/((\d{4}-\d\d-\d\dT\d\d)\.(\d+)\.[0-9a-f]+)\.(snapshot|lines)\.gz$/
const DAY_MS = 24 * HOUR_MS

/** A piece of the logbook: at most an hour (UTC) of one worker. Two files: the state it begins with, and what was told since. */
export interface StoredChapter {
  id: string
  hour: string
  /** Date at which it begins, epoch ms. */
  atMs: number
}

export const snapshotKey = (chapter: string): MediaKey => `${LOGBOOK}/${chapter}.snapshot.gz`
export const linesKey = (chapter: string): MediaKey => `${LOGBOOK}/${chapter}.lines.gz`

/** The chapters that have a file, in order of time. */
export async function storedChapters(media: Pick<MediaStorage, 'list'>): Promise<StoredChapter[]> {
  const found = new Map<string, StoredChapter>()
  for (const key of await media.list(LOGBOOK)) {
    const [, id, hour, atMs] = FILE.exec(key) ?? []
    if (id && hour) found.set(id, { id, hour, atMs: Number(atMs) })
  }
  return [...found.values()].sort((a, b) => a.atMs - b.atMs)
}

/** The chapters that tell of the time between two dates (epoch ms), in order: also the one that began before. */
export function chaptersBetween(
  chapters: readonly StoredChapter[],
  fromMs: number,
  untilMs: number,
): StoredChapter[] {
  const first = chapters.findLastIndex(({ atMs }) => atMs <= fromMs)
  return chapters.slice(Math.max(0, first)).filter(({ atMs }) => atMs < untilMs)
}

/**
 * Deletes the chapters of hours that ended more than `days` days ago, and what killed processes left.
 *
 * @param nowMs date, epoch ms.
 * @returns the number of chapters deleted.
 */
export async function forgetChapters(media: MediaStorage, days: number, nowMs: number): Promise<number> {
  const old = (await storedChapters(media)).filter(
    ({ hour }) => hourStartMs(hour) + HOUR_MS <= nowMs - days * DAY_MS,
  )
  for (const { id } of old) {
    await media.delete(snapshotKey(id))
    await media.delete(linesKey(id))
  }
  await media.sweep(LOGBOOK)
  return old.length
}
