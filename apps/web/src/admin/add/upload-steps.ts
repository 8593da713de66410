import type { LyricsInput } from '@solstice/contracts'
import { ApiError } from '../../api.ts'
import type { call, upload } from '../data/client.ts'
import type { Uploaded, UploadItem } from './upload-item.ts'

export interface StepDeps {
  call: typeof call
  upload: typeof upload
}

/**
 * Brings the file of an item to the station, where it waits for its commit.
 *
 * @returns null when a track has its name.
 * @throws as `call`.
 */
export async function receive(
  { call, upload }: StepDeps,
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
  return (await upload('POST /api/admin/upload-song-file', input, onProgress)).metadata
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
