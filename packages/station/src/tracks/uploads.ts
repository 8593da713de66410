import { randomUUID } from 'node:crypto'
import { type LyricsEntry, type LyricsInput, type Mode, modes, type Track } from '@solstice/contracts'
import type { Audit } from '../accounts/audit.ts'
import { ensureArtist } from '../artwork/artwork.ts'
import { clipFamilies } from '../clips/clips.ts'
import { Failure } from '../core/failure.ts'
import { lyricsKey } from '../core/keys.ts'
import { cleanFilename, oneLine } from '../core/text.ts'
import { dateNow } from '../core/wall-clock.ts'
import { probeMp3, promote, receiveMp3, refuseWrite, stagedKey } from '../intake/staging.ts'
import { libraryChanged } from '../library/changed.ts'
import { readLyrics, rememberedLyrics } from '../lyrics/lyrics.ts'
import type { Actor } from '../ports/accounts.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { DataStore, TrackRecord } from '../ports/data/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { AudioFacts, AudioTags } from '../ports/media/audio.ts'
import type { MediaKey, MediaStorage } from '../ports/media/media-storage.ts'

/** The metadata that an admin sends with a commit; anything may be missing. */
export interface SentMetadata {
  filename?: string
  mode?: string
  title?: string
  artist?: string
  album?: string
  year?: number | string | null
}

export type UploadedMetadata = Omit<Track, 'id'>

export interface UploadDeps {
  data: DataStore
  media: MediaStorage
  tags: AudioTags
  bus: Bus
  announcer: Announcer
  jobs: Pick<JobQueue, 'add'>
  audit: Audit
  clock: WallClock
  log: Log
}

/** True when a track has this id, or the id that it gets when it is cleaned. @throws Failure BAD_REQUEST */
export async function isTrackTaken(data: Pick<DataStore, 'tracks'>, trackId: string): Promise<boolean> {
  const [mode, ...filename] = trackId.split('/')
  if (!isMode(mode) || !filename.join('/').trim()) throw new Failure('BAD_REQUEST', { field: 'trackId' })
  return (await data.tracks.get(idOf(mode, cleanFilename(filename.join('/'))))) !== null
}

/**
 * First step of an upload: receives an MP3, which then waits for its commit, in place of a file that waits under its name.
 *
 * @param sent.attempt the same for each attempt to receive a file that may be interrupted: what the one before left is replaced.
 * @throws Failure as `receiveMp3`; FILENAME_EXISTS, before anything is read, when a track has the name.
 */
export async function receiveTrack(
  deps: Pick<UploadDeps, 'data' | 'media' | 'tags'>,
  sent: { mode: Mode; filename: string; content: AsyncIterable<Uint8Array>; attempt?: string },
): Promise<UploadedMetadata> {
  const { data, media } = deps
  const { mode, content, attempt = randomUUID() } = sent
  const filename = cleanFilename(sent.filename)
  const id = idOf(mode, filename)
  await refuseTaken(data, id)
  // Staged under another name first: a file that turns out to be no MP3 replaces nothing.
  const { staged, facts } = await receiveMp3(deps, {
    folder: mode,
    filename: `${attempt}.mp3`,
    content,
  })
  await replaceStaged(deps, { staged, waiting: stagedKey(id) }).finally(() => media.delete(staged))
  return describeTrack({ mode, filename, facts })
}

/**
 * Second step of an upload: the waiting file becomes a track, whose length is measured now; worker and listeners are told.
 *
 * @throws Failure BAD_REQUEST, FILENAME_EXISTS when the track exists, STORAGE_WRITE_FAILED with its cause; the file
 * then waits as before.
 */
export async function commitTrack(
  deps: UploadDeps,
  actor: Actor,
  sent: { metadata: SentMetadata; lyrics: LyricsInput | undefined },
): Promise<{ track: Track; lyrics: LyricsEntry }> {
  const { data } = deps
  const { metadata } = sent
  const filename = cleanFilename(required(metadata, 'filename'))
  const mode = required(metadata, 'mode')
  if (!isMode(mode)) throw new Failure('BAD_REQUEST', { field: 'metadata.mode' })
  const entry = sent.lyrics && readLyrics(sent.lyrics)
  const id = idOf(mode, filename)
  await refuseTaken(data, id)

  await promoteWaiting(deps, id)
  const track = await insertTrack(deps, actor, { id, mode, filename, metadata })
  const { title, artist } = track
  try {
    const record = entry && { key: lyricsKey(artist, title), ...entry }
    if (record && record.lines.length > 0) await data.lyrics.put(record)
    // A lookup that found nothing says less than known lyrics.
    else if (record?.notFound) await data.lyrics.insert(record)
    if (mode === 'day') await ensureArtist(data, artist)
    await deps.audit.record(actor, 'upload_song', { title, artist, mode })
    const { entry: lyrics } = await rememberedLyrics(data, track)
    return { track, lyrics }
  } finally {
    libraryChanged(deps)
  }
}

async function refuseTaken(data: Pick<DataStore, 'tracks'>, id: string): Promise<void> {
  if (await data.tracks.get(id)) throw new Failure('FILENAME_EXISTS')
}

const REPLACE_ATTEMPTS = 5

/** Puts a staged file in the place of one that waits for its commit. */
async function replaceStaged(
  deps: Pick<UploadDeps, 'media'>,
  { staged, waiting }: { staged: MediaKey; waiting: MediaKey },
): Promise<void> {
  for (let attempt = 0; attempt < REPLACE_ATTEMPTS; attempt++) {
    await deps.media.delete(waiting)
    if (await promote(deps, staged, waiting)) return
  }
  throw new Failure('FILENAME_EXISTS')
}

/** @throws Failure BAD_REQUEST when no file waits for this id; FILENAME_EXISTS */
async function promoteWaiting(deps: Pick<UploadDeps, 'media'>, id: string): Promise<void> {
  const isPromoted = await promote(deps, stagedKey(id), id).catch(async (error) => {
    if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
    // Another commit may have been faster.
    if (await deps.media.stat(id)) return false
    throw new Failure('BAD_REQUEST', { field: 'metadata.filename', reason: 'not_uploaded' })
  })
  if (!isPromoted) throw new Failure('FILENAME_EXISTS')
}

/** Adds the record of a promoted file, which waits again when that fails. */
async function insertTrack(
  deps: UploadDeps,
  actor: Actor,
  about: { id: string; mode: Mode; filename: string; metadata: SentMetadata },
): Promise<TrackRecord> {
  const { data, media, clock } = deps
  const { id, mode, filename, metadata } = about
  try {
    // Nobody can replace the file any more, so what is read now stays true.
    const facts = await probeMp3(deps, id)
    const described = describeTrack({ mode, filename, facts }, metadata)
    const track = { id, ...described, addedAt: dateNow(clock), addedBy: actor.adminId }
    await remember(data, track).catch(refuseWrite)
    return track
  } catch (error) {
    await promote(deps, id, stagedKey(id)).catch(() => false)
    await media.delete(id)
    throw error
  }
}

async function remember(data: Pick<DataStore, 'tracks'>, track: TrackRecord): Promise<void> {
  if (await data.tracks.insert(track)) return
  // A reconciliation added the file before us. The file is this one, so its record is this one as well.
  if ((await data.tracks.update({ id: track.id }, track)) === 0) throw new Failure('FILENAME_EXISTS')
}

/** Removes files that have waited since before `beforeMs` (epoch ms), and leftovers of killed processes. @returns how many waited. */
export async function purgeStaged(media: MediaStorage, beforeMs: number): Promise<number> {
  let removed = 0
  for (const folder of ['', ...Object.values(clipFamilies).map((family) => `${family.folder}/`)]) {
    for (const mode of modes) {
      const staged = stagedKey(`${folder}${mode}`)
      await Promise.all([media.sweep(staged), media.sweep(`${folder}${mode}`)])
      for (const key of await media.list(staged)) {
        const stat = await media.stat(key)
        if (!stat || stat.modifiedMs >= beforeMs) continue
        await media.delete(key)
        removed++
      }
    }
  }
  return removed
}

export const isMode = (text: string | undefined): text is Mode => modes.some((mode) => mode === text)
const idOf = (mode: Mode, filename: string) => `${mode}/${filename}`

function required(sent: SentMetadata, name: 'filename' | 'mode'): string {
  const text = sent[name]
  if (!text?.trim()) throw new Failure('BAD_REQUEST', { field: `metadata.${name}`, reason: 'missing' })
  return text
}

/** Sent metadata takes precedence over the tags in the file. */
function describeTrack(
  { mode, filename, facts }: { mode: Mode; filename: string; facts: AudioFacts },
  sent: SentMetadata = {},
): UploadedMetadata {
  return {
    artist: oneLine(sent.artist) || facts.artist || 'Unknown Artist',
    title: oneLine(sent.title) || facts.title || filename.slice(0, -'.mp3'.length),
    album: oneLine(sent.album ?? facts.album ?? ''),
    year: sent.year === undefined ? facts.year : readYear(sent.year),
    duration: facts.duration,
    mode,
    filename,
    storageKey: idOf(mode, filename),
  }
}

/** A year that tags can hold; null for anything else. */
export function readYear(year: number | string | null): number | null {
  const number = Math.trunc(Number(year ?? ''))
  return number > 0 && number < 10_000 ? number : null
}
