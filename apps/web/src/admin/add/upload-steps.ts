import type { LyricsInput, LyricsStatus, Track } from '@solstice/contracts'
import { ApiError } from '../../api.ts'
import { type call, failureCode, type upload } from '../data/client.ts'
import { isSameTrack, type Tags, type Uploaded, type UploadItem } from './upload-item.ts'

export interface StepDeps {
  call: typeof call
  upload: typeof upload
  /** Pause before another try of what a lost connection or a limit stopped. */
  retryMs: number
}

/** How often a track is looked for whose commit may be at work: the station reads the whole file before it is there. */
const MAX_LOOKS = 8

/**
 * Brings the file of an item to the station, where it waits for its commit.
 *
 * @returns null when a track has its name.
 * @throws as `call`.
 */
export async function receive(
  { call, upload, retryMs }: StepDeps,
  { source, mode }: UploadItem,
  signal: AbortSignal,
  onProgress: (part: number | null) => void,
): Promise<Uploaded | null> {
  if (source.is === 'link') {
    onProgress(null)
    const body = { url: source.url, mode }
    return (await call('POST /api/admin/upload-song-url', { body, signal })).metadata
  }
  const { file } = source
  const trackId = `${mode}/${file.name}`
  const { exists } = await call('POST /api/admin/upload-check-duplicate', { body: { trackId }, signal })
  if (exists) return null
  onProgress(0)
  const headers = { 'X-File-Name': encodeURIComponent(file.name), 'Content-Type': 'audio/mpeg' }
  const input = { query: { mode }, body: file, headers, signal }
  for (;;) {
    try {
      return (await upload('POST /api/admin/upload-song-file', input, onProgress)).metadata
    } catch (error) {
      // The same account uploads elsewhere, too: one at a time gets its turn.
      if (failureCode(error) !== 'RATE_LIMITED') throw error
      await pause(retryMs)
      signal.throwIfAborted()
    }
  }
}

/**
 * The lyrics of a track; what the station says when its lookup fails, so that an upload never waits for a service.
 *
 * @throws {TypeError} when the station can't be reached, {DOMException} once `signal` is aborted.
 */
export async function lookUpLyrics(
  { call }: Pick<StepDeps, 'call'>,
  { title, artist, album, duration }: Pick<Uploaded, 'title' | 'artist' | 'album' | 'duration'>,
  signal: AbortSignal,
): Promise<LyricsInput | undefined> {
  try {
    const body = { title, artist, album, duration }
    return (await call('POST /api/admin/upload-song-lyrics', { body, signal })).lyricsEntry
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return (error.body as { lyricsEntry?: LyricsInput } | null)?.lyricsEntry
  }
}

/**
 * Makes a track of a file that waits for its commit. Where an earlier attempt was made although its answer was lost, the
 * track is recognised.
 *
 * @returns null when another track has its name.
 * @throws as `call`.
 */
export async function commit(
  deps: StepDeps,
  uploaded: Uploaded,
  tags: Tags | null,
  lyricsEntry: LyricsInput | undefined,
): Promise<{ track: Track; lyrics: LyricsStatus } | null> {
  const body = { metadata: { ...uploaded, ...tags }, ...(lyricsEntry && { lyricsEntry }) }
  try {
    const { track, lyricsStatus } = await deps.call('POST /api/admin/upload-song-commit', { body })
    return { track, lyrics: lyricsStatus }
  } catch (error) {
    if (failureCode(error) !== 'FILENAME_EXISTS') throw error
    const row = await awaitTrack(deps, uploaded)
    if (!row || !isSameTrack(row, uploaded, tags)) return null
    const { id, title, artist, album, year, duration, mode, filename, lyricsStatus } = row
    const { storageKey } = uploaded
    return {
      track: { id, title, artist, album, year, duration, mode, filename, storageKey },
      lyrics: lyricsStatus,
    }
  }
}

async function readTrack({ call }: Pick<StepDeps, 'call'>, { storageKey }: Uploaded) {
  try {
    const query = { songId: storageKey }
    return (await call('GET /api/admin/song-editor', { query })).track
  } catch (error) {
    if (failureCode(error) === 'TRACK_NOT_FOUND') return null
    throw error
  }
}

/** The first attempt may still be at work, above all when the browser itself has sent the second one. */
async function awaitTrack(deps: StepDeps, uploaded: Uploaded) {
  for (let time = 1; ; time++) {
    const row = await readTrack(deps, uploaded)
    if (row || time === MAX_LOOKS) return row
    await pause(deps.retryMs)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
