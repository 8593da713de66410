import type { Mode, Track } from '@solstice/contracts'
import { ensureArtist } from '../artwork/artwork.ts'
import { moveTrackCover } from '../artwork/covers.ts'
import { Failure, isStoreUnavailable } from '../core/failure.ts'
import { replaceInGroups } from '../groups/groups.ts'
import { refuseWrite, stagedKey } from '../intake/staging.ts'
import { allEnded, type Run } from '../library/change-run.ts'
import { moveMeasurements } from '../library/loudness.ts'
import type { TrackRecord } from '../ports/data/data-store.ts'
import type { JobData, JobResult, TrackOutcome } from '../ports/job-queue.ts'
import {
  auditOnceIn,
  type Batch,
  beginBatch,
  deleteFile,
  done,
  filenameOf,
  hasOtherFile,
  keep,
  mayChange,
  noteArtists,
  refusalOf,
  releaseFor,
  runPieces,
  type TrackInHand,
} from './batch.ts'
import type { EditorDeps } from './change.ts'

/**
 * Moves tracks and files that wait for their commit to the other mode. Resumable, and interrupted like `editTrack`.
 *
 * @throws Failure AIR_UNAVAILABLE when nothing could be moved because of that.
 */
export async function moveTracks(
  deps: EditorDeps,
  job: JobData<'move-tracks'>,
  run: Run,
): Promise<JobResult<'move-tracks'>> {
  const { targetMode } = job
  const batch = beginBatch(deps, job, run)
  const { results, removedArtists } = await batch.run.attempt(() =>
    runPieces(batch, {
      touchedBy: (ids) => ids.flatMap((id) => [id, idIn(targetMode, filenameOf(id))]),
      change: (batch, ids) => movePiece(batch, ids, targetMode),
      removesArt: false,
    }),
  )
  const withTracks = results.map(async (result): Promise<TrackOutcome> => {
    const track = result.newId === undefined ? null : await deps.data.tracks.get(result.newId)
    return track ? { ...result, track: onTheWire(track) } : result
  })
  return { results: await Promise.all(withTracks), removedArtists }
}

async function movePiece(batch: Batch, ids: string[], targetMode: Mode): Promise<TrackOutcome[]> {
  const { notes } = batch
  const moving = new Map<string, TrackInHand>()
  const outcomes = new Map<string, TrackOutcome>()
  const prepared = async (id: string): Promise<TrackOutcome> => {
    const { outcome, inHand } = await prepare(batch, id, targetMode)
    if (inHand) moving.set(id, inHand)
    return outcome
  }
  await allEnded(ids.map(async (id) => outcomes.set(id, await prepared(id).catch(refusalOf(batch, id)))))
  if (moving.size === 0) return ids.map((id) => outcomes.get(id)!)
  notes.inHand = [...moving.values()]
  await keep(batch)

  await allEnded(
    [...moving.values()].map(async (one) => {
      const { id } = one.track
      try {
        outcomes.set(id, (await copyAndRelease(batch, one, targetMode)) ?? outcomes.get(id)!)
      } catch (error) {
        // It may or may not have been copied: the copy is looked for when the store is back.
        if (isStoreUnavailable(error)) throw error
        moving.delete(id)
        outcomes.set(id, refusalOf(batch, id)(error))
      }
    }),
  )
  notes.inHand = [...moving.values()]
  noteArtists(
    batch,
    notes.inHand.map(({ track }) => track),
  )
  await keep(batch)
  await finishMoves(batch, targetMode)
  return ids.map((id) => outcomes.get(id)!)
}

/** Decides about one id, without changing a track; `inHand` when there is a track to be moved. */
async function prepare(
  batch: Batch,
  songId: string,
  targetMode: Mode,
): Promise<{ outcome: TrackOutcome; inHand?: TrackInHand }> {
  const { data, media } = batch.deps
  const begun = batch.begun.get(songId)
  const newId = idIn(targetMode, filenameOf(songId))
  if (begun) return { outcome: { ...done(songId, begun.removed), newId }, inHand: begun }
  const outcome = { ...done(songId), newId }
  const track = await data.tracks.get(songId)
  if (!track) {
    if (!batch.notes.staged.includes(songId)) throw new Failure('TRACK_NOT_FOUND')
    if (songId !== newId) await moveStaged(batch, songId, newId)
    return { outcome }
  }
  if (!mayChange(batch, track)) throw new Failure('FORBIDDEN')
  if (track.mode === targetMode) return { outcome: { ...done(songId), newId: songId } }
  if ((await data.tracks.get(newId)) || (await media.stat(newId))) throw new Failure('FILENAME_EXISTS')
  const file = await media.stat(track.storageKey)
  if (!file) throw new Failure('TRACK_NOT_FOUND')
  return { outcome, inHand: { track, file, removed: 0 } }
}

/** Copies the file and releases the track; null when the interrupted run has done so. */
async function copyAndRelease(
  batch: Batch,
  one: TrackInHand,
  targetMode: Mode,
): Promise<TrackOutcome | null> {
  const { id, storageKey, filename } = one.track
  const newId = idIn(targetMode, filename)
  if (batch.begun.has(id) && (await hasOtherFile(batch, one))) return null
  const isCopied = await batch.deps.media.copy(storageKey, newId).catch(refuseWrite)
  if (!isCopied && !(await isOwnCopy(batch, one, newId))) throw new Failure('FILENAME_EXISTS')
  try {
    one.removed += await releaseFor(batch, id)
  } catch (error) {
    await takeBack(batch, one, newId)
    throw error
  }
  return { ...done(id, one.removed), newId }
}

/** Moves records, removes the old files, and updates everything that names the tracks. */
async function finishMoves(batch: Batch, targetMode: Mode): Promise<void> {
  const { deps, actor, notes } = batch
  const { data } = deps
  const tracks = notes.inHand.map(({ track }) => track)
  await allEnded(notes.inHand.map((one) => moveRecord(batch, one, targetMode)))
  await allEnded(notes.inHand.map((one) => deleteFile(batch, one)))
  if (targetMode === 'day') await Promise.all(tracks.map(({ artist }) => ensureArtist(data, artist)))
  for (const { id, filename } of tracks) {
    await replaceInGroups(data, id, { id: idIn(targetMode, filename), mode: targetMode })
  }
  await allEnded(
    tracks.map(({ id, title, artist, mode }) =>
      auditOnceIn(batch, id).record(
        actor,
        'edit_song_meta',
        { title, artist, movedTo: targetMode },
        { changes: [{ field: 'mode', before: mode, after: targetMode }] },
      ),
    ),
  )
}

/** Gives a record its new id; a record that a reconciliation made for the copied file gives way. */
async function moveRecord({ deps, begun }: Batch, { track }: TrackInHand, mode: Mode): Promise<void> {
  const { data } = deps
  const { id, filename } = track
  const newId = idIn(mode, filename)
  if (begun.has(id)) {
    if (!(await data.tracks.get(id))) return
    await data.tracks.delete({ id: newId })
  }
  await moveMeasurements(data, id, newId)
  await moveTrackCover(data, id, newId)
  const change = { ...track, id: newId, mode, storageKey: newId }
  const moved = await data.tracks.update({ id }, change).catch(async (error) => {
    // This may have been the last attempt, so the copy goes; another attempt makes it again.
    if ((await data.tracks.get(id)) && !(await data.tracks.get(newId))) await deps.media.delete(newId)
    throw error
  })
  // A reconciliation may have removed the record first.
  if (moved === 0 && !(await data.tracks.get(newId))) await deps.media.delete(newId)
}

/** Undoes a copy: one record and one file are left. */
async function takeBack({ deps, begun }: Batch, { track }: TrackInHand, newId: string): Promise<void> {
  const { data, media } = deps
  if (begun.has(track.id)) {
    await data.tracks.delete({ id: newId })
    await data.tracks.put(track)
  }
  await media.delete(newId)
}

/** True when the file at the new place is the copy of the interrupted run. */
async function isOwnCopy(
  { deps, begun }: Batch,
  { track, file }: TrackInHand,
  newId: string,
): Promise<boolean> {
  if (!begun.has(track.id)) return false
  const [there, record] = await Promise.all([deps.media.stat(newId), deps.data.tracks.get(newId)])
  const isOtherUpload = record?.addedAt !== undefined && record.addedAt !== track.addedAt
  return there?.size === file?.size && !isOtherUpload
}

/** @throws Failure FILENAME_EXISTS when another file waits there, or a track is there. */
async function moveStaged({ deps, run }: Batch, songId: string, newId: string): Promise<void> {
  const { data, media } = deps
  const [from, to] = [stagedKey(songId), stagedKey(newId)]
  const file = await media.stat(from)
  if (!file) return
  if (await data.tracks.get(newId)) throw new Failure('FILENAME_EXISTS')
  const isCopied = await media.copy(from, to).catch(refuseWrite)
  const isOwn = isCopied || (run.notes !== undefined && (await media.stat(to))?.size === file.size)
  if (!isOwn) throw new Failure('FILENAME_EXISTS')
  await media.delete(from)
}

function idIn(mode: Mode, filename: string): string {
  return `${mode}/${filename}`
}

function onTheWire(record: Readonly<TrackRecord>): Track {
  const { addedAt: _, addedBy: __, cueInMs: ___, cueOutMs: ____, ...track } = record
  return track
}
