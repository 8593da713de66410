import { randomUUID } from 'node:crypto'
import type { LyricsEntry, LyricsInput, Mode, Track } from '@solstice/contracts'
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
import type { Actor } from '../ports/actor.ts'
import type { Announcer } from '../ports/announcer.ts'
import type { Bus, WallClock } from '../ports/bus.ts'
import type { DataStore, TrackRecord } from '../ports/data-store.ts'
import type { JobQueue } from '../ports/job-queue.ts'
import type { Log } from '../ports/log.ts'
import type { MediaKey, MediaStorage } from '../ports/media-storage.ts'
import type { AudioFacts, AudioTags } from '../ports/outside.ts'

/** What an admin says of an uploaded file; anything may be missing. */
export interface SentMetadata {
  filename?: string
  mode?: string
  title?: string
  artist?: string
  album?: string
  year?: number | string | null
}

export type UploadedMetadata = Omit<Track, 'id'>

/** New tracks in two steps: a file is received and waits, then its commit makes it a track. */
export interface TrackUploads {
  /** Whether a track of this id, or of what becomes of it when it is cleaned, exists. @throws Failure BAD_REQUEST */
  isTaken(trackId: string): Promise<boolean>
  /**
   * Receives an MP3, which then waits for its commit in place of what waited under its name.
   *
   * @throws Failure as `receiveMp3`; FILENAME_EXISTS, before anything is read, when a track has the name.
   */
  receive(mode: Mode, filename: string, content: AsyncIterable<Uint8Array>): Promise<UploadedMetadata>
  /**
   * The file that waits becomes a track, of the length that is measured now; air and listeners are told.
   *
   * @throws Failure BAD_REQUEST, FILENAME_EXISTS when the track exists, STORAGE_WRITE_FAILED with its cause; the file
   * then waits as before.
   */
  commit(
    sent: SentMetadata,
    lyrics: LyricsInput | undefined,
    actor: Actor,
  ): Promise<{ track: Track; lyrics: LyricsEntry }>
}

export function createTrackUploads(deps: {
  data: DataStore
  media: MediaStorage
  tags: AudioTags
  bus: Bus
  announcer: Announcer
  jobs: Pick<JobQueue, 'add'>
  audit: Audit
  clock: WallClock
  log: Log
}): TrackUploads {
  const { data, media, audit, clock } = deps

  const refuseTaken = async (id: string) => {
    if (await data.tracks.get(id)) throw new Failure('FILENAME_EXISTS')
  }

  const replace = async (staged: MediaKey, waiting: MediaKey) => {
    for (let attempt = 0; attempt < 5; attempt++) {
      await media.delete(waiting)
      if (await promote(deps, staged, waiting)) return
    }
    throw new Failure('FILENAME_EXISTS')
  }

  /** @throws Failure BAD_REQUEST when nothing waits for this id. */
  const promoteStaged = async (id: string) => {
    const isSettled = await promote(deps, stagedKey(id), id).catch(async (error) => {
      if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error
      // Another commit may have been faster.
      if (await media.stat(id)) return false
      throw new Failure('BAD_REQUEST', { field: 'metadata.filename', reason: 'not_uploaded' })
    })
    if (!isSettled) throw new Failure('FILENAME_EXISTS')
  }

  const remember = async (track: TrackRecord) => {
    if (await data.tracks.insert(track)) return
    // Whoever looked for files without a record was faster. The file is this one, so its record is this one as well.
    if ((await data.tracks.update({ id: track.id }, track)) === 0) throw new Failure('FILENAME_EXISTS')
  }

  return {
    async isTaken(trackId) {
      const [mode, ...filename] = trackId.split('/')
      if (!isMode(mode) || !filename.join('/').trim()) throw new Failure('BAD_REQUEST', { field: 'trackId' })
      return (await data.tracks.get(idOf(mode, cleanFilename(filename.join('/'))))) !== null
    },

    async receive(mode, name, content) {
      const filename = cleanFilename(name)
      const id = idOf(mode, filename)
      await refuseTaken(id)
      // What turns out to be no MP3 leaves alone what waits under its name.
      const { staged, facts } = await receiveMp3(deps, mode, `${randomUUID()}.mp3`, content)
      await replace(staged, stagedKey(id)).finally(() => media.delete(staged))
      return describeTrack(mode, filename, facts)
    },

    async commit(sent, sentLyrics, actor) {
      const filename = cleanFilename(required(sent, 'filename'))
      const mode = required(sent, 'mode')
      if (!isMode(mode)) throw new Failure('BAD_REQUEST', { field: 'metadata.mode' })
      const entry = sentLyrics && readLyrics(sentLyrics)
      const id = idOf(mode, filename)
      await refuseTaken(id)

      await promoteStaged(id)
      let track: TrackRecord
      try {
        // Only now can nobody replace the file any more.
        const described = describeTrack(mode, filename, await probeMp3(deps, id), sent)
        track = { id, ...described, addedAt: dateNow(clock), addedBy: actor.adminId }
        await remember(track).catch(refuseWrite)
      } catch (error) {
        await promote(deps, id, stagedKey(id)).catch(() => false)
        await media.delete(id)
        throw error
      }

      const { title, artist } = track
      try {
        const record = entry && { key: lyricsKey(artist, title), ...entry }
        if (record && record.lines.length > 0) await data.lyrics.put(record)
        // That nothing was found says less than lyrics that are known.
        else if (record?.notFound) await data.lyrics.insert(record)
        if (mode === 'day') await ensureArtist(data, artist)
        await audit.record(actor, 'upload_song', { title, artist, mode })
        const { entry: lyrics } = await rememberedLyrics(data, track)
        return { track, lyrics }
      } finally {
        libraryChanged(deps)
      }
    },
  }
}

/**
 * Removes files that have waited since before a moment (epoch ms), and says how many; and what killed processes left of
 * files of any kind.
 */
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

const modes = ['day', 'night'] as const
export const isMode = (text: string | undefined): text is Mode => modes.some((mode) => mode === text)
const idOf = (mode: Mode, filename: string) => `${mode}/${filename}`

function required(sent: SentMetadata, name: 'filename' | 'mode'): string {
  const text = sent[name]
  if (!text?.trim()) throw new Failure('BAD_REQUEST', { field: `metadata.${name}`, reason: 'missing' })
  return text
}

/** What was sent counts before what is written in the file. */
function describeTrack(
  mode: Mode,
  filename: string,
  facts: AudioFacts,
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

/** A year that tags can keep; null for anything else. */
export function readYear(year: number | string | null): number | null {
  const number = Math.trunc(Number(year ?? ''))
  return number > 0 && number < 10_000 ? number : null
}
