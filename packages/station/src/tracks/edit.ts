import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { changedFields } from '../accounts/audit.ts'
import { removeArtists, unusedArtists } from '../artwork/artist-records.ts'
import { ensureArtist } from '../artwork/artwork.ts'
import { Failure } from '../core/failure.ts'
import { artistKey, lyricsKey } from '../core/keys.ts'
import { dateNow } from '../core/wall-clock.ts'
import { refuseWrite } from '../intake/staging.ts'
import { auditOnce, type ResumableRun, type Run, resumable } from '../library/change-run.ts'
import { libraryChanged } from '../library/changed.ts'
import { trackRef } from '../library/library.ts'
import { editLyrics, type RememberedLyrics, rememberedLyrics, requireTrackName } from '../lyrics/lyrics.ts'
import type { TrackRecord } from '../ports/data/data-store.ts'
import type { JobData, JobResult } from '../ports/job-queue.ts'
import type { EditableTags } from '../ports/media/audio.ts'
import type { MediaKey } from '../ports/media/media-storage.ts'
import { deleteUnusedLyrics, type EditorDeps, release } from './change.ts'

/**
 * Changes tags, lyrics and offset of a track. The worker that is on air decides right before the change whether the track
 * may be changed. Resumable: it may be begun again where it was interrupted, and then ends as if it had been done once.
 *
 * @throws Failure TRACK_NOT_FOUND, TRACK_LOCKED, STORAGE_WRITE_FAILED, AIR_UNAVAILABLE; then nothing was changed.
 * @throws Deferred when a store that is away or full interrupts it: the change is neither made nor refused.
 */
export async function editTrack(
  deps: EditorDeps,
  job: JobData<'edit-track'>,
  begun: Run,
): Promise<JobResult<'edit-track'>> {
  const { songId } = job
  const run = resumable(begun)
  try {
    return await deps.leases.hold(run.jobId, [songId], run.stopping, () =>
      run.attempt(() => editLeased(deps, job, run)),
    )
  } catch (error) {
    if (error instanceof Failure && error.cause)
      deps.log.warn({ err: error.cause, songId, code: error.code }, 'track edit failed')
    throw error
  }
}

/** Working copies are in the temporary folder, under names with this prefix. */
export const WORKING_COPY = 'solstice-edit-'

/** Removes working copies that killed processes left before `beforeMs` (epoch ms). @returns how many. */
export async function purgeWorkingCopies(beforeMs: number): Promise<number> {
  let removed = 0
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(WORKING_COPY)) continue
    const path = join(tmpdir(), name)
    const found = await stat(path).catch(() => null)
    if (!found || found.mtimeMs >= beforeMs) continue
    await rm(path, { recursive: true, force: true })
    removed++
  }
  return removed
}

const tagNames = ['title', 'artist', 'album', 'year'] as const

/** Saved with the job once the track is released. */
interface EditNotes {
  before: TrackRecord
  sinceMs: number
  /** Stored lyrics and offset under the new name; undefined until known. */
  lyrics?: RememberedLyrics
}

async function editLeased(
  deps: EditorDeps,
  { songId, tags, lyrics, offset, info, actor }: JobData<'edit-track'>,
  run: ResumableRun,
): Promise<JobResult<'edit-track'>> {
  const { data, media } = deps
  const track = await data.tracks.get(songId)
  if (!track) throw new Failure('TRACK_NOT_FOUND')
  const begun = run.notes as EditNotes | undefined
  const notes: EditNotes = { ...(begun ?? { before: track, sinceMs: dateNow(deps.clock) }) }
  const { before } = notes
  const after = { ...before, ...tags }
  const changes = changedFields<TrackRecord>(before, after, [...tagNames])
  const audit = auditOnce(deps.audit, run, notes, songId)

  // Asked before the work as well, so that a refusal comes at once.
  if (!begun) await release(deps, songId, 'edit')
  // The lyrics come after the tags.
  if (tags && changes.length > 0 && !begun?.lyrics) {
    await withRewritten(deps, track.storageKey, tags, async (path) => {
      if (!begun) {
        await release(deps, songId, 'edit')
        await run.keep(0, 1, notes)
      }
      await media.put(track.storageKey, createReadStream(path)).catch(refuseWrite)
    })
    await data.tracks.update({ id: songId }, tags)
    await moveLyrics(deps, before, after)
    const about = { title: after.title, artist: after.artist }
    await audit.record(actor, 'edit_song_meta', about, { changes })
    await libraryChanged(deps, [{ trackId: songId, track: trackRef(after) }])
  }

  const edit = { ...(lyrics && { entry: lyrics }), ...(offset !== undefined && { offset }) }
  if ((lyrics || offset !== undefined) && !notes.lyrics) {
    notes.lyrics = await rememberedLyrics(data, requireTrackName(after))
    await run.keep(0, 1, notes)
  }
  const edited = await editLyrics({ data, audit }, actor, after, edit, info, notes.lyrics)
  if (edited.isChanged) deps.announcer.announce('library_updated')
  return { songId, isChanged: changes.length > 0 || edited.isChanged }
}

/** Moves lyrics, offset and artist record along with the new tags of a track. */
async function moveLyrics(deps: EditorDeps, before: TrackRecord, after: TrackRecord): Promise<void> {
  const { data, media } = deps
  const [from, to] = [lyricsKey(before.artist, before.title), lyricsKey(after.artist, after.title)]
  if (from !== to) {
    const [lyrics, there, offset] = await Promise.all([
      data.lyrics.get(from),
      data.lyrics.get(to),
      data.offsets.get(from),
    ])
    // A lookup that found nothing for the new name says less than known lyrics.
    if (lyrics && !there?.lines.length) await data.lyrics.put({ ...lyrics, key: to })
    if (offset) await data.offsets.insert({ ...offset, key: to })
    await deleteUnusedLyrics(deps, [before])
  }
  if (after.mode === 'day' && artistKey(before.artist) !== artistKey(after.artist)) {
    await ensureArtist(data, after.artist)
    await removeArtists(data, media, await unusedArtists(data, [before.artist], false))
  }
}

/** Calls `use` with a copy of a file that has the new tags. @throws Failure TRACK_NOT_FOUND, STORAGE_WRITE_FAILED */
async function withRewritten(
  { media, tags: writer }: EditorDeps,
  key: MediaKey,
  tags: EditableTags,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), WORKING_COPY)).catch(refuseWrite)
  try {
    const path = join(folder, 'track.mp3')
    const original = await media.open(key).catch((error) => {
      if (error instanceof Failure && error.code === 'NOT_FOUND') throw new Failure('TRACK_NOT_FOUND')
      throw error
    })
    await pipeline(original, createWriteStream(path)).catch(refuseWrite)
    await writer.write(path, tags).catch((cause: unknown) => {
      // A system error says nothing about the file.
      if (cause instanceof Error && 'code' in cause) refuseWrite(cause)
      throw new Failure('STORAGE_WRITE_FAILED', { reason: 'tags' }, { cause })
    })
    await use(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
