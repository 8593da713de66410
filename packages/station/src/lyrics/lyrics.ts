import {
  isSyncedLine,
  type LyricsEntry,
  type LyricsInput,
  type LyricsLine,
  type LyricsStatus,
  type Mode,
  parseSyncedLines,
  type Track,
} from '@solstice/contracts'
import type { Audit, FieldChange } from '../accounts/audit.ts'
import { Failure } from '../core/failure.ts'
import { lyricsKey } from '../core/keys.ts'
import { memoizeLast } from '../core/memoize-last.ts'
import { cleanLine } from '../core/text.ts'
import { libraryOf } from '../library/library.ts'
import type { Actor } from '../ports/accounts.ts'
import type { DataStore, LyricsRecord } from '../ports/data/data-store.ts'

export interface TrackName {
  title: string
  artist: string
  album?: string
}

export const NO_LYRICS: LyricsEntry = { synced: false, lines: [] }
const MAX_LINES = 5_000
/** Seconds; a shorter offset counts as none. */
const MIN_OFFSET_S = 0.001

const hundredths = (seconds: number) => Math.round(seconds * 100) / 100

/**
 * Brings lyrics into their stored form. Synced lines, as strings `[MM:SS.cc] text`, are sorted by time, which is rounded to
 * 0.01 s, and lose those without text. Plain lines have the time 0; one blank line stays between verses. Control characters
 * become spaces. Lyrics without lines are plain.
 *
 * @throws Failure BAD_REQUEST for a string without a time among synced lines.
 */
export function normalizeLyrics({
  synced,
  lines = [],
  notFound,
  reason,
  fetchedAt,
}: LyricsInput): LyricsEntry {
  const kept = (synced ? syncedLines(lines) : plainLines(lines)).slice(0, MAX_LINES)
  if (kept.length > 0) return { synced: synced === true, lines: kept }
  if (!notFound) return NO_LYRICS
  return {
    ...NO_LYRICS,
    notFound,
    ...(reason !== undefined && { reason }),
    ...(fetchedAt !== undefined && { fetchedAt }),
  }
}

/** Lyrics that a client sends, in their stored form; null for the entry of a failed lookup, which says nothing. */
export function readLyrics(sent: LyricsInput): LyricsEntry | null {
  const entry = normalizeLyrics(sent)
  return entry.notFound && entry.reason === LOOKUP_FAILED ? null : entry
}

/** The `reason` of the entry that clients get when a lookup failed. */
export const LOOKUP_FAILED = 'fetch_error'

type SentLines = NonNullable<LyricsInput['lines']>

function syncedLines(lines: SentLines): LyricsLine[] {
  return lines
    .flatMap((line) => (typeof line === 'string' ? readSyncedLine(line) : [line]))
    .map(({ time, text }) => ({ time: hundredths(time), text: cleanLine(text) }))
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.time - b.time)
}

function readSyncedLine(line: string): LyricsLine[] {
  if (line.trim() !== '' && !isSyncedLine(line))
    throw new Failure('BAD_REQUEST', { field: 'lines', reason: 'line_untimed' })
  return parseSyncedLines(line)
}

function plainLines(lines: SentLines): LyricsLine[] {
  const texts = lines.map((line) => cleanLine(typeof line === 'string' ? line : line.text))
  const last = texts.findLastIndex((text) => text !== '')
  return texts
    .slice(0, last + 1)
    .filter((text, i) => text !== '' || (texts[i - 1] ?? '') !== '')
    .map((text) => ({ time: 0, text }))
}

export function lyricsStatus(entry: LyricsEntry | null): LyricsStatus {
  if (!entry || entry.lines.length === 0) return 'none'
  return entry.synced ? 'synced' : 'plain'
}

/** The status of all stored lyrics, by key; a missing key means none. */
export async function statusByKey(
  data: Pick<DataStore, 'lyrics'>,
): Promise<ReadonlyMap<string, LyricsStatus>> {
  return statusesOf(await data.lyrics.find())
}

const statusesOf = memoizeLast(
  (records: readonly Readonly<LyricsRecord>[]): ReadonlyMap<string, LyricsStatus> =>
    new Map(records.map((record) => [record.key, lyricsStatus(record)])),
)

/** A track with the status of its lyrics. */
export interface TrackWithLyrics {
  id: string
  key: string
  artist: string
  title: string
  album: string
  year: number | null
  mode: Mode
  filename: string
  status: LyricsStatus
}

/** All tracks with the status of their lyrics, by artist and title; the same array while nothing changed. */
export async function tracksWithLyrics(
  data: Pick<DataStore, 'lyrics' | 'tracks'>,
): Promise<readonly TrackWithLyrics[]> {
  return joinLyrics(await libraryOf(data, 'all'), await data.lyrics.find())
}

const joinLyrics = memoizeLast(
  (
    tracks: readonly Readonly<Track>[],
    records: readonly Readonly<LyricsRecord>[],
  ): readonly TrackWithLyrics[] => {
    const statuses = statusesOf(records)
    return tracks.map(({ id, artist, title, album, year, mode, filename }) => {
      const key = lyricsKey(artist, title)
      return { id, key, artist, title, album, year, mode, filename, status: statuses.get(key) ?? 'none' }
    })
  },
)

/** A track with this artist and title; null when the library has none. */
export async function findTrackNamed(
  data: Pick<DataStore, 'tracks'>,
  { title, artist }: TrackName,
): Promise<Readonly<Track> | null> {
  return tracksByKey(await data.tracks.find()).get(lyricsKey(artist, title)) ?? null
}

const tracksByKey = memoizeLast(
  (tracks: readonly Readonly<Track>[]) =>
    new Map(tracks.map((track) => [lyricsKey(track.artist, track.title), track])),
)

export interface RememberedLyrics {
  key: string
  entry: LyricsEntry
  /** Seconds. */
  offset: number
}

/** The stored lyrics and offset of a track; nothing is looked up. */
export async function rememberedLyrics(
  data: Pick<DataStore, 'lyrics' | 'offsets'>,
  { title, artist }: TrackName,
): Promise<RememberedLyrics> {
  const key = lyricsKey(artist, title)
  const { key: _, ...entry } = (await data.lyrics.get(key)) ?? { key, ...NO_LYRICS }
  return { key, entry, offset: await offsetOf(data, key) }
}

/** Seconds added to every line time. */
export async function offsetOf(data: Pick<DataStore, 'offsets'>, key: string): Promise<number> {
  return (await data.offsets.get(key))?.offset ?? 0
}

export interface LyricsEdit {
  /** In the form of `normalizeLyrics`. */
  entry?: LyricsEntry
  /** Seconds; rounded to 0.01, and less than 0.001 is none. */
  offset?: number
}

type EditDeps = { data: Pick<DataStore, 'lyrics' | 'offsets' | 'tracks'>; audit: Audit }

/** Limit for lyrics and offsets of tracks that are not in the library, beside a share that grows with it. */
const MAX_OTHERS = 5_000

/**
 * Saves lyrics, offset or both of a track. Unchanged values are neither written nor logged.
 *
 * @param info circumstances, for the log.
 * @param begun the stored values before an interrupted edit, when it is resumed.
 * @throws Failure BAD_REQUEST when title or artist is missing, or too much is stored for tracks outside the library.
 */
export async function editLyrics(
  { data, audit }: EditDeps,
  actor: Actor,
  name: Partial<TrackName>,
  edit: LyricsEdit,
  info?: Record<string, unknown>,
  begun?: RememberedLyrics,
): Promise<{ entry: LyricsEntry; offset: number; isChanged: boolean }> {
  const named = requireTrackName(name)
  const before = begun ?? (await rememberedLyrics(data, named))
  const { key } = before
  const changes: FieldChange[] = []
  if (edit.entry && !areSame(edit.entry, before.entry)) {
    await refuseMore(data, 'lyrics', named)
    await data.lyrics.put({ key, ...edit.entry })
    changes.push(statusChange(before.entry, edit.entry))
  }
  const offset = edit.offset === undefined ? before.offset : readOffset(edit.offset)
  if (offset !== before.offset) {
    if (offset === 0) await data.offsets.delete({ key })
    else {
      await refuseMore(data, 'offsets', named)
      await data.offsets.put({ key, offset })
    }
    changes.push({ field: 'offset', before: before.offset, after: offset })
  }
  const isChanged = changes.length > 0
  if (isChanged) await record(audit, actor, named, changes, info)
  return { entry: edit.entry ?? before.entry, offset, isChanged }
}

/** @throws Failure BAD_REQUEST when the track is not in the library, and enough is stored for others. */
async function refuseMore(
  data: EditDeps['data'],
  collection: 'lyrics' | 'offsets',
  name: TrackName,
): Promise<void> {
  const max = 2 * (await data.tracks.find()).length + MAX_OTHERS
  const kept: number = (await data[collection].find()).length
  if (kept >= max && !(await findTrackNamed(data, name)))
    throw new Failure('BAD_REQUEST', { field: collection, reason: 'too_many', max })
}

/**
 * Removes looked-up lyrics of tracks that neither the library nor the history has; lyrics written by hand stay.
 *
 * @returns how many.
 */
export async function purgeLyrics(data: Pick<DataStore, 'lyrics' | 'tracks' | 'history'>): Promise<number> {
  const [tracks, history] = [await data.tracks.find(), await data.history.find()]
  const used = new Set([...tracks, ...history].map(({ artist, title }) => lyricsKey(artist, title)))
  return data.lyrics.delete(
    ({ key, fetchedAt, notFound }) => !used.has(key) && (notFound === true || fetchedAt !== undefined),
  )
}

/**
 * Deletes the lyrics of a track, but not its offset.
 *
 * @returns whether there were any.
 * @throws Failure BAD_REQUEST when title or artist is missing.
 */
export async function deleteLyrics(
  { data, audit }: EditDeps,
  actor: Actor,
  name: Partial<TrackName>,
): Promise<boolean> {
  const named = requireTrackName(name)
  const { key, entry } = await rememberedLyrics(data, named)
  const existed = (await data.lyrics.delete({ key })) > 0
  if (existed) await record(audit, actor, named, [statusChange(entry, null)])
  return existed
}

/** The track that a request names. @throws Failure BAD_REQUEST when title or artist is missing. */
export function requireTrackName({ title = '', artist = '', album }: Partial<TrackName>): TrackName {
  const name = { title: title.trim(), artist: artist.trim(), ...(album?.trim() && { album: album.trim() }) }
  for (const field of ['title', 'artist'] as const) {
    if (!name[field]) throw new Failure('BAD_REQUEST', { field, reason: 'missing' })
  }
  return name
}

function readOffset(seconds: number): number {
  return Math.abs(seconds) < MIN_OFFSET_S ? 0 : hundredths(seconds) + 0
}

function areSame(a: LyricsEntry, b: LyricsEntry): boolean {
  const content = ({ synced, lines, notFound = false }: LyricsEntry) =>
    JSON.stringify([synced, notFound, lines.map(({ time, text }) => [time, text])])
  return content(a) === content(b)
}

function statusChange(before: LyricsEntry, after: LyricsEntry | null): FieldChange {
  return { field: 'lyricsStatus', before: lyricsStatus(before), after: lyricsStatus(after) }
}

function record(
  audit: Audit,
  actor: Actor,
  { title, artist }: TrackName,
  changes: FieldChange[],
  info?: Record<string, unknown>,
): Promise<void> {
  return audit.record(actor, 'edit_song_lyrics', { title, artist }, { changes, ...(info && { info }) })
}
