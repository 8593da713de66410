import type { LyricsStatus, Mode, Track } from '@solstice/contracts'
import { parsedUrl } from '../../ui/parsed-url.ts'
import type { ReplyOf } from '../data/routes.ts'

/** Tags that the station read from a staged file. */
export type Uploaded = ReplyOf<'POST /api/admin/upload-song-file'>['metadata']

/** Tags as the admin writes them. */
export interface Tags {
  title: string
  artist: string
  album: string
  year: string
}

export type Source = { is: 'file'; file: File } | { is: 'link'; url: string; title: string }

/**
 * The stage that a new track has reached. `waiting` goes on with the connection, `ready` with the admin's tags; `part` is 0 to 1, null
 * while it isn't known.
 */
export type Stage =
  | { is: 'queued' }
  | { is: 'checking' }
  | { is: 'uploading'; part: number | null }
  | { is: 'waiting' }
  | { is: 'ready' }
  | { is: 'lyrics' }
  | { is: 'saving' }
  | { is: 'done'; track: Track; lyrics: LyricsStatus }
  | { is: 'duplicate' }
  | { is: 'failed'; error: unknown }
  | { is: 'cancelled' }

export interface UploadItem {
  id: string
  source: Source
  mode: Mode
  /** null until the station has the file. */
  uploaded: Uploaded | null
  /** null: those of the file. */
  tags: Tags | null
  /** `held`: waits for its tags to be checked; `approved`: they were. */
  check: 'held' | 'approved' | null
  stage: Stage
}

/** Tracks whose tags are checked by the admin before they are saved. */
export const reviews = ['incomplete', 'every', 'none'] as const
export type Review = (typeof reviews)[number]

export const MAX_ITEMS = 30
export const MAX_BYTES = 80 * 1024 * 1024
/** The artist that the station writes when a file names none. */
const NO_ARTIST = 'Unknown Artist'

export const nameOf = ({ source }: UploadItem): string =>
  source.is === 'file' ? source.file.name : source.title

const finishedStages: readonly Stage['is'][] = ['done', 'duplicate', 'failed', 'cancelled']
export const isFinished = ({ stage }: UploadItem): boolean => finishedStages.includes(stage.is)

/** True while it takes part of the connection or of the station's time. */
export const isRunning = ({ stage }: UploadItem): boolean =>
  !finishedStages.includes(stage.is) && !['queued', 'waiting', 'ready'].includes(stage.is)

/** True when the file names no artist, or has for a title a file name that is none, such as `01 Track` or `Artist - Title`. */
export function isIncomplete({ artist, title, filename }: Uploaded): boolean {
  const isNamedAfterFile = title === withoutEnding(filename)
  return artist === NO_ARTIST || (isNamedAfterFile && /^(track|audio)?[\s_-]*\d+| [-–—] /i.test(title))
}

/** The tags to begin with; those that are missing are guessed from a name such as `Artist - Title.mp3`. */
export function firstTags({ artist, title, album, year, filename }: Uploaded): Tags {
  const [, named = '', called = ''] =
    /^(?:\d{1,3}[.\s-]+)?(.+?) [-–—] (.+)$/.exec(withoutEnding(filename)) ?? []
  const isUntitled = title === withoutEnding(filename)
  return {
    artist: artist === NO_ARTIST ? named : artist,
    title: isUntitled && called ? called : title,
    album,
    year: year === null ? '' : String(year),
  }
}

/** True for a track that a file with these tags has become: it has the length of the file, and is called like it. */
export function isSameTrack(
  track: Pick<Track, 'artist' | 'title' | 'duration'>,
  uploaded: Uploaded,
  tags: Tags | null,
): boolean {
  const isNamed = (kept: string, written: string | undefined, read: string) =>
    kept === (oneLine(written) || read)
  return (
    track.duration === uploaded.duration &&
    isNamed(track.artist, tags?.artist, uploaded.artist) &&
    isNamed(track.title, tags?.title, uploaded.title)
  )
}

/** As the station keeps a line that was written. */
const oneLine = (text = ''): string =>
  text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cs}\u2028-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()

const withoutEnding = (filename: string): string => filename.replace(/\.mp3$/i, '')

/** True for an item that would become the same track as one that came before it. */
export function isRepeated(item: UploadItem, items: readonly UploadItem[]): boolean {
  const key = keyOf(item)
  const before = items.slice(
    0,
    items.findIndex(({ id }) => id === item.id),
  )
  return before.some(
    (other) => keyOf(other) === key && !['duplicate', 'failed', 'cancelled'].includes(other.stage.is),
  )
}

const keyOf = ({ source, mode }: UploadItem): string =>
  source.is === 'file' ? `${mode}/${source.file.name.normalize('NFC')}` : `${mode} ${source.url}`

/** A link as the station reads it: one video, a list of them, or a video within a list. */
export type LinkKind = 'none' | 'video' | 'list' | 'video-in-list'

export function linkKind(text: string): LinkKind {
  const url = parsedUrl(text.trim())
  if (url?.protocol !== 'https:') return 'none'
  const { pathname, searchParams } = url
  const namesVideo = searchParams.has('v') || !/^\/(playlist)?\/?$/.test(pathname)
  if (!searchParams.has('list')) return namesVideo ? 'video' : 'none'
  return namesVideo ? 'video-in-list' : 'list'
}
